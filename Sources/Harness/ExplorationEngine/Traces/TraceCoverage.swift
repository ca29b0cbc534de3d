/// What the steps of a trace show of a model: its transitions.
///
/// A transition is the kind of a command, the shapes of the state before it and of the response,
/// and whether the command changed the state. What ``Specification/coverage(of:in:returning:)``
/// adds counts as well.
struct TraceCoverage<Spec: Specification> {
  /// A transition, or an addition of the specification.
  struct Feature: Hashable {
    /// The part that people read.
    var name: String
    /// The shape of the state before, and whether it changed.
    var state: String
  }

  private let specification: Spec

  init(of specification: Spec) { self.specification = specification }

  /// The features of each command's step, in order.
  func features(of commands: [Spec.Command]) -> [[Feature]] {
    var state = specification.initialState
    return commands.map { command in
      let before = state
      let response = specification.apply(command, to: &state)
      let kind = specification.kind(of: command)
      let step = Feature(
        name: "\(kind) → \(ValueShape.text(of: response, depth: 1))",
        state: ValueShape.text(of: before, depth: 2) + (before == state ? "" : ", changed"))
      return [step]
        + specification.coverage(of: command, in: before, returning: response)
        .map { Feature(name: "\(kind): \($0)", state: "") }
    }
  }
}
