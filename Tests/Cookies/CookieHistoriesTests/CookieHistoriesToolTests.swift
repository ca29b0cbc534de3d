import Foundation
import Testing

@Suite struct CookieHistoriesToolTests {
  /// The exit code and the output of one run of `cookie-histories`.
  private struct Run {
    var status: Int32
    var output: String
    var errors: String

    /// Runs the tool with lines as its standard input.
    init(_ arguments: [String], _ lines: [String] = []) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      // Files and not pipes: a full pipe would block the tool.
      let paths = ["in", "out", "err"].map { folder.appending(path: $0) }
      for path in paths { try Data().write(to: path) }
      try Data(lines.joined(separator: "\n").utf8).write(to: paths[0])
      let process = Process()
      process.executableURL = Self.products.appending(path: "cookie-histories")
      process.arguments = arguments
      process.standardInput = try FileHandle(forReadingFrom: paths[0])
      process.standardOutput = try FileHandle(forWritingTo: paths[1])
      process.standardError = try FileHandle(forWritingTo: paths[2])
      let termination = AsyncStream<Void>.makeStream()
      process.terminationHandler = { _ in termination.continuation.finish() }
      try process.run()
      for await _ in termination.stream {}
      status = process.terminationStatus
      output = try String(contentsOf: paths[1], encoding: .utf8)
      errors = try String(contentsOf: paths[2], encoding: .utf8)
    }

    /// The folder of the built products.
    private static var products: URL {
      // On Linux the bundle is the folder of products; elsewhere it is inside that folder.
      let bundle = Bundle(for: Anchor.self).bundleURL
      return bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
    }

    private final class Anchor {}
  }

  private static let store =
    #"{"process":0,"f":"store","value":["a=1","https://example.com/"],"call":1,"return":2}"#

  private static func read(_ header: String) -> String {
    #"{"process":1,"f":"cookies","value":"https://example.com/","call":3,"return":4,"result":\#(header)}"#
  }

  @Test func `the exit code shows whether a history is linearizable`() async throws {
    #expect(try await Run(["-"], [Self.store, Self.read(#""a=1""#)]).status == 0)
    let lost = try await Run(["-"], [Self.store, Self.read("null")])
    #expect(lost.status == 1)
    #expect(
      lost.output.contains("Line 2 cannot be explained: cookies(for: \"https://example.com/\")"))
    #expect(lost.output.contains("a correct subject returns \"a=1\"."))
  }

  @Test func `names each line that is not part of a cookie history`() async throws {
    let run = try await Run(
      ["-"], [Self.store, Self.read("1"), #"{"process":1,"f":"eat","call":5}"#])
    #expect(run.status == 65)
    #expect(run.errors.contains("line 2: the result of 'cookies' must be the Cookie header"))
    #expect(run.errors.contains("line 3: the model has no function 'eat'"))
    #expect(run.output.isEmpty)
  }

  @Test(
    arguments: [
      ([], "'cookie-histories' needs one file: cookie-histories FILE"),
      (
        ["-", "--initial", "[]"],
        "unknown option '--initial'; the options are --seconds, --megabytes"
      ),
      (["-", "--seconds", "0"], "--seconds '0' is not valid; give a whole number above 0"),
    ] as [([String], String)])
  func `invalid arguments exit with 64 and are explained`(
    arguments: [String], message: String
  ) async throws {
    let run = try await Run(arguments)
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("cookie-histories: \(message)\n"), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test func `help describes the exit codes`() async throws {
    let run = try await Run(["--help"])
    #expect(run.status == 0)
    #expect(run.output.contains("Other exit codes: 64"))
  }
}
