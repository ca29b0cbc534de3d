/// Commands together with the choices that the generator makes them from.
struct ShrinkCandidate<Spec: Specification>: Sendable {
  let commands: [Spec.Command]
  let sequence: ChoiceSequence

  /// Draws commands, running each on the model.
  init(_ spec: Spec, _ choices: inout Choices, count: Int) {
    var state = spec.initialState
    var commands: [Spec.Command] = []
    for _ in 0..<count {
      choices.beginCommand()
      let command = spec.command(from: &choices, in: state)
      _ = spec.apply(command, to: &state)
      commands.append(command)
    }
    self.commands = commands
    sequence = choices.sequence
  }

  /// The commands that the generator makes of these spans; where it asks for more or other
  /// choices than they hold, it gets the simplest.
  init(_ spec: Spec, spans: [[Choice]]) {
    var sequence = ChoiceSequence()
    sequence.spans = spans
    var choices = Choices(replaying: sequence)
    self.init(spec, &choices, count: spans.count)
  }

  var spans: [[Choice]] { sequence.spans }

  /// Whether this is simpler: fewer commands, or as many from lower choices.
  func isSimpler(than other: Self) -> Bool {
    if spans.count != other.spans.count { return spans.count < other.spans.count }
    for (left, right) in zip(spans, other.spans) {
      for (mine, its) in zip(left, right) where mine.rank != its.rank {
        return mine.rank < its.rank
      }
      if left.count != right.count { return left.count < right.count }
    }
    return false
  }
}
