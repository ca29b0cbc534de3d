internal import ExplorationEngine
internal import LockStepExploration

/// What the steps of a trace show of a model: its transitions.
///
/// A transition is the kind of a command, the shapes of the state before it and of the response,
/// and whether the command changed the state. Of a state, numbers and texts do not count: they are
/// mostly clocks, counters and names, and would tell every step apart. What
/// ``Specification/coverage(of:in:returning:)`` adds counts as well, and so does each pair of kinds
/// in a row.
struct TraceCoverage<Spec: Specification> {
  /// A transition, or an addition of the specification.
  struct Feature: Hashable {
    /// The part that people read.
    var name: String
    /// The shape of the state before, and whether it changed.
    var state: String
  }

  private let specification: Spec
  private let shapeOfState = ValueShape(depth: 2, tellsNumbers: false)
  private let shapeOfResponse = ValueShape(depth: 1, tellsNumbers: true)

  init(of specification: Spec) { self.specification = specification }

  /// The features of each command's step, in order.
  func features(of commands: [Spec.Command]) -> [[Feature]] {
    var state = specification.initialState
    var previous: String?
    return commands.map { command in
      let before = state
      let response = specification.apply(command, to: &state)
      let kind = specification.kind(of: command)
      let step = Feature(
        name: "\(kind) → \(shapeOfResponse.text(of: response))",
        state: shapeOfState.text(of: before) + (before == state ? "" : ", changed"))
      defer { previous = kind }
      return [step]
        + (previous.map { [Feature(name: "\(kind) after \($0)", state: "")] } ?? [])
        + specification.coverage(of: command, in: before, returning: response)
        .map { Feature(name: "\(kind): \($0)", state: "") }
    }
  }
}
