import ContractTesting
import ExplorationEngine
import Foundation
import SystemLocks
internal import Testing

/// Records the traces of one implementation.
struct TraceRecorder<Spec: Specification>
where Spec.Command: Codable, Spec.Response: Codable {
  private typealias Answers = TraceAnswers<Spec.Response>

  private let specification: Spec
  private let implementation: Implementation<Spec.Subject>
  private let file: URL
  private let settings: ExplorationSettings
  private let sourceLocation: SourceLocation

  init(
    _ specification: Spec, _ implementation: Implementation<Spec.Subject>, _ file: URL,
    _ settings: ExplorationSettings, _ sourceLocation: SourceLocation
  ) {
    self.specification = specification
    self.implementation = implementation
    self.file = file
    self.settings = settings
    self.sourceLocation = sourceLocation
  }

  /// Records, and replaces the file.
  ///
  /// - Returns: The new content, or `nil` if an issue was recorded and nothing was written.
  func record() async throws -> TraceFile<Spec>? {
    let exists = FileManager.default.fileExists(atPath: file.path)
    let old = exists ? try TraceFile(reading: file, of: specification) : nil
    let plans = await plans(keeping: old?.traces.map(\.commands) ?? [])
    let version = Mutex<String?>(nil)
    let runner = try TraceRunner(specification, on: implementation, settings) { fixture in
      guard version.withLock({ $0 == nil }) else { return }
      let text = await implementation.version(of: fixture)
      version.withLock { $0 = text }
    }
    let commands = plans.map(\.commands)
    let (first, second) = (await runner.run(commands), await runner.run(commands))
    guard first.count == plans.count, second.count == plans.count else {
      throw CancellationError()
    }
    if let problem = problem(of: plans, first, second) {
      Issue.record("\(problem); nothing was written", sourceLocation: sourceLocation)
      return nil
    }
    let traces = zip(plans, first).map { plan, answers in
      Trace<Spec>(
        zip(plan.commands, answers.responses).map { .init($0, $1) }, covering: plan.covers)
    }
    let recording = TraceFile(traces, from: origin(version.withLock { $0 }))
    try recording.write(to: file, of: specification)
    ExplorationProgressLine.say(
      "recorded \(implementation.id): \(traces.count) traces, "
        + "\(traces.reduce(0) { $0 + $1.steps.count }) steps, to \(file.path)")
    // Read again, so that later messages name the lines.
    return try TraceFile(reading: file, of: specification)
  }

  /// The commands to record, chosen on a thread that no task needs meanwhile.
  private func plans(keeping kept: [[Spec.Command]]) async -> [TracePlanner<Spec>.Plan] {
    let planner = TracePlanner(specification, settings: settings)
    let cancellation = ConcurrentFlag()
    return await onWatchdogThread {
      planner.plan(keeping: kept) { cancellation.isSet }
    } onCancel: {
      cancellation.set()
    }
  }

  /// Why the answers are no evidence, or `nil`.
  private func problem(
    of plans: [TracePlanner<Spec>.Plan], _ first: [Answers], _ second: [Answers]
  ) -> String? {
    for (plan, (one, other)) in zip(plans, zip(first, second)) {
      let shown = { (index: Int) in
        plan.commands.prefix(index + 1).enumerated().map { "  \($0 + 1). \($1)" }
          .joined(separator: "\n")
      }
      if let change = one.firstChange(from: other), one.failure == nil, other.failure == nil {
        return "\(implementation.id) answered \(one.responses[change]), then "
          + "\(other.responses[change]) to the same commands:\n\(shown(change))\n"
          + "what varies between runs (ids, dates, tokens) must not be part of the response of "
          + "\(specification.source)"
      }
      if let (answers, failure) = [one, other].lazy
        .compactMap({ answers in answers.failure.map { (answers, $0) } }).first
      {
        return "\(implementation.id) did not answer: \(failure)\n\(shown(answers.responses.count))"
      }
    }
    return nil
  }

  private func origin(_ version: String?) -> TraceOrigin {
    let test = Test.current.map { String(describing: $0.id) } ?? ""
    return TraceOrigin(
      implementation: implementation.id, version: version,
      machine: "\(ProcessInfo.processInfo.operatingSystemVersionString), \(Self.architecture)",
      recorded: Date().formatted(.iso8601), test: String(test.prefix { $0 != "(" }),
      seed: settings.seed)
  }

  private static var architecture: String {
    #if arch(x86_64)
      "x86-64"
    #elseif arch(arm64)
      "arm64"
    #else
      "another architecture"
    #endif
  }
}

extension TraceRunner {
  /// Creates a runner on fixtures of an implementation.
  ///
  /// - Throws: ``OwnProcessError``.
  init<Base: Specification>(
    _ specification: Base, on implementation: Implementation<Base.Subject>,
    _ settings: ExplorationSettings,
    onFixture: @escaping @Sendable (Base.Subject) async -> Void = { _ in }
  ) throws where Spec == ScopedSpecification<Base> {
    guard !implementation.hasOwnProcess else {
      throw OwnProcessError(implementation: implementation.id)
    }
    self.init(ScopedSpecification(specification), settings: settings) { subject in
      try await subject.tearDown()
    } makeSubject: {
      let subject = try await ScopedSubject(implementation)
      await onFixture(subject.fixture)
      return subject
    }
  }
}
