import ContractEvidence
import SystemLocks
import Testing

/// Gathers the issues of one case, and decides whether the test sees them too.
final class IssueCollector: Sendable {
  /// What to add to each issue on its way to the test, or `nil` to keep issues from it.
  private let comment: (@Sendable () -> String)?

  private let state = Mutex(State())

  /// How many issues of a case are kept for the journal; the test sees them all.
  private static let limit = 50

  private struct State {
    var issues: [IssueSummary] = []
    var isInFixture = true
    var isClosed = false
  }

  /// Gathers issues and keeps them from the test, or passes them on.
  ///
  /// - Parameter comment: What to add to each issue on its way to the test; `nil` keeps issues from
  ///   the test.
  init(passingOnWith comment: (@Sendable () -> String)? = nil) { self.comment = comment }

  /// Runs a closure and gathers the issues that it, or a task of its own, records.
  func collect(
    in test: Test, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await IssueHandlingTrait.compactMapIssues { self.handle($0) }
      .provideScope(for: test, testCase: Test.Case.current, performing: body)
  }

  private func handle(_ issue: Issue) -> Issue? {
    guard issue.isFailure else { return issue }
    let isOpen = state.withLock { state in
      if !state.isClosed, state.issues.count < Self.limit || state.isInFixture {
        state.issues.append(IssueSummary(issue, isFixture: state.isInFixture))
      }
      return !state.isClosed
    }
    guard let comment, isOpen else { return nil }
    var issue = issue
    issue.comments.append(Comment(rawValue: comment()))
    return issue
  }

  /// Says whether what follows is the fixture's doing or the clause's.
  func enterFixture(_ isInFixture: Bool) { state.withLock { $0.isInFixture = isInFixture } }

  /// The issues so far; later ones, from a clause that was given up, are dropped.
  func close() -> [IssueSummary] {
    state.withLock {
      $0.isClosed = true
      return $0.issues
    }
  }
}

extension IssueSummary {
  init(_ issue: Issue, isFixture: Bool) {
    let place = issue.sourceLocation
    let message = String(describing: issue)
    self.init(
      message: message.count > 2_000 ? message.prefix(2_000) + "…" : message, file: place?.fileID,
      path: place?.filePath,
      line: place?.line, isFixture: isFixture)
  }

  /// The place in the form that issues are recorded with.
  func sourceLocation(or other: SourceLocation) -> SourceLocation {
    guard let file, let path, let line, file.contains("/") else { return other }
    return SourceLocation(fileID: file, filePath: path, line: max(line, 1), column: 1)
  }
}
