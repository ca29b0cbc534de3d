/// The smallest sequence of commands found on which subject and model disagree.
public struct LockStepFailure<Spec: Specification>: Sendable {
  /// How many commands were run on live subjects.
  public struct Calls: Sendable, Hashable {
    /// To see whether the failure comes back.
    public var replaying = 0
    /// To make it smaller.
    public var shrinking = 0
  }

  /// The commands; the last one fails, unless making or tearing down the subject did.
  public internal(set) var commands: [Spec.Command]

  /// What went wrong.
  public internal(set) var kind: LockStepFailureKind<Spec.Response>

  /// The seed of the run that failed; `nil` for an example that was stored without one.
  public let seed: UInt64?

  /// The choices that make the commands.
  public internal(set) var choices: ChoiceSequence

  /// The number of commands up to the failure as it was found.
  public let originalLength: Int

  /// How often the failure was repeated as it was found, and how often it came back.
  public internal(set) var replays = 0
  public internal(set) var failedReplays = 0

  /// The live calls that this failure cost after it was found.
  public internal(set) var calls = Calls()

  /// The runs that shrinking took.
  public internal(set) var attempts = 0

  /// Whether shrinking came to its own end: not cut short by its budget, nor left out as flaky.
  public internal(set) var isShrunkFully = false

  /// The name of the stored example that failed; `nil` if a new run did.
  public internal(set) var example: String?

  let specification: Spec
  let source: LockStepSource

  init(
    specification: Spec, commands: [Spec.Command], kind: LockStepFailureKind<Spec.Response>,
    seed: UInt64?, choices: ChoiceSequence, source: LockStepSource
  ) {
    self.specification = specification
    self.commands = commands
    self.kind = kind
    self.seed = seed
    self.choices = choices
    self.source = source
    originalLength = commands.count
  }

  /// Whether the failure did not come back every time: time, order or chance has a part in it.
  public var isFlaky: Bool { failedReplays < replays }

  /// The response that the model gives to each command.
  public var expectedResponses: [Spec.Response] {
    var state = specification.initialState
    return commands.map { specification.apply($0, to: &state) }
  }

  /// A Swift test that repeats the failure, ready to be pasted.
  ///
  /// It names the specification and the subject as ``LockStep/source`` does.
  public var swiftTest: String {
    let kinds = commands.map { specification.kind(of: $0) }
    var name = kinds.enumerated().reduce(into: "") { name, kind in
      let word = kind.element.filter { $0.isLetter || $0.isNumber }
      name +=
        kind.offset == 0
        ? word.prefix(1).lowercased() + word.dropFirst()
        : word.prefix(1).uppercased() + word.dropFirst()
    }
    if commands.count > 6 || name.first?.isLetter != true { name = "smallestFailure" }
    let responses = expectedResponses
    var lines = commands.indices.map { index in
      let isFailing = kind.isOfCommand && index == commands.count - 1
      let note = isFailing ? "\(kind)" : "\(responses[index])"
      return "    \(specification.source(ofCommand: commands[index])),  // \(note)"
    }
    if !kind.isOfCommand || commands.isEmpty { lines.append("    // \(kind)") }
    if let arguments = source.arguments {
      return """
        @Test func \(name)() async throws {
          try await explore(
            \(arguments),
            commands: [
        \(lines.map { "  " + $0 }.joined(separator: "\n"))
            ])
        }
        """
    }
    return """
      @Test func \(name)()\(source.isAsync ? " async" : "") throws {
        let specification = \(source.specification)
        let subject = \(source.subject)
        var state = specification.initialState
        let commands: [\(specification.typeName).Command] = [
      \(lines.joined(separator: "\n"))
        ]
        for command in commands {
          let expected = specification.apply(command, to: &state)
          let actual = try \(source.isAsync ? "await " : "")specification.perform(command, on: subject)
          #expect(actual == expected, "\\(command)")
        }
      }
      """
  }
}

extension LockStepFailure: CustomStringConvertible {
  public var description: String {
    var lines = ["\(kind)"]
    let responses = expectedResponses
    for (index, command) in commands.enumerated() {
      let isFailing = kind.isOfCommand && index == commands.count - 1
      lines.append(
        "  \(index + 1). \(command)" + (isFailing ? "  ← \(kind)" : " → \(responses[index])"))
    }
    let origin = example.map { "stored example \($0)" } ?? seed.map { "seed \($0)" } ?? "no seed"
    lines.append(
      "from \(origin), \(originalLength) commands when found; "
        + "\(calls.shrinking) live calls and \(attempts) runs to shrink, "
        + "\(calls.replaying) live calls to repeat")
    if isFlaky {
      lines.append(
        "FLAKY: it came back in \(failedReplays) of \(replays) repetitions, so it was not shrunk; "
          + "look for time, order or chance in the subject")
    } else if replays > 0 {
      lines.append("it came back in all \(replays) repetitions")
    }
    if case .endedProcess = kind {
      lines.append("it was neither repeated nor shrunk, for that would end this process as well")
    } else if !isFlaky, !isShrunkFully, example == nil {
      lines.append("shrinking was cut short; with more `shrinkCalls` it may find a smaller one")
    }
    return lines.joined(separator: "\n")
  }
}
