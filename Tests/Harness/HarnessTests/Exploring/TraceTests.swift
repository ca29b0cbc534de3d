import ContractExploration
import ContractTesting
import Foundation
import SystemLocks
import Testing

/// Traces from a test, on correct, incorrect and changed implementations.
@Suite struct TraceTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "traces-\(UUID().uuidString)")

  private var file: URL { folder.appending(path: "tally.jsonl") }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Records an implementation, and returns the issues.
  private func record(
    _ implementation: Implementation<any Tally> = .liveTally(),
    mode: RecordMode = .all, seed: UInt64 = 0, deviating: [TraceDeviation<TallySpecification>] = []
  ) async throws -> [String] {
    try await issues { [file] in
      try await explore(
        .tally, on: implementation, recordingTo: file, mode: mode, deviating,
        .init(runs: 50, seed: seed, steps: 6), #_sourceLocation)
    }
  }

  private func verify(
    _ implementations: Implementation<any Tally>...,
    deviating: [TraceDeviation<TallySpecification>] = []
  ) async throws -> [String] {
    try await issues { [file] in
      // Swift can't pass an array to a variadic parameter.
      if let implementation = implementations.first {
        try await verifyTraces(.tally, in: file.path, on: implementation, deviating: deviating)
      } else {
        try await verifyTraces(.tally, in: file.path, deviating: deviating)
      }
    }
  }

  private func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

  @Test func `a recording names its origin, and a fake that agrees passes`() async throws {
    defer { remove() }
    #expect(try await record() == [])
    let header = try #require(try text().split(separator: "\n").first)
    #expect(header.contains("\"implementation\":\"live-tally\""))
    #expect(header.contains("\"version\":\"Tally 1.2\""))
    #expect(header.contains("\"test\":\"HarnessTests.TraceTests/"))
    #expect(try text().contains("{\"command\":{\"add\":{\"_0\":"))
    #expect(try await verify(.sound) == [])
    #expect(try await verify() == [])
  }

  @Test func `equal seeds record equal traces, and another seed keeps them`() async throws {
    defer { remove() }
    func traces() throws -> [Substring] {
      try Array(text().split(separator: "\n").dropFirst())
    }
    #expect(try await record() == [])
    let first = try traces()
    try FileManager.default.removeItem(at: file)
    #expect(try await record() == [])
    #expect(try traces() == first)
    #expect(try await record(seed: 4711) == [])
    #expect(Array(try traces().prefix(first.count)) == first)
  }

  @Test func `a fake that disagrees fails with the steps, the origin and the way to mend it`()
    async throws
  {
    defer { remove() }
    #expect(try await record() == [])
    let found = try await verify(.stuck)
    #expect(found.count == 1, "\(found)")
    let issue = try #require(found.first)
    #expect(issue.contains("stuck does not answer as live-tally did"), "\(issue)")
    #expect(issue.contains("recorded from live-tally (Tally 1.2) on 20"))
    #expect(issue.contains("correct stuck, or, if reality has changed: CONTRACT_RECORD=all swift"))
    #expect(issue.contains("left out: "), "\(issue)")
    // The line of the file that it names is that of the last step.
    let line = try #require(issue.firstMatch(of: /tally\.jsonl:(\d+): recorded (\d+), now (\d+)/))
    let step = try text().split(separator: "\n")[try #require(Int(line.1)) - 1]
    #expect(step.hasSuffix("\"response\":\(line.2)}"), "\(step)")
    // Two additions are enough; reads are left out.
    #expect(!issue.contains(". total"), "\(issue)")
    #expect(issue.contains("  2. add"))
    #expect(!issue.contains("  3. "), "\(issue)")
  }

  @Test func `a recorded implementation that answers otherwise has stale traces`() async throws {
    defer { remove() }
    #expect(try await record() == [])
    #expect(try await verify(.liveTally()) == [])
    #expect(try await record(mode: .never) == [])
    let before = try text()
    for found in [
      try await verify(.liveTally(step: 2)), try await record(.liveTally(step: 2), mode: .once),
    ] {
      #expect(found.count == 1, "\(found)")
      let issue = try #require(found.first)
      #expect(issue.contains("traces are stale: live-tally no longer answers as recorded"))
      #expect(issue.contains("to accept the new answers: CONTRACT_RECORD=all swift test"))
    }
    #expect(try text() == before)
    // Recorded again, the same commands have the new answers, with which the model disagrees.
    let found = try await record(.liveTally(step: 2))
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains("the model of TallySpecification() does not answer") == true)
    #expect(commands(try text()) == commands(before))
  }

  private func commands(_ text: String) -> [Substring] {
    text.split(separator: "\n").compactMap { $0.split(separator: ",\"response\"").first }
      .filter { $0.hasPrefix("{\"command\"") }
  }

  @Test func `without CONTRACT_RECORD a missing file is an error and none is written`()
    async throws
  {
    defer { remove() }
    #expect(try RecordMode(environment: [:]) == .never)
    #expect(try RecordMode(environment: ["CONTRACT_RECORD": "once"]) == .once)
    for text in ["yes", "ONCE", " "] {
      #expect(throws: EnvironmentError.self) {
        try RecordMode(environment: ["CONTRACT_RECORD": text])
      }
    }
    await #expect(throws: TraceFileError(file, .missing)) {
      try await explore(
        .tally, on: .liveTally(), recordingTo: file, mode: .never, [], .init(runs: 1),
        #_sourceLocation)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    #expect(try await record(mode: .once) == [])
    #expect(FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `answers that vary, calls that fail and a damaged file leave the old file`()
    async throws
  {
    defer { remove() }
    #expect(try await record() == [])
    let before = try text()
    let varied = try await record(.random)
    #expect(varied.count == 1)
    #expect(varied.first?.contains("to the same commands:") == true, "\(varied)")
    #expect(varied.first?.contains("ids, dates, tokens") == true)
    let failed = try await record(.failing)
    #expect(failed.count == 1)
    #expect(
      failed.first?.contains("failing did not answer: creating the subject threw Offline") == true,
      "\(failed)")
    #expect(failed.first?.contains("nothing was written") == true)
    #expect(try text() == before)
    try Data("<<<<<<< HEAD\n\(before)".utf8).write(to: file)
    await #expect(throws: TraceFileError(file, .mergeConflict, line: 1)) {
      try await explore(
        .tally, on: .liveTally(), recordingTo: file, mode: .all, [], .init(runs: 1),
        #_sourceLocation)
    }
    #expect(try text() == "<<<<<<< HEAD\n\(before)")
  }

  @Test func `a declared deviation is accepted, an undeclared one and one that is gone are not`()
    async throws
  {
    defer { remove() }
    let doubled = TraceDeviation<TallySpecification>(because: "it adds twice") { step in
      if case .add(let number) = step.command {
        step.recorded == step.answer + number
      } else {
        false
      }
    }
    let gone = TraceDeviation<TallySpecification>(because: "it forgets") { $0.recorded == 0 }
    #expect(try await record(.liveTally(step: 2), deviating: [doubled]) == [])
    #expect(try await verify(.sound, deviating: [doubled]) == [])
    #expect(try await verify(.liveTally(step: 2)).count == 1, "only the model differs")
    #expect(try await verify(.sound).count == 2, "the model and the fake")
    let found = try await verify(.sound, deviating: [doubled, gone])
    #expect(found.count == 2, "\(found)")
    #expect(
      found.allSatisfy { $0.contains("deviates any more because \"it forgets\"; remove the") })
  }

  @Test func `commands that no trace has are named as a warning`() async throws {
    defer { remove() }
    let found = try await issues { [file] in
      try await explore(
        .tally, on: .liveTally(), recordingTo: file, mode: .all, [],
        .init(runs: 0), #_sourceLocation)
    }
    #expect(found.count == 1)
    #expect(found.first?.contains("has the command add, total; record") == true, "\(found)")
  }

  @Test func `an implementation that needs its own process is refused`() async throws {
    defer { remove() }
    #expect(try await record() == [])
    await #expect(throws: OwnProcessError(implementation: "sound")) {
      try await verifyTraces(
        .tally, in: file.path, on: Implementation<any Tally>.sound.inOwnProcess())
    }
  }

  @Test func `an implementation that is not available is a warning, and nothing is written`()
    async throws
  {
    defer { remove() }
    let away = Implementation<any Tally>.liveTally().available(when: "never") { false }
    let found = try await record(away)
    #expect(found.count == 1)
    #expect(found.first?.contains("is unavailable") == true)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }
}

extension Implementation<any Tally> {
  /// The implementation that is recorded; it may change between two recordings.
  fileprivate static func liveTally(step: Int = 1) -> Self {
    live("live-tally") { ActorTally { $0 + step * $1 } }.version { _ in "Tally 1.2" }
  }

  fileprivate static let stuck = fake("stuck") { ActorTally { $0 == 0 ? $1 : $0 } }
  fileprivate static let random = live("live-tally") { RandomTally() }
  fileprivate static let failing = live("failing") { throw Offline() }
}

/// Answers otherwise each time.
private actor RandomTally: Tally {
  func add(_ number: Int) -> Int { .random(in: 0...1_000_000_000) }
  func total() -> Int { .random(in: 0...1_000_000_000) }
}

private struct Offline: Error {}
