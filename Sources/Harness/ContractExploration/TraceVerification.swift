import ContractTesting
import ExplorationEngine
import Foundation
import SystemLocks
internal import Testing

/// Compares the model and implementations with the traces of one file.
struct TraceVerification<Spec: Specification>
where Spec.Command: Codable, Spec.Response: Codable {
  private typealias Difference = TraceDifference<Spec>

  private let specification: Spec
  private let recording: TraceFile<Spec>
  private let file: URL
  private let deviations: [TraceDeviation<Spec>]

  init(
    _ specification: Spec, _ recording: TraceFile<Spec>, of file: URL,
    _ deviations: [TraceDeviation<Spec>]
  ) {
    self.specification = specification
    self.recording = recording
    self.file = file
    self.deviations = deviations
  }

  private var commands: [[Spec.Command]] { recording.traces.map(\.commands) }

  /// The comparison of an implementation, or the model, that may differ where it is declared.
  private var comparison: TraceComparison<Spec> {
    TraceComparison(specification) { [deviations] step, answer in
      guard let answer else { return nil }
      return deviations.firstIndex {
        $0.covers(.init(command: step.command, recorded: step.response, answer: answer))
      }
    }
  }

  /// Compares the model, and records issues.
  func verifyModel(_ sourceLocation: SourceLocation) async {
    let comparison = comparison
    let results = recording.traces.map {
      comparison.compare($0, with: comparison.answersOfModel(to: $0.commands))
    }
    var shortest = shortest(results.compactMap(\.difference))
    if let difference = shortest {
      shortest = await comparison.shrunk(difference) {
        $0.map { comparison.answersOfModel(to: $0) }
      }
    }
    report(
      "the model of \(specification.source)", results, shortest, isAskedAgain: false,
      sourceLocation)
    let missing = specification.kinds.filter { kind in
      !commands.joined().contains { specification.kind(of: $0) == kind }
    }
    if !missing.isEmpty {
      Issue.record(
        """
        no trace of \(file.path) has the command \(missing.joined(separator: ", ")); record again: \
        \(recording.origin.recordingCommand)
        """,
        severity: .warning, sourceLocation: sourceLocation)
    }
  }

  /// Compares an implementation, and records issues.
  ///
  /// - Throws: ``OwnProcessError``; `CancellationError` if the calling task is cancelled.
  func verify(
    _ implementation: Implementation<Spec.Subject>, _ settings: ExplorationSettings,
    _ sourceLocation: SourceLocation
  ) async throws {
    let isAskedAgain = implementation.id == recording.origin.implementation
    let comparison = isAskedAgain ? TraceComparison(specification) : comparison
    let runner = try TraceRunner(specification, on: implementation, settings)
    let answers = await runner.run(commands)
    guard answers.count == commands.count else { throw CancellationError() }
    let results = zip(recording.traces, answers).map { comparison.compare($0, with: $1) }
    var shortest = shortest(results.compactMap(\.difference))
    // Only the difference of a fake is shrunk: live calls are costly, and for a live implementation
    // the first difference shows what has changed.
    if let difference = shortest, implementation.kind == .fake {
      shortest = await comparison.shrunk(difference) { await runner.run($0) }
    }
    report(implementation.id, results, shortest, isAskedAgain: isAskedAgain, sourceLocation)
  }

  private func shortest(_ differences: [Difference]) -> Difference? {
    differences.min { $0.path.count < $1.path.count }
  }

  // MARK: - Reporting

  private func report(
    _ name: String, _ results: [TraceComparison<Spec>.Result], _ shortest: Difference?,
    isAskedAgain: Bool, _ sourceLocation: SourceLocation
  ) {
    let differences = results.compactMap(\.difference)
    if let shortest {
      Issue.record(
        "\(text(of: shortest, among: differences, name, isAskedAgain: isAskedAgain))",
        sourceLocation: sourceLocation)
    } else if !isAskedAgain {
      let used = results.reduce(into: Set<Int>()) { $0.formUnion($1.declarations) }
      for index in deviations.indices where !used.contains(index) {
        Issue.record(
          """
          \(name): no trace of \(file.path) deviates any more because \
          "\(deviations[index].reason)"; remove the TraceDeviation
          """,
          sourceLocation: deviations[index].sourceLocation)
      }
    }
    let steps = recording.traces.reduce(0) { $0 + $1.steps.count }
    let uncompared = results.reduce(0) { $0 + $1.uncompared }
    let rest = uncompared > 0 ? ", \(uncompared) after a declared deviation not compared" : ""
    ExplorationProgressLine.say(
      "\(name): \(differences.count) of \(results.count) traces of \(recording.origin) differ "
        + "(\(steps) steps\(rest))")
  }

  private func text(
    of difference: Difference, among differences: [Difference], _ name: String, isAskedAgain: Bool
  ) -> String {
    let recordingCommand = recording.origin.recordingCommand
    var lines = [
      isAskedAgain
        ? "the traces are stale: \(name) no longer answers as recorded"
        : "\(name) does not answer as \(recording.origin.implementation) did"
    ]
    lines.append("\(file.path):\(difference.line): \(mismatch(difference))")
    for (number, index) in difference.path.enumerated() {
      let step = difference.trace.steps[index]
      let answer =
        index == difference.index ? "  ← \(mismatch(difference))" : " → \(step.response)"
      lines.append("  \(number + 1). \(step.command)\(answer)")
    }
    let omitted = difference.index + 1 - difference.path.count
    lines.append(
      omitted > 0
        ? "left out: \(omitted) recorded steps before, which do not change the answers to these"
        : "these are all recorded steps up to the difference")
    lines.append("recorded from \(recording.origin)")
    let others = differences.filter { $0.line != difference.line }
    if !others.isEmpty {
      let places = others.prefix(10).map { "\($0.line)" } + (others.count > 10 ? ["…"] : [])
      lines.append("as do other traces, in line \(places.joined(separator: ", "))")
    }
    lines.append(
      isAskedAgain
        ? "to accept the new answers: \(recordingCommand)"
        : "correct \(name), or, if reality has changed: \(recordingCommand)")
    return lines.joined(separator: "\n")
  }

  private func mismatch(_ difference: Difference) -> String {
    let recorded = difference.step.response
    guard let response = difference.response else {
      return "recorded \(recorded), now no answer: \(difference.failure ?? "")"
    }
    return "recorded \(recorded), now \(response)"
      + (LookalikeDifference.text(recorded, response).map { " (\($0))" } ?? "")
  }
}
