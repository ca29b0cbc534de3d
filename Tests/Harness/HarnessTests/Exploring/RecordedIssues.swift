import SystemLocks
import Testing

/// The issues that a function records, which do not fail the test.
func issues(of body: @escaping @Sendable () async throws -> Void) async throws -> [String] {
  let found = LockedList()
  let test = try #require(Test.current)
  try await IssueHandlingTrait.compactMapIssues { issue in
    found.append(String(describing: issue))
    return nil
  }.provideScope(for: test, testCase: Test.Case.current, performing: body)
  return found.values
}

/// Strings that several tasks append.
private final class LockedList: Sendable {
  private let list = Mutex<[String]>([])

  func append(_ text: String) { list.withLock { $0.append(text) } }
  var values: [String] { list.withLock(\.self) }
}
