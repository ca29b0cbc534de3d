import ContractEvidence
import SystemLocks
import Testing

/// Collects the issues of one case, and either passes them on to the test or suppresses them.
final class IssueCollector: Sendable {
  /// Makes a comment to add to each issue that is passed on, or `nil` to suppress issues.
  private let comment: (@Sendable () -> String)?

  /// Returns the reason if an error says nothing about behaviour.
  private let unavailability: (@Sendable (any Error) -> String?)?

  private let state = Mutex(State())

  /// How many issues of a case go into the journal. The test sees all of them.
  private static let limit = 50

  private struct State {
    var issues: [IssueSummary] = []
    var isInFixture = true
    var hasBegunClause = false
    var isClosed = false
    /// The message of the first expectation of the clause that failed.
    var failedExpectation: String?
    /// The reason of the first error that says nothing about behaviour. Later issues are its consequences,
    /// and dropped.
    var unavailable: String?
  }

  /// Creates a collector.
  ///
  /// - Parameters:
  ///   - comment: Makes a comment to add to each issue that is passed on to the test; `nil` suppresses
  ///     issues.
  ///   - unavailability: Returns the reason if an error says nothing about behaviour.
  init(
    passingOnWith comment: (@Sendable () -> String)? = nil,
    unavailability: (@Sendable (any Error) -> String?)? = nil
  ) {
    self.comment = comment
    self.unavailability = unavailability
  }

  /// The reason why the case is no evidence, or `nil`: an error that says nothing about behaviour came
  /// before every issue.
  var unavailable: String? { state.withLock { $0.issues.isEmpty ? $0.unavailable : nil } }

  /// Whether an issue was recorded.
  var hasIssues: Bool { state.withLock { !$0.issues.isEmpty } }

  /// The message of the clause's first expectation that failed, or `nil` if errors alone failed the case.
  var failedExpectation: String? { state.withLock(\.failedExpectation) }

  /// Runs a closure, and collects the issues that it and its child tasks record.
  func collect(
    in test: Test, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await IssueHandlingTrait.compactMapIssues { self.handle($0) }
      .provideScope(for: test, testCase: Test.Case.current, performing: body)
  }

  private func handle(_ issue: Issue) -> Issue? {
    guard issue.isFailure else { return issue }
    let reason = issue.error.flatMap { error in
      (error as? any UnavailabilityError)?.unavailabilityReason ?? unavailability?(error)
    }
    let isOpen = state.withLock { state in
      if let reason, !state.isClosed, state.unavailable == nil { state.unavailable = reason }
      if state.unavailable != nil { return false }
      if !state.isClosed, state.issues.count < Self.limit || state.isInFixture {
        let summary = IssueSummary(issue, isFixture: state.isInFixture)
        state.issues.append(summary)
        if !state.isInFixture, state.failedExpectation == nil, issue.isFailedExpectation {
          state.failedExpectation = summary.message
        }
      }
      return !state.isClosed
    }
    guard let comment, isOpen else { return nil }
    var issue = issue
    issue.comments.append(Comment(rawValue: comment()))
    return issue
  }

  /// Says whether the following issues are the fixture's or the clause's.
  func setInFixture(_ isInFixture: Bool) {
    state.withLock { state in
      state.isInFixture = isInFixture
      if !isInFixture { state.hasBegunClause = true }
    }
  }

  /// Closes the collector because the time limit has passed. If the fixture is what hangs, that is an issue of it.
  func closeAtTimeout(_ limit: Duration, madeAt location: SourceLocation) {
    state.withLock { state in
      defer { state.isClosed = true }
      guard state.isInFixture, !state.isClosed else { return }
      let step = state.hasBegunClause ? "torn down" : "made"
      state.issues.append(
        IssueSummary(
          message: "the fixture was not \(step) within \(limit)", file: location.fileID,
          path: location.filePath, line: location.line, isFixture: true))
    }
  }

  /// Returns the issues so far. Later issues, from a clause that timed out, are dropped.
  func close() -> [IssueSummary] {
    state.withLock {
      $0.isClosed = true
      return $0.issues
    }
  }
}

extension Issue {
  /// Whether a check failed, and not a call that threw.
  fileprivate var isFailedExpectation: Bool {
    switch kind {
    case .expectationFailed, .confirmationMiscounted, .unconditional: true
    default: false
    }
  }
}

extension IssueSummary {
  init(_ issue: Issue, isFixture: Bool) {
    let location = issue.sourceLocation
    let message = String(describing: issue)
    self.init(
      message: message.count > 2_000 ? message.prefix(2_000) + "…" : message,
      file: location?.fileID, path: location?.filePath, line: location?.line,
      isFixture: isFixture)
  }

  /// The issue's source location, or `fallback` if the journal has none that Swift Testing accepts.
  func sourceLocation(or fallback: SourceLocation) -> SourceLocation {
    guard let file, let path, let line, file.contains("/") else { return fallback }
    return SourceLocation(fileID: file, filePath: path, line: max(line, 1), column: 1)
  }
}
