import ExplorationEngine
import Foundation
import Testing
import TraceExploration

@Suite struct TraceFileTests {
  private typealias File = TraceFile<DictionarySpecification>

  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "traces-\(UUID().uuidString)")

  private let origin = TraceOrigin(
    implementation: "live", version: "1.0", machine: "a machine",
    recorded: "2030-03-17T17:46:40Z", test: "Tests/records", seed: 7)

  private var traces: [Trace<DictionarySpecification>] {
    [
      Trace(
        [.init(.put(1, 2), .done), .init(.get(1), .value(2))], covering: ["get → value(many)"]),
      Trace([.init(.delete(1), .deleted(false))], covering: ["delete → deleted(false)"]),
    ]
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Writes the traces and returns the file's lines.
  private func lines() throws -> [String] {
    let file = folder.appending(path: "whole.jsonl")
    try File(traces, from: origin).write(to: file, of: DictionarySpecification())
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.hasSuffix("\n"))
    return text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func read(_ text: String, name: String = "read.jsonl") throws -> File {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return try File(reading: file, of: DictionarySpecification())
  }

  /// The error with which a text is refused.
  private func error(of text: String) throws -> TraceFileError {
    try #require(throws: TraceFileError.self) { _ = try read(text) }
  }

  @Test func `a file has one line for each step and reads back as it was written`() throws {
    defer { remove() }
    let lines = try lines()
    #expect(
      lines == [
        #"{"format":1,"implementation":"live","machine":"a machine","#
          + #""recorded":"2030-03-17T17:46:40Z","seed":7,"#
          + #""specification":"DictionarySpecification","test":"Tests/records","traces":2,"#
          + #""version":"1.0"}"#,
        #"{"covers":["get → value(many)"],"digest":"\#(digest(in: lines[1]))"}"#,
        #"{"command":{"put":{"_0":1,"_1":2}},"response":{"done":{}}}"#,
        #"{"command":{"get":{"_0":1}},"response":{"value":{"_0":2}}}"#,
        #"{"covers":["delete → deleted(false)"],"digest":"\#(digest(in: lines[4]))"}"#,
        #"{"command":{"delete":{"_0":1}},"response":{"deleted":{"_0":false}}}"#,
      ])
    let file = try read(lines.joined(separator: "\n"))
    #expect(file.origin == origin)
    #expect(file.traces.map(\.commands) == traces.map(\.commands))
    #expect(file.traces.map { $0.steps.map(\.response) } == traces.map { $0.steps.map(\.response) })
    #expect(file.traces.map(\.line) == [3, 6])
    #expect(file.traces.map(\.covers) == traces.map(\.covers))
  }

  private func digest(in line: String) -> String {
    String(line.dropLast(2).suffix(16))
  }

  @Test func `version control may change the ends of lines and people may add empty ones`() throws {
    defer { remove() }
    let text = try lines().joined(separator: "\r\n\r\n") + "\r\n\r\n"
    #expect(try read(text).traces.count == 2)
  }

  @Test func `a damaged file is refused with its line and what to do`() throws {
    defer { remove() }
    let lines = try lines()
    func replacing(_ number: Int, by line: String?) -> String {
      var copy = lines
      copy.remove(at: number - 1)
      if let line { copy.insert(line, at: number - 1) }
      return copy.joined(separator: "\n") + "\n"
    }
    let header = lines[0]
    let cases: [(text: String, problem: String, line: Int?)] = [
      ("", "does not begin with the line that describes a recording", 1),
      ("\n", "is not what a recording writes", 1),
      (replacing(1, by: "[]"), "is not what a recording writes", 1),
      (replacing(1, by: nil), "does not begin with the line that describes a recording", 1),
      (
        replacing(1, by: header.replacing("\"format\":1", with: "\"format\":2")),
        "has format 2; this version reads format 1; update the package", 1
      ),
      (
        replacing(1, by: header.replacing("\"DictionarySpecification\"", with: "\"Other\"")),
        "the traces are those of Other, not of DictionarySpecification", 1
      ),
      (replacing(1, by: header.replacing("\"seed\":7,", with: "")), "seed", 1),
      (
        replacing(1, by: header.replacing("\"traces\":2", with: "\"traces\":3")),
        "the recording had 3 traces, the file has 2", 1
      ),
      (lines.prefix(4).joined(separator: "\n"), "had 2 traces, the file has 1", 1),
      (lines.prefix(3).joined(separator: "\n"), "are not those that were recorded", 2),
      (replacing(4, by: nil), "are not those that were recorded", 2),
      (replacing(4, by: lines[3].replacing("2", with: "3")), "are not those that were rec", 2),
      (replacing(2, by: nil), "a trace must begin on this line", 2),
      (replacing(2, by: lines[1].replacing("\"covers\"", with: "\"x\"")), "covers", 2),
      (replacing(3, by: "{\"x\":1}"), "this line is no step of a trace", 3),
      (replacing(3, by: lines[2].replacing("put", with: "push")), "no such command", 3),
      (replacing(3, by: lines[2].replacing("done", with: "over")), "no such response", 3),
      (replacing(3, by: "<<<<<<< HEAD"), "a merge that was not resolved; take one side", 3),
      (replacing(3, by: "======="), "a merge that was not resolved", 3),
      (String(lines.joined(separator: "\n").dropLast(9)), "the file ends within this line", 6),
      (String(header.prefix(30)), "the file ends within this line", 1),
      (replacing(3, by: "null"), "is not what a recording writes", 3),
      (
        replacing(3, by: String(repeating: "[", count: 100_000)),
        "is not what a recording writes", 3
      ),
      (
        replacing(3, by: "{\"command\":" + String(repeating: "{\"a\":", count: 100_000)),
        "is not what a recording writes", 3
      ),
    ]
    for (text, problem, line) in cases {
      let error = try error(of: text)
      #expect(error.description.contains(problem), "\(error)")
      #expect(error.line == line, "\(error)")
      #expect(error.description.contains("read.jsonl\(line.map { ":\($0)" } ?? ""): "))
      #expect(error.description.contains("CONTRACT_RECORD="), "\(error)")
    }
  }

  @Test func `bytes that are no text are refused with their line`() throws {
    defer { remove() }
    let file = folder.appending(path: "bytes.jsonl")
    let data = try Data((lines()[0] + "\n").utf8) + [0xff, 0xfe, 0x0a]
    try data.write(to: file)
    #expect(throws: TraceFileError(file, .notText, line: 2)) {
      try File(reading: file, of: DictionarySpecification())
    }
  }

  @Test func `a missing file, a folder, a pipe and a file without end are refused`() throws {
    defer { remove() }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "none.jsonl")
    #expect(throws: TraceFileError(file, .missing)) {
      try File(reading: file, of: DictionarySpecification())
    }
    #expect(throws: TraceFileError(folder, .notAFile)) {
      try File(reading: folder, of: DictionarySpecification())
    }
    let pipe = folder.appending(path: "pipe")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    #expect(throws: TraceFileError(pipe, .notAFile)) {
      try File(reading: pipe, of: DictionarySpecification())
    }
    let large = folder.appending(path: "large.jsonl")
    try Data().write(to: large)
    // Sparse, so that it takes no space.
    try #require(truncate(large.path, 1 << 40) == 0)
    #expect(throws: TraceFileError(large, .tooLarge(limit: File.largestSize))) {
      try File(reading: large, of: DictionarySpecification())
    }
  }

  @Test func `a value that does not read back as itself is refused, and the old file stays`() throws
  {
    defer { remove() }
    let file = folder.appending(path: "forgetful.jsonl")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("old".utf8).write(to: file)
    let trace = Trace<ForgetfulSpecification>(
      [.init("a", .init(number: 1, note: "lost"))], covering: [])
    let error = #expect(throws: TraceFileError.self) {
      try TraceFile([trace], from: origin).write(to: file, of: ForgetfulSpecification())
    }
    #expect(error?.description.contains("nothing was written: ") == true)
    #expect(error?.description.contains("\"lost\")) reads back as ") == true)
    #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path) == [file.lastPathComponent])
  }

  @Test func `a file that can't be written is refused`() throws {
    defer { remove() }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let blocked = folder.appending(path: "file")
    try Data().write(to: blocked)
    let error = #expect(throws: TraceFileError.self) {
      try File(traces, from: origin).write(
        to: blocked.appending(path: "traces.jsonl"), of: DictionarySpecification())
    }
    #expect(error?.description.contains("check the permissions") == true)
  }

  @Test func `dates are exact, and readable if they have whole seconds`() throws {
    defer { remove() }
    let file = folder.appending(path: "dates.jsonl")
    let dates = [
      Date(timeIntervalSince1970: 1_900_000_000), Date(timeIntervalSince1970: 0.1),
      Date(timeIntervalSince1970: -5), .distantPast, .distantFuture,
      Date(timeIntervalSinceReferenceDate: 0.1 + 0.2), Date(timeIntervalSince1970: 253_402_300_799),
    ]
    let trace = Trace<DateSpecification>(dates.map { .init("now", $0) }, covering: [])
    try TraceFile([trace], from: origin).write(to: file, of: DateSpecification())
    let read = try TraceFile(reading: file, of: DateSpecification())
    #expect(read.traces.first?.steps.map(\.response) == dates)
    #expect(try String(contentsOf: file, encoding: .utf8).contains("\"2030-03-17T17:46:40Z\"}\n"))
  }
}

/// Its responses lose their note on the way.
private struct ForgetfulSpecification: Specification {
  struct Response: Equatable, Sendable, Codable {
    var number: Int
    var note: String? = nil

    enum CodingKeys: CodingKey { case number }
  }

  var initialState: Int { 0 }
  func command(from choices: inout Choices, in state: Int) -> String { "a" }
  func apply(_ command: String, to state: inout Int) -> Response { Response(number: 1) }
  func perform(_ command: String, on subject: Int) -> Response { Response(number: 1) }
}

private struct DateSpecification: Specification {
  var initialState: Int { 0 }
  func command(from choices: inout Choices, in state: Int) -> String { "now" }
  func apply(_ command: String, to state: inout Int) -> Date { .distantPast }
  func perform(_ command: String, on subject: Int) -> Date { .distantPast }
}
