import Foundation
import HarnessSupport
import SystemLocks
import Testing
import TransportPort
import TransportRecording

@testable import TransportTesting

extension Trait where Self == RecordedTrait {
  /// Recordings of a fake; an app names its adapter here once.
  fileprivate static func recorded(_ name: String? = nil) -> Self {
    .recorded(
      name, redacting: Redaction(names: ["key"]),
      over: { FakeTransport { .respond(text: "\($0.method) \($0.path)") } })
  }
}

private func text(_ path: String, over transport: any HTTPTransport) async throws -> String {
  let exchange = try await transport.send(HTTPRequest(url: "http://h" + path))
  return String(decoding: try await exchange.body.collect(upTo: 1_000), as: UTF8.self)
}

/// Tests as an app writes them. They replay the files in `Recordings`.
@Suite struct RecordedTraitTests {
  @Test(.recorded("sign-in")) func `a recording is replayed`() async throws {
    let transport = try RecordedTransport.current
    #expect(
      try await text("/login?key=\(UInt.random(in: 1_000...9_999_999))", over: transport)
        == "GET /login")
    #expect(try await text("/me", over: transport) == "GET /me")
  }

  @Test(.recorded("pages"), arguments: [1, 2], ["a", "b/c é"])
  func `each case of a parameterised test has its own recording`(
    _ page: Int, _ tag: String
  ) async throws {
    let path = "/\(page)/\(tag == "a" ? "a" : "b")"
    for _ in 0..<2 {
      #expect(try await text(path, over: RecordedTransport.current) == "GET \(path)")
      await Task.yield()
    }
  }

  @Suite(.recorded()) struct Shop {
    @Test func lists() async throws {
      #expect(try await text("/items", over: RecordedTransport.current) == "GET /items")
    }

    @Test func buys() async throws {
      #expect(try await text("/cart", over: RecordedTransport.current) == "GET /cart")
    }
  }

  @Test func `outside of such a test there is no transport`() {
    #expect(throws: OutsideRecordedTestError.self) { _ = try RecordedTransport.current }
  }
}

