internal import ExplorationEngine

/// The steps of a run with faults.
struct FaultProgram<Spec: Specification>: Sendable {
  var steps: [FaultStep<Spec.Command, Spec.Subject>]
  /// Whether one step ends before the next begins.
  var isSequential: Bool
  /// The choices of the command of each step, if they are known.
  private(set) var spans: [[Choice]]

  init(
    steps: [FaultStep<Spec.Command, Spec.Subject>], isSequential: Bool, spans: [[Choice]] = []
  ) {
    self.steps = steps.map { step in
      // Clients are counted from 0.
      if case .call(let command, let client) = step, client < 0 { .call(command) } else { step }
    }
    self.isSequential = isSequential
    self.spans = steps.indices.map { $0 < spans.count ? spans[$0] : [] }
  }

  /// The clients of the calls.
  var clients: Set<Int> {
    Set(
      steps.compactMap { step in
        if case .call(_, let client) = step { client } else { nil }
      })
  }

  mutating func insert(_ step: FaultStep<Spec.Command, Spec.Subject>, at position: Int) {
    steps.insert(step, at: position)
    spans.insert([], at: position)
  }

  /// The program without some steps. What heals a fault goes with the fault.
  func removing(_ positions: some Sequence<Int>) -> Self {
    let removed = Set(positions)
    var struck: Set<String> = []
    let kept = steps.indices.filter { position in
      guard !removed.contains(position) else { return false }
      switch steps[position] {
      case .call: return true
      case .fault(let fault):
        struck.insert(fault.name)
        return true
      case .healing(let fault): return struck.contains(fault.name)
      }
    }
    var copy = self
    copy.steps = kept.map { steps[$0] }
    copy.spans = kept.map { spans[$0] }
    return copy
  }

  /// The program with the choices of one command replaced, or `nil` if they draw the same command.
  func redrawing(_ position: Int, from span: [Choice], _ spec: Spec) -> Self? {
    guard case .call(let old, let client) = steps[position] else { return nil }
    let drawn = Self.draw(span, after: steps[..<position], spec)
    guard drawn.command != old else { return nil }
    var copy = self
    copy.steps[position] = .call(drawn.command, by: client)
    copy.spans[position] = drawn.span
    return copy
  }

  /// The command that choices draw after some steps, with the choices that were made.
  static func draw(
    _ span: [Choice], after steps: ArraySlice<FaultStep<Spec.Command, Spec.Subject>>, _ spec: Spec
  ) -> (command: Spec.Command, span: [Choice]) {
    var state = spec.initialState
    for case .call(let command, _) in steps { _ = spec.apply(command, to: &state) }
    var sequence = ChoiceSequence()
    sequence.spans = [span]
    var choices = Choices(replaying: sequence)
    choices.beginCommand()
    let command = spec.command(from: &choices, in: state)
    return (command, choices.sequence.spans.first ?? [])
  }

  /// The calls and faults of a history one after the other, by the stamps at which they began or ended.
  func sequence(
    of history: FaultHistory<Spec.Command, Spec.Response>, byEnd: Bool
  ) -> Self {
    var known: [Spec.Command: [Choice]] = [:]
    var faults: [String: Fault<Spec.Subject>] = [:]
    for (step, span) in zip(steps, spans) {
      switch step {
      case .call(let command, _): known[command] = span
      case .fault(let fault), .healing(let fault): faults[fault.name] = fault
      }
    }
    var ordered: [(stamp: Int, step: FaultStep<Spec.Command, Spec.Subject>, span: [Choice])] = []
    for call in history.calls.operations {
      ordered.append(
        (
          (byEnd ? call.end : nil) ?? call.call, .call(call.command, by: call.client),
          known[call.command] ?? []
        ))
    }
    for mark in history.faults {
      guard let fault = faults[mark.name] else { continue }
      ordered.append((mark.start, mark.isHealing ? .healing(fault) : .fault(fault), []))
    }
    ordered.sort { $0.stamp < $1.stamp }
    return Self(steps: ordered.map(\.step), isSequential: true, spans: ordered.map(\.span))
  }

  /// The steps as text. Two programs with the same text do the same.
  var text: String {
    steps.map { step in
      switch step {
      case .call(let command, let client): "\(client): \(command)"
      case .fault(let fault): "fault \(fault.name)"
      case .healing(let fault): "healing \(fault.name)"
      }
    }.joined(separator: "\n") + (isSequential ? "" : "\nconcurrent")
  }

  /// The program with every call by one client.
  var byOneClient: Self {
    var copy = self
    for case (let position, .call(let command, _)) in steps.enumerated() {
      copy.steps[position] = .call(command)
    }
    return copy
  }
}
