/// A sequence of commands, with the choices from which the generator draws it.
package struct ShrinkCandidate<Spec: Specification>: Sendable {
  package let commands: [Spec.Command]
  package let sequence: ChoiceSequence

  /// Draws commands, running each but the last on the model.
  package init(_ spec: Spec, _ choices: inout Choices, count: Int) {
    var state = spec.initialState
    var commands: [Spec.Command] = []
    let watch = CodeWatch.current.value
    watch?.drawn.commands.removeAll()
    for index in 0..<count {
      watch?.begin()
      defer { watch?.end() }
      choices.beginCommand()
      let command = choices.command(of: spec, in: state)
      watch?.drawn.commands.append(command)
      commands.append(command)
      guard index < count - 1 else { break }
      let response = spec.apply(command, to: &state)
      choices.see(response)
    }
    self.commands = commands
    sequence = choices.sequence
  }

  /// Draws commands from spans. If the generator asks for a choice that a span does not have, it gets
  /// the simplest value.
  package init(_ spec: Spec, spans: [[Choice]]) {
    var sequence = ChoiceSequence()
    sequence.spans = spans
    var choices = Choices(replaying: sequence)
    self.init(spec, &choices, count: spans.count)
  }

  /// Creates a candidate of given commands. The choices that once drew them are used if they still
  /// draw the same commands.
  package init(_ spec: Spec, _ commands: [Spec.Command], drawnFrom choices: ChoiceSequence?) {
    if let choices {
      let redrawn = Self(spec, spans: Array(choices.spans.prefix(commands.count)))
      if redrawn.commands == commands {
        self = redrawn
        return
      }
    }
    self.commands = commands
    sequence = ChoiceSequence()
  }

  package var spans: [[Choice]] { sequence.spans }

  /// Whether this candidate is simpler: it has fewer commands, or as many with simpler choices.
  ///
  /// Of two commands of the same kind, the one with fewer choices is simpler, such as a shorter
  /// list; otherwise the one with the lower first choice.
  package func isSimpler(than other: Self) -> Bool {
    if spans.count != other.spans.count { return spans.count < other.spans.count }
    for (mine, its) in zip(spans, other.spans) {
      if mine.count != its.count, mine.kindOfCommand.elementsEqual(its.kindOfCommand) {
        return mine.count < its.count
      }
      for (left, right) in zip(mine, its) where left.rank != right.rank {
        return left.rank < right.rank
      }
      if mine.count != its.count { return mine.count < its.count }
    }
    return false
  }
}

extension [Choice] {
  /// The ranks up to the last one that decides the kind of command.
  fileprivate var kindOfCommand: some Sequence<UInt64> {
    prefix((lastIndex { $0.kind == .rule } ?? -1) + 1).lazy.map(\.rank)
  }
}