/// Calls the trait directly, so that the failures that it records do not fail the test.
@Suite struct RecordedTraitFailureTests {
  /// A folder that is removed with its owner.
  private final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "/recorded-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func bytes(of name: String) throws -> Data {
      try Data(contentsOf: URL(filePath: "\(path)/\(name).har"))
    }
  }

  private let folder = Folder()

  /// Runs a test's body with the trait, and returns the issues of the trait.
  private func run(
    _ name: String?, _ mode: RecordMode?, answer: String = "live",
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [String] {
    var trait = RecordedTrait(name: name, redaction: Redaction()) {
      FakeTransport { _ in .respond(text: answer) }
    }
    trait.mode = mode
    trait.folder = folder.path
    let issues = Mutex<[String]>([])
    let collecting = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append(issue.error.map { "\($0)" } ?? "\(issue)") }
      return nil
    }
    let test = try #require(Test.current)
    let (made, testCase) = (trait, Test.Case.current)
    try await collecting.provideScope(for: test, testCase: testCase) {
      try await made.provideScope(for: test, testCase: testCase, performing: body)
    }
    return issues.withLock(\.self)
  }

  private static let ask: @Sendable () async throws -> Void = {
    _ = try await text("/a", over: RecordedTransport.current)
  }

  @Test func `once records what is missing, all records again, none only replays`() async throws {
    #expect(try await run("a", .once, answer: "first", Self.ask) == [])
    let first = try folder.bytes(of: "a")
    #expect(try await run("a", .once, answer: "second", Self.ask) == [])
    #expect(try folder.bytes(of: "a") == first)
    let replayed = try await run("a", .never, answer: "second") {
      let answer = try await text("/a", over: RecordedTransport.current)
      #expect(answer == "first")
    }
    #expect(replayed == [])
    #expect(try await run("a", .all, answer: "second", Self.ask) == [])
    let anew = try await run("a", .never) {
      let answer = try await text("/a", over: RecordedTransport.current)
      #expect(answer == "second")
    }
    #expect(anew == [])
  }

  @Test func `a missing recording is an issue with the command that records it`() async throws {
    let issues = try await run("b", .never) { Issue.record("the test ran") }
    let command =
      "CONTRACT_RECORD=once swift test --filter 'TransportTestingTests.RecordedTraitFailureTests/"
    #expect(issues.count == 1)
    #expect(
      issues.first?.hasPrefix("there is no recording \(folder.path)/b.har; record it: ") == true)
    #expect(issues.first?.contains(command) == true)
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data("{".utf8).write(to: URL(filePath: "\(folder.path)/c.har"))
    let unreadable = try await run("c", .once, Self.ask)
    #expect(unreadable.first?.contains("can't be read: the archive is not valid HAR") == true)
    #expect(unreadable.first?.contains("CONTRACT_RECORD=all swift test") == true)
  }

  @Test func `a request that was not recorded fails with the command`() async throws {
    #expect(try await run("d", .once, Self.ask) == [])
    let issues = try await run("d", .never) {
      let error = await #expect(throws: TransportError.self) {
        _ = try await text("/b", over: RecordedTransport.current)
      }
      #expect(error?.detail.contains("path recorded /a, requested /b") == true)
      #expect(error?.detail.contains("again: CONTRACT_RECORD=all swift test --filter '") == true)
    }
    #expect(issues == [])
  }

  @Test func `a test that sends nothing is an issue`() async throws {
    #expect(try await run("e", .all, {}).first?.contains("there is nothing to record") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/e.har"))
    #expect(try await run("e", .all, Self.ask) == [])
    #expect(
      try await run("e", .never, {}).first?.contains("did not use the recording")
        == true)
  }

  @Test func `a test that throws leaves no half of a recording`() async throws {
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      _ = try await run("f", .all) {
        try await Self.ask()
        throw Stop()
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/f.har"))
  }

  @Test func `an exchange that is still in progress is not written`() async throws {
    let open = Mutex<HTTPExchange?>(nil)
    let issues = try await run("g", .all) {
      let exchange = try await RecordedTransport.current.send(HTTPRequest(url: "http://h/"))
      open.withLock { $0 = exchange }
    }
    #expect(issues.first?.contains("is not written: 1 exchanges have not ended") == true)
  }

  @Test func `a name that leaves the folder is refused`() async throws {
    for name in ["../a", "/a", "a//b", "", "a b", "é"] {
      #expect(
        try await run(name, .all, Self.ask).first?.contains("is not a name of a recording") == true)
    }
    #expect(try await run("ok/a-1.b_C", .all, Self.ask) == [])
  }

  @Test func `two tests cannot share a recording, and one that none uses is named`() throws {
    let files = RecordingFiles()
    for name in ["x", "y", "deep/z"] {
      let file = URL(filePath: "\(folder.path)/\(name).har")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
    }
    try files.claim("\(folder.path)/x.har", in: folder.path, for: "one")
    try files.claim("\(folder.path)/x.har", in: folder.path, for: "one")
    #expect(throws: RecordedTestError.inUse(path: "\(folder.path)/x.har", test: "one")) {
      try files.claim("\(folder.path)/x.har", in: folder.path, for: "two")
    }
    #expect(files.orphans == ["\(folder.path)/deep/z.har", "\(folder.path)/y.har"])
  }

  @Test func `orphans are printed when the process ends`() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let folder = NSTemporaryDirectory() + "/orphans-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: folder + "/old.har"))
      try RecordingFiles.shared.claim(folder + "/new.har", in: folder, for: "test")
      exit(0)
    }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(errors.contains("no test used this recording; delete what is obsolete:"))
    #expect(errors.contains("/old.har\n"))
    #expect(!errors.contains("new.har"))
  }

  @Test func `an audit of a folder fails for each secret in it, and for none that is there`()
    async throws
  {
    func issues(_ path: String) async throws -> [String] {
      let issues = Mutex<[String]>([])
      let collecting = IssueHandlingTrait.compactMapIssues { issue in
        issues.withLock { $0.append(issue.error.map { "\($0)" } ?? "\(issue)") }
        return nil
      }
      let test = try #require(Test.current)
      let trait = AuditTrait(path: path, redaction: Redaction())
      try await collecting.provideScope(for: test, testCase: Test.Case.current) {
        try await trait.provideScope(for: test, testCase: nil) {}
      }
      return issues.withLock(\.self)
    }
    #expect(try await issues("Recordings") == [])
    #expect(try await issues("Recordings/sign-in.har") == [])
    #expect(try await issues("NoSuchFolder").first?.hasPrefix("there is no recording in") == true)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/deep", withIntermediateDirectories: true)
    let request = #"{"method":"GET","url":"http://h/?api_key=hunter2","headers":[]}"#
    let response = #"{"status":200,"headers":[],"content":{"size":0}}"#
    try Data("{\"log\":{\"entries\":[{\"request\":\(request),\"response\":\(response)}]}}".utf8)
      .write(to: URL(filePath: folder.path + "/deep/a.har"))
    let found = try await issues(folder.path)
    #expect(
      found == [
        "\(folder.path)/deep/a.har: log.entries[0], request.url, item 'api_key': the name 'api_key'"
      ])
  }

  @Test func `names of files are stable and differ`() {
    let names = ["a", "a()", "a b", "a-b", "a/b", "..", "", String(repeating: "x", count: 90)]
      .map { RecordingFile.fileName($0) }
    #expect(names[0] == "a" && names[1] == "a" && names[3] == "a-b")
    #expect(Set(names.dropFirst()).count == 7)
    #expect(names[2].hasPrefix("a-b-"))
    #expect(names.allSatisfy { $0.utf8.count <= 64 && $0.first != "." })
    #expect(RecordingFile.fileName("a b") == "a-b-3i1v32t9k3loy")
  }
}
