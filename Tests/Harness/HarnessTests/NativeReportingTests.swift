import Foundation
import Testing

/// What Swift Testing itself reports for each outcome, in its event stream and in xUnit.
@Suite struct NativeReportingTests {
  /// An event of the stream's version 6.3, which names no test case.
  private struct Event: Decodable {
    struct Issue: Decodable {
      var isKnown: Bool
      var severity: String
    }

    struct Message: Decodable {
      var text: String
    }

    var kind: String
    var issue: Issue?
    var messages: [Message]
  }

  private struct Record: Decodable {
    var kind: String
    var payload: Event
  }

  private struct Kind: Decodable {
    var kind: String
  }

  @Test func `each outcome has its native form`() async throws {
    let scope = FileManager.default.temporaryDirectory
      .appendingPathComponent("native-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: scope, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scope) }
    let stream = scope.appendingPathComponent("events.jsonl")
    let xUnit = scope.appendingPathComponent("xunit.xml")
    let run = try await SpecimenRun(
      "everyOutcome",
      arguments: [
        "--event-stream-output-path", stream.path, "--event-stream-version", "6.3",
        "--xunit-output", xUnit.path,
      ])
    // Of twelve cases four don't apply, two are unavailable, three deviate and one crashes.
    #expect(run.matrix.results.count == 12)
    let events = try String(contentsOf: stream, encoding: .utf8).split(separator: "\n")
      .map { Data($0.utf8) }
      .filter { try JSONDecoder().decode(Kind.self, from: $0).kind == "event" }
      .map { try JSONDecoder().decode(Record.self, from: $0).payload }
    #expect(events.count { $0.kind == "testCaseStarted" } == 12)
    #expect(events.count { $0.kind == "testCaseCancelled" } == 6)
    #expect(events.count { $0.kind == "valueAttached" } == 1, "the crashed process's output")

    let issues = events.filter { $0.kind == "issueRecorded" }
    let known = issues.filter { $0.issue?.isKnown == true }
    #expect(known.count == 3)
    #expect(
      known.contains { event in
        event.messages.contains { $0.text.hasPrefix("counter/adds@stuck deviates as declared: ") }
          && event.messages.contains { $0.text == "it is stuck" }
      })
    #expect(issues.count { $0.issue?.severity == "warning" } == 2)
    let failures = issues.filter { $0.issue?.isKnown == false && $0.issue?.severity == "error" }
    #expect(failures.count == 1)

    let report = try String(contentsOf: xUnit, encoding: .utf8)
    #expect(report.components(separatedBy: "<failure").count == 2)
    #expect(report.contains("counter/adds@trapping ended its process"))
  }

  @Test func `cases in a loop all run, because cancelling one would end the test`() async throws {
    let run = try await SpecimenRun("loop")
    #expect(run.matrix.results.count == 6)
  }
}
