import ContractEvidence
import ContractReports
import EvidenceSamples
import Foundation
import Testing

/// Journals that are truncated, concatenated in the middle of a line, corrupt or malicious.
@Suite struct HostileJournalTests {
  private static let good = JournalRecord(run: "r", time: 1, event: .runFinished).line

  private func journal(_ lines: [UInt8]...) throws -> Journal {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("journal-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    // `joined` takes several seconds for 30 MB in a debug build.
    var text = Data()
    for (index, line) in lines.enumerated() {
      if index > 0 { text.append(0x0a) }
      text.append(contentsOf: line)
    }
    try text.write(to: file)
    return try Journal(contentsOf: file.path)
  }

  @Test(
    arguments: [
      Array("\u{0}\u{0}\u{0}\u{0}".utf8), [0xff, 0xfe, 0x80, 0x22],
      Array(repeating: 0xf0, count: 9),
      Array(String(repeating: "[", count: 100_000).utf8),
      Array(String(repeating: "{\"a\":", count: 100_000).utf8),
      Array(String(repeating: "{\"version\":", count: 10_000).utf8),
      Array("{\"version\":1,\"run\":\"\\ud800\",\"time\":1,\"event\":\"run-finished\"}".utf8),
      Array("[]".utf8), Array("null".utf8), Array("1".utf8), Array("\"version\"".utf8),
    ])
  func `a corrupt line is damage, and the lines around it are read`(line: [UInt8]) throws {
    let good = Array(Self.good.utf8)
    let journal = try journal(good, line, good)
    #expect(journal.damage.map(\.line) == [2])
    #expect(journal.records.count == 2)
  }

  @Test func `a corrupt line of 30 MB is damage`() throws {
    let journal = try journal(
      Array(Self.good.utf8), [UInt8](repeating: 0x7b, count: 30_000_000), Array(Self.good.utf8))
    #expect(journal.damage.map(\.line) == [2])
    #expect(journal.records.count == 2)
  }

  @Test(
    arguments: [
      ("\"time\":-1", "'time' can't be -1"), ("\"time\":1e300", "'time' can't be 1e+300"),
      ("\"time\":1e999", ""), ("\"time\":NaN", ""), ("\"version\":0", "there is no format 0"),
      ("\"version\":-1", "there is no format -1"), ("\"version\":3", "it has format 3"),
      ("\"version\":1e40", ""), ("\"seconds\":-0.5", "'seconds' can't be -0.5"),
      ("\"seconds\":1e19", "'seconds' can't be 1e+19"),
      ("\"outcome\":\"timed-out\",\"limit\":1e19", "'limit' can't be"),
      ("\"outcome\":\"crashed\",\"signal\":99999999999", "not a journal record: "),
    ])
  func `numbers out of range are damage`(field: String, reason: String) {
    var fields = [
      "version": "\"version\":1", "time": "\"time\":1", "seconds": "\"seconds\":0",
      "outcome": "\"outcome\":\"passed\"",
    ]
    let name = field.split(separator: "\"")[0]
    fields[String(name)] = field
    let line =
      "{\(fields.values.joined(separator: ",")),\"run\":\"r\",\"event\":\"case-finished\","
      + "\"case\":\"a/b@c\"}"
    let error = #expect(throws: JournalLineError.self) { try JournalRecord(line: line) }
    #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func `an unknown kind of implementation is named`() {
    let line =
      #"{"version":1,"run":"r","time":1,"event":"implementation","implementation":{"contract":"#
      + #""c","id":"i","kind":"alive","lacks":{},"deviations":[]}}"#
    let error = #expect(throws: JournalLineError.self) { try JournalRecord(line: line) }
    #expect(error?.reason == "not a journal record: 'implementation.kind' has an unknown value")
  }

  @Test func `a record after a truncated one is read, and the truncated one is damage`() {
    let truncated = Self.good.dropLast(9)
    let journal = Journal(text: "\(truncated)\(Self.good)\n\(Self.good)\n")
    #expect(journal.damage.map(\.line) == [1])
    #expect(journal.records.count == 2)
  }

  @Test func `two complete records on one line are both read`() {
    let journal = Journal(text: Self.good + Self.good)
    #expect(journal.damage.isEmpty)
    #expect(journal.records.count == 2)
  }

  @Test func `a journal truncated at any byte keeps its complete lines and merges with another`() {
    let text = EvidenceSample(
      outcomes: ["second@fake": .failed, "third@real": .deviates(reason: "é \"quoted\" 🍪")]
    ).text
    let whole = Array(text.utf8)
    let all = Journal(text: text).records
    var lines = 0
    for length in 0...whole.count {
      if length > 0, whole[length - 1] == 0x0a { lines += 1 }
      let cut = String(decoding: whole[..<length], as: UTF8.self)
      let isWhole =
        length == 0 || whole[length - 1] == 0x0a || length == whole.count || whole[length] == 0x0a
      let journal = Journal(text: cut)
      let kept = isWhole && length > 0 && whole[length - 1] != 0x0a ? lines + 1 : lines
      #expect(journal.records == Array(all[..<kept]))
      #expect(journal.damage.map(\.line) == (isWhole ? [] : [lines + 1]))
      guard length.isMultiple(of: 41) else { continue }
      let merged = Journal(text: cut + text)
      #expect(merged.records == Array(all[..<kept]) + all)
      #expect(merged.damage.count == (isWhole ? 0 : 1))
      // Duplicate records make no difference.
      let matrix = Matrix(merged.records)
      #expect(matrix == Matrix(all))
    }
  }

  @Test func `a case without an end has crashed, wherever the journal ends`() {
    let records = EvidenceSample().records
    for count in 0...records.count {
      let matrix = Matrix(Array(records[..<count]))
      if case .caseStarted(let id) = records[..<count].last?.event {
        let crashed = matrix.results.filter { $0.outcome == .crashed(signal: 0) }
        #expect(crashed.map(\.id) == [id])
      } else {
        #expect(matrix.results.allSatisfy { $0.outcome == .passed })
      }
    }
  }
}
