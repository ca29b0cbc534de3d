import FeedbackPort
import Foundation
import StubLedger
import Testing

/// The fake notes the forms and errors that a test gave it, and a live service's answers back them.
@Suite struct StubLedgerTests {
  private struct Line: Decodable, Equatable {
    var kind: String
    var request: String
    var answer: String
    var line: Int?
  }

  private func lines(_ body: () async throws -> Void) async throws -> [Line] {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("stubs-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    try await StubLedger.$override.withValue(try StubLedger(path: file.path)) { try await body() }
    return try Data(contentsOf: file).split(separator: 0x0a).map {
      try JSONDecoder().decode(Line.self, from: $0)
    }
  }

  private struct Refused: Error {}

  private let form = FeedbackForm(id: "7", title: "How was it?")

  @Test func `a form has the place where the fake was made, and an answer its own`() async throws {
    let start = #line
    let lines = try await lines {
      let service = FakeFeedbackService(form)
      _ = try await service.loadForm("7")
      _ = try? await service.loadForm("8")
      service.onLoad { load in
        load.answer(.failure(Refused()))
      }
      _ = try? await service.loadForm("9")
    }
    #expect(
      lines == [
        Line(
          kind: "stub", request: "loadForm '7'", answer: "form 'How was it?' with []",
          line: start + 2),
        Line(kind: "stub", request: "loadForm '9'", answer: "error Refused", line: start + 6),
      ], "an unknown form is the fake's own answer")
  }

  @Test func `a live service's answers are the same text`() async throws {
    let lines = try await lines {
      let service = FakeFeedbackService()
      service.onLoad { [form] load in
        load.answer(load.id == "7" ? .success(form) : .failure(Refused()))
      }
      for id in ["7", "9"] { _ = try? await NotedFeedbackService(service).loadForm(id) }
    }
    let live = lines.filter { $0.kind == "live" }
    #expect(live.map(\.answer) == ["form 'How was it?' with []", "error Refused"])
    #expect(live.map(\.line) == [nil, nil])
    #expect(live.map(\.answer) == lines.filter { $0.kind == "stub" }.map(\.answer))
  }
}
