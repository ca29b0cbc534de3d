import Foundation
import Testing
import TransportPort
import TransportRecording

@Suite struct HTTPArchiveTests {
  /// Each text is wrong in one way; the second part is in the message.
  @Test(arguments: [
    ("", "the end of the text"), ("{", "the end of the text"), ("[]", "instead of an object"),
    ("{}", "log.entries is missing"), (#"{"log":{"entries":{}}}"#, "instead of an array"),
    (#"{"log":{"entries":[]}} x"#, "after the end"),
    (#"{"log":{"entries":[],"entries":[]}}"#, "comes twice"),
    (#"{"log":{"x":NaN,"entries":[]}}"#, "'N' instead of a number"),
    (#"{"log":{"x":01,"entries":[]}}"#, "leading zero"),
    (#"{"log":{"x":"\ud8","entries":[]}}"#, "four hexadecimal"),
    (#"{"log":{"x":"\q","entries":[]}}"#, "unknown escape"),
    (#"{"log":{"entries":[{}]}}"#, "no request"),
    (#"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"}}]}}"#, "no response"),
    (#"{"log":{"entries":[{"request":{"method":7}}]}}"#, "a number instead of a string"),
    (#"{"log":{"entries":[{"request":{"method":"G T","url":""}}]}}"#, "token"),
    (#"{"log":{"entries":[{"response":{"status":1e999}}]}}"#, "whole number"),
    (#"{"log":{"entries":[{"response":{"status":9999}}]}}"#, "no status"),
    (#"{"log":{"version":"9.9","entries":[]}}"#, "the version \"9.9\" instead of 1.2"),
    (#"{"log":{"entries":[{"startedDateTime":"2020-99-99T00:00:00Z"}]}}"#, "is no date"),
    (#"{"log":{"entries":[{"startedDateTime":"2023-02-29T00:00:00Z"}]}}"#, "is no date"),
    (#"{"log":{"entries":[{"startedDateTime":"2020-01-01T25:00:00Z"}]}}"#, "is no date"),
    (#"{"log":{"entries":[{"time":1e308}]}}"#, "no time in milliseconds"),
    (#"{"log":{"entries":[{"timings":{"wait":-1e13}}]}}"#, "no time in milliseconds"),
    (
      #"{"log":{"entries":[{"request":{"method":"GET","url":"FILE:///etc/passwd"}}]}}"#,
      "a request for a file"
    ),
    (
      #"{"log":{"entries":[{"response":{"status":200,"content":{"text":"%","encoding":"rot13"}}}]}}"#,
      "unknown encoding"
    ),
    (
      #"{"log":{"entries":[{"response":{"status":200,"headers":[{"name":"a","value":"b\rc"}]}}]}}"#,
      "log.entries[0].response.headers[0]"
    ),
  ])
  func `a wrong archive is an error that says what and where`(
    _ text: String, _ reason: String
  ) throws {
    let error = #expect(throws: HTTPArchiveError.self) { _ = try HTTPArchive(Array(text.utf8)) }
    guard case .malformed(let message) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(message.contains(reason))
  }

  @Test func `every prefix of an archive is an error, and no changed byte traps`() throws {
    let whole = Array("{\"log\":{\"entries\":[\(HTTPArchive.entry(post: "é\\u00e9"))]}}".utf8)
    #expect(try HTTPArchive(whole).count == 1)
    for end in 0..<whole.count {
      #expect(throws: HTTPArchiveError.self) { _ = try HTTPArchive(Array(whole[..<end])) }
    }
    for index in whole.indices {
      for byte: UInt8 in [0, 0x22, 0x5C, 0x7B, 0x7D, 0x2C, 0x39, 0x80, 0xFF] {
        var changed = whole
        changed[index] = byte
        do { _ = try HTTPArchive(changed) } catch { #expect(!"\(error)".isEmpty) }
      }
    }
  }

  @Test func `nesting, text that is not UTF-8, and too much of anything are errors`() throws {
    for opening in ["[", "{\"a\":"] {
      let deep = "{\"log\":{\"x\":" + String(repeating: opening, count: 1_000_000)
      #expect(throws: HTTPArchiveError.self) { _ = try HTTPArchive(Array(deep.utf8)) }
    }
    #expect(throws: HTTPArchiveError.self) {
      _ = try HTTPArchive(Array("{\"log\":{\"x\":\"".utf8) + [0xC3, 0x28] + Array("\"}}".utf8))
    }
    let field = "{\"name\":\"a\",\"value\":\"\"},"
    for fields in [
      String(repeating: field, count: 10_001),
      "{\"name\":\"a\",\"value\":\""
        + String(repeating: "\\n", count: 1_000_000) + "\"}",
    ] {
      let error = #expect(throws: HTTPArchiveError.self) {
        _ = try HTTPArchive(
          Array("{\"log\":{\"entries\":[{\"response\":{\"headers\":[\(fields)]}}]}}".utf8))
      }
      #expect("\(String(describing: error))".contains("more than 10000 fields"))
    }
    let members = (0...100_001).map { "\"\($0)\":0" }.joined(separator: ",")
    #expect(throws: HTTPArchiveError.self) {
      _ = try HTTPArchive(Array("{\(members),\"log\":{\"entries\":[]}}".utf8))
    }
    let two = Array("{\"log\":{\"entries\":[\(HTTPArchive.entry()),\(HTTPArchive.entry())]}}".utf8)
    #expect(throws: HTTPArchiveError.tooManyEntries(limit: 1)) {
      _ = try HTTPArchive(two, limits: .init(entries: 1))
    }
    #expect(throws: HTTPArchiveError.tooLarge(bytes: two.count, limit: two.count - 1)) {
      _ = try HTTPArchive(two, limits: .init(bytes: two.count - 1))
    }
  }

  @Test func `an archive with an entry too many is refused before any is read`() throws {
    // Reading these entries would fail, so the count comes first.
    let entries = Array(repeating: "{},", count: 100_000).joined() + "{\"a\":\"[,]\\\"\"}"
    #expect(throws: HTTPArchiveError.tooManyEntries(limit: 100_000)) {
      _ = try HTTPArchive(Array("{\"log\":{\"entries\":[\(entries)]}}".utf8))
    }
  }

  @Test func `a file of 1 GB is refused by its size, and no file is an error`() throws {
    let folder = try Folder()
    let path = folder.file("big.har")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    // A sparse file: it takes no space.
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: 1 << 30)
    #expect(throws: HTTPArchiveError.tooLarge(bytes: 1 << 30, limit: 64 << 20)) {
      _ = try HTTPArchive(contentsOf: path)
    }
    for path in [folder.file("none.har"), folder.path, "/dev/zero"] {
      let error = #expect(throws: HTTPArchiveError.self) { _ = try HTTPArchive(contentsOf: path) }
      guard case .unreadable(path, _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func `10,000 entries load, and each is found`() async throws {
    let entries = (0..<10_000).map {
      HTTPArchive.entry("GET", "http://h/items/\($0)?a=1", answer: "\($0)")
    }
    let bytes = Array("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}".utf8)
    let transport = ReplayTransport(try HTTPArchive(bytes))
    for number in stride(from: 0, to: 10_000, by: 100) {
      let seen = await Seen(transport, HTTPRequest(url: "http://h/items/\(number)?a=1"))
      #expect(seen.text == "\(number)")
    }
  }
}
