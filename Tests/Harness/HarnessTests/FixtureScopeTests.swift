import Foundation
import SystemLocks
import Testing

@testable import ContractTesting

/// A scope runs the teardown actions of its fixture.
@Suite struct FixtureScopeTests {
  @Test func `actions run in reverse order, and an error stops none of them`() async {
    struct Refusal: Error {}
    let order = Mutex<[Int]>([])
    let scope = FixtureScope()
    scope.onTearDown { order.withLock { $0.append(1) } }
    scope.onTearDown { throw Refusal() }
    scope.onTearDown { order.withLock { $0.append(3) } }
    let errors = await scope.tearDown()
    #expect(order.withLock(\.self) == [3, 1])
    #expect(errors.count == 1 && errors.first is Refusal)
    #expect(await scope.tearDown().isEmpty, "no action runs twice")
  }

  @Test func `a temporary folder has mode 0700 and is removed with the scope`() async throws {
    let scope = FixtureScope()
    let folder = try scope.temporaryDirectory()
    let other = try scope.temporaryDirectory()
    #expect(folder != other)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    try Data("kept".utf8).write(to: folder.appendingPathComponent("file"))
    #expect(await scope.tearDown().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test func `a failed #require in a fixture is one issue`() async throws {
    let collector = IssueCollector()
    let lifecycle = FixtureLifecycle(
      clause: Clause<Int>("any", "any") { _ in },
      make: { _ in try #require(nil as Int?, "no number") })
    try await collector.collect(in: try #require(Test.current)) {
      await lifecycle.run(collector, madeAt: #_sourceLocation)
    }
    let issues = collector.close()
    #expect(issues.count == 1)
    #expect(issues.first?.isFixture == true && issues.first?.message.contains("no number") == true)
  }
}
