public import ExplorationEngine

/// The smallest sequence of commands found for which the subject and the model differ.
public struct LockStepFailure<Spec: Specification>: Sendable {
  /// The number of commands run on live subjects after the failure was found.
  public struct Calls: Sendable, Hashable {
    /// The commands run to replay the failure.
    public var replaying = 0
    /// The commands run to shrink it.
    public var shrinking = 0
  }

  /// The commands. The last one fails, unless the setup or the teardown failed.
  public package(set) var commands: [Spec.Command]

  /// The kind of failure.
  public package(set) var kind: LockStepFailureKind<Spec.Response>

  /// The seed of the run that failed; `nil` for an example that was stored without one.
  public let seed: UInt64?

  /// The choices from which the commands are drawn.
  public internal(set) var choices: ChoiceSequence

  /// The number of commands before shrinking.
  public let originalLength: Int

  /// The number of replays before shrinking.
  public internal(set) var replays = 0

  /// The number of replays that failed in the same way.
  public internal(set) var failedReplays = 0

  /// The live calls that replaying and shrinking took.
  public internal(set) var calls = Calls()

  /// The number of runs that shrinking took.
  public internal(set) var attempts = 0

  /// Whether shrinking ended before it reached its limits: no pass found a simpler sequence.
  ///
  /// The passes remove single commands, ranges of at least half the commands, and, if removals
  /// contradicted each other, all ranges, equal commands together, and random parts. Other
  /// combinations are not tried.
  public internal(set) var isShrunkFully = false

  /// The name of the stored example that failed; `nil` if a new run failed.
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

  /// Whether a replay did not fail in the same way, so that the failure depends on time, order or
  /// randomness.
  public var isFlaky: Bool { failedReplays < replays }

  /// The model's response to each command.
  public var expectedResponses: [Spec.Response] {
    var state = specification.initialState
    return commands.map { specification.apply($0, to: &state) }
  }

  /// A Swift test that reproduces the failure, to paste into a test file.
  ///
  /// It creates the specification and the subject with the expressions of ``LockStep/source``.
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
      "from \(origin), \(originalLength) commands before shrinking; "
        + "shrinking took \(calls.shrinking) live calls in \(attempts) runs, "
        + "replaying \(calls.replaying) live calls")
    if isFlaky {
      lines.append(
        "flaky: reproduced in \(failedReplays) of \(replays) replays, so it was not shrunk; "
          + "look for time, order or randomness in the subject")
    } else if replays > 0 {
      lines.append("reproduced in \(failedReplays) of \(replays) replays")
    }
    if kind.hasEndedProcess, replays == 0 {
      lines.append("neither replayed nor shrunk, because that would end this process as well")
    } else if !isFlaky, !isShrunkFully, example == nil, originalLength > 0 {
      lines.append("shrinking reached its limit; raise `shrinkCalls` for a smaller example")
    }
    return lines.joined(separator: "\n")
  }
}
