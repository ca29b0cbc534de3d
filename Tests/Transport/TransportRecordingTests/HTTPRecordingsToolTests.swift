import Foundation
import ScriptedOrigin
import SystemLocks
import SystemProcesses
import Testing
import TransportCurlAdapter
import TransportPort
import TransportRecording

/// The commands `http-recordings verify` and `contracts verify-recording`, on a real server.
@Suite struct HTTPRecordingsToolTests {
  /// What the server answers; it changes between the recording and its verification.
  private final class Answers: Sendable {
    let item = Mutex(#"{"id":7,"price":12,"at":"2026-01-01T00:00:00Z"}"#)
    let allowsKey = Mutex(true)

    func script(_ request: OriginRequest) -> OriginScript {
      switch request.path {
      case "/item":
        .respond(
          headerFields: ["Content-Type": "application/json"], text: item.withLock(\.self))
      case "/key":
        request.headerFields["Authorization"] == "Bearer s3cret" ? .respond() : .respond(401)
      default: .respond(text: "made")
      }
    }
  }

  /// Records a server, changes it, and runs the tool.
  private func run(
    _ tool: String = "http-recordings", changing old: String = "", to new: String = "",
    paths: [String] = ["/item"], environment: [String: String] = [:],
    arguments: (_ archive: String, _ origin: String) -> [String]
  ) async throws -> ToolRun {
    let folder = try Folder()
    let answers = Answers()
    let first = try ScriptedOrigin(OriginPlan(onRequest: answers.script))
    let curl = try CurlTransport()
    let recording = try RecordingTransport(wrapping: curl, to: folder.file("a.har"))
    for path in paths {
      let method: HTTPRequest.Method = path == "/made" ? .post : .get
      _ = await Seen(
        recording,
        HTTPRequest(
          method: method, url: first.url + path,
          headerFields: path == "/key" ? ["Authorization": "Bearer s3cret"] : [:]))
    }
    try recording.save()
    first.close()
    await curl.shutDown()
    answers.item.withLock { $0 = $0.replacing(old, with: new) }
    let second = try ScriptedOrigin(OriginPlan(onRequest: answers.script))
    defer { second.close() }
    return try await ToolRun(
      tool, arguments(folder.file("a.har"), second.url), environment: environment)
  }

  @Test(arguments: ["http-recordings", "contracts"])
  func `a recording that agrees exits with 0, a stale one with 1 and says what changed`(
    _ tool: String
  ) async throws {
    let verb = tool == "contracts" ? "verify-recording" : "verify"
    let same = try await run(tool) { [verb, $0, "--against", $1] }
    #expect(same.status == 0)
    #expect(same.output == "agrees: of 1 recorded exchanges 1 agree, 0 changed, 0 not verified\n")
    let changed = try await run(tool, changing: "12", to: "\"12\"") {
      [verb, $0, "--against", $1]
    }
    #expect(changed.status == 1)
    let lines = changed.output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first?.hasSuffix("/item: stale") == true)
    #expect(lines.dropFirst().first == "  $.price: recorded a number 12, live a string \"12\"")
  }

