package import ExplorationEngine

/// Commands and the answers that an implementation gave to them, from its initial state on.
package struct Trace<Spec: Specification>: Sendable {
  /// A command and its answer.
  package struct Step: Sendable {
    package var command: Spec.Command
    package var response: Spec.Response

    package init(_ command: Spec.Command, _ response: Spec.Response) {
      self.command = command
      self.response = response
    }
  }

  /// The steps, in order.
  package var steps: [Step]

  /// What the trace covers that no trace before it does.
  package var covers: [String]

  /// The line of the first step in the file; 0 for a trace that is in no file.
  package var line: Int

  package init(_ steps: [Step], covering covers: [String], at line: Int = 0) {
    self.steps = steps
    self.covers = covers
    self.line = line
  }

  package var commands: [Spec.Command] { steps.map(\.command) }
}

/// Where, when and from what traces were recorded.
package struct TraceOrigin: Sendable, Hashable, Codable {
  /// The id of the implementation.
  package var implementation: String
  /// The version of what it adapts, if it says so.
  package var version: String?
  /// The operating system and the architecture.
  package var machine: String
  /// The time of the recording, to the second, in UTC: `2030-03-17T17:46:40Z`.
  package var recorded: String
  /// The test that records the traces, as `swift test --filter` takes it.
  package var test: String
  /// The seed from which the commands were drawn first.
  package var seed: UInt64

  package init(
    implementation: String, version: String?, machine: String, recorded: String, test: String,
    seed: UInt64
  ) {
    self.implementation = implementation
    self.version = version
    self.machine = machine
    self.recorded = recorded
    self.test = test
    self.seed = seed
  }
}

extension TraceOrigin: CustomStringConvertible {
  package var description: String {
    "\(implementation)\(version.map { " (\($0))" } ?? "") on \(recorded), \(machine)"
  }

  /// The command that records the traces again.
  package var recordingCommand: String { "CONTRACT_RECORD=all swift test --filter '\(test)'" }
}