  @Test func `an audit exits with 1 for a secret, and never prints it`() async throws {
    let folder = try Folder()
    let file = folder.file("a.har")
    let secret = "ghp_" + String(repeating: "a1B2", count: 9)
    for (url, answer, status) in [
      ("http://h/", "fine", 0), ("http://h/?k=\(secret)", "fine", 1), ("http://h/", secret, 1),
    ] {
      let entry = HTTPArchive.entry("GET", url, answer: answer)
      try Data("{\"log\":{\"entries\":[\(entry)]}}".utf8).write(to: URL(filePath: file))
      let run = try await ToolRun("http-recordings", ["audit", file])
      #expect(Int(run.status) == status)
      #expect(!run.output.contains("ghp_a1"))
      if status == 1 { #expect(run.output.contains("\(file): log.entries[0], re")) }
    }
    #expect(try await ToolRun("http-recordings", ["audit", file + "x"]).status == 66)
    #expect(try await ToolRun("http-recordings", ["audit"]).status == 64)
  }

  @Test func `matchers come from options and from a file`() async throws {
    let folder = try Folder()
    let file = folder.file("may-vary")
    try Data("# dates\n\njson $.at date  # when\njson $.price ignored\n".utf8)
      .write(to: URL(filePath: file))
    let matching = try await run(changing: "2026-01-01T00:00:00Z", to: "2027-02-03T04:05:06Z") {
      ["verify", $0, "--against", $1, "--matchers", file]
    }
    #expect(matching.status == 0)
    let stricter = try await run(changing: "12", to: "13") {
      ["verify", $0, "--against", $1, "--matchers", file, "--match", "json $.price number 14...20"]
    }
    #expect(stricter.output.contains("$.price: recorded 12, live 13, not a number in 14.0...20.0"))
    try Data("json $.at sometimes\n".utf8).write(to: URL(filePath: file))
    let wrong = try await run { ["verify", $0, "--against", $1, "--matchers", file] }
    #expect(wrong.status == 65)
    #expect(wrong.errors.contains("\"json $.at sometimes\" is not a matcher"))
  }

  @Test func `a verification that asks nothing exits with 2 and says why`() async throws {
    let arguments: (String, String) -> [String] = { ["verify", $0, "--against", $1] }
    let without = try await run(paths: ["/key", "/made"], arguments: arguments)
    #expect(without.status == 2)
    #expect(without.output.contains("set CONTRACT_SECRET_AUTHORIZATION"))
    #expect(without.output.contains("POST is sent only if it is named"))
    let key = [RedactedValue.field("Authorization").environmentVariable: "s3cret"]
    let with = try await run(paths: ["/key", "/made"], environment: key) {
      ["verify", $0, "--against", $1, "--method", "POST"]
    }
    #expect(with.status == 0)
    let wrong = try await run(
      paths: ["/key"], environment: key.mapValues { _ in "old-secret" },
      arguments: arguments)
    #expect(wrong.status == 1)
    #expect(wrong.output.contains("status: recorded 200, live 401"))
    #expect(!wrong.output.contains("old-secret"))
  }

  @Test func `a server that is gone is no evidence, and the wrong file or argument no verdict`()
    async throws
  {
    let closed = try ScriptedOrigin(OriginPlan(reachability: .refusing) { _ in [] })
    let gone = try await run { archive, _ in
      ["verify", archive, "--against", closed.url, "--seconds", "5"]
    }
    #expect(gone.status == 2)
    #expect(gone.output.contains("could not be asked: connectionRefused"))
    let folder = try Folder()
    try Data("{}".utf8).write(to: URL(filePath: folder.file("b.har")))
    for (arguments, status, message) in [
      (["verify", folder.file("b.har"), "--against", "http://h"], 65, "log.entries is missing"),
      (
        ["verify", folder.file("none.har"), "--against", "http://h"], 66, "cannot read the archive"
      ),
      (["verify", folder.file("b.har")], 64, "needs --against URL"),
      (["verify"], 64, "needs an archive"), ([], 64, "missing command"),
      (["verify", "a", "--against", "h", "--match", "x"], 64, "\"x\" is not a matcher"),
      (["verify", "a", "--against", "h", "--method", "a b"], 64, "not a method"),
      (["verify", "a", "--against", "h", "--seconds", "0"], 64, "whole number above 0"),
    ] {
      let run = try await ToolRun("http-recordings", arguments)
      #expect(run.status == status)
      #expect(run.errors.contains(message))
      #expect(run.output.isEmpty)
    }
    let origin = try await run { archive, _ in ["verify", archive, "--against", "h"] }
    #expect(origin.status == 64)
    #expect(origin.errors.contains("\"h\" is not an origin"))
  }
}

/// One run of a tool of the package.
private struct ToolRun {
  var status: Int32
  var output: String
  var errors: String

  init(_ tool: String, _ arguments: [String], environment: [String: String] = [:]) async throws {
    let run = try await ProgramRun(
      [Self.products.appending(path: tool).path] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    (status, output, errors) = (run.status, run.output, run.errors)
  }

  /// The folder of the built products.
  private static var products: URL {
    // On Linux the bundle is the folder of products; elsewhere it is inside that folder.
    let bundle = Bundle(for: Anchor.self).bundleURL
    return bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
  }

  private final class Anchor {}
}
