import ContractEvidence
import Foundation
import SystemLocks
import Testing

@testable import ContractMutation

/// Judges the mutants of `Fixture/Sample.swift` by the cases of `Fixture/Main.swift`: everything
/// except SwiftPM's build, in seconds.
@Suite struct MutantJudgeTests {
  @Test func `each mutant is reported as what it is, and none stops the others`() throws {
    let fixture = try JudgedFixture()
    defer { fixture.source.remove() }
    let byID = try fixture.judge()
    let verdicts = fixture.byChange(byID)

    // An endless loop is ended by fuel.
    #expect(verdicts["removal: i += 1 → "]?.status == .looped)
    #expect(verdicts["removal: i += 1 → "]?.killer?.hasPrefix("sample/sum") == true)
    // A trap: an index of an empty array, in a value that is computed once.
    #expect(verdicts["literal: [10, 20, 30] → (false ? [10, 20, 30] : [])"]?.status == .crashed)
    // Endless recursion: the stack overflows.
    #expect(verdicts["arithmetic: n - 1 → n + 1"]?.status == .crashed)
    #expect(verdicts["arithmetic: n - 1 → n + 1"]?.message == "signal \(SIGSEGV)")
    // Memory grows up to the process's limit.
    #expect(verdicts["function: min(size, limit) → max(size, limit)"]?.status == .crashed)
    #expect(verdicts["function: min(size, limit) → max(size, limit)"]?.killer == "sample/grow@fake")
    // A thread waits for ever.
    #expect(verdicts["removal: semaphore.signal() → "]?.status == .timedOut)
    // A case fails after it has been silent for longer than usual.
    #expect(verdicts["removal: arrival.signal() → "]?.status == .killed)
    #expect(verdicts["removal: arrival.signal() → "]?.message == "nothing arrives")
    // A value that is computed once, before the mutant could be switched on.
    #expect(verdicts["number: 20 → 21"]?.status == .killed)
    #expect(verdicts["number: 20 → 21"]?.killer == "sample/entry@fake")
    // Another case has computed the table when this one runs without the mutant.
    #expect(verdicts["number: 30 → 31"]?.status == .killed)
    #expect(verdicts["number: 30 → 31"]?.killer == "sample/last@fake")
    // No case looks at the first entry.
    #expect(verdicts["number: 10 → 11"]?.status == .survived)
    // This one leaves something behind: it survives its own case, which looks at nothing.
    #expect(verdicts["removal: isOpen = false → "]?.status == .survived)
    // The value that the variable begins with, which another case than the first looks at.
    #expect(verdicts["boolean: false → true"]?.killer == "sample/twice@fake")
    // These come after it, and are not blamed for what it left.
    #expect(verdicts["number: 5 → 6"]?.status == .survived)
    #expect(verdicts["number: 5 → 4"]?.status == .survived)
    // Of these, one makes the second case after it fail, once.
    for mutant in fixture.source.module.mutants where mutant.declaration.hasSuffix("light") {
      #expect(byID[mutant.id]?.status == .survived, "\(JudgedFixture.change(mutant))")
    }
    // Made by hand, it changes both sides of the comparison. Here one was computed without it.
    #expect(verdicts["arithmetic: n + 7 → n - 7"]?.status == .survived)
    // The same, but the function is called in later runs too.
    #expect(verdicts["arithmetic: n + 70 → n - 70"]?.status == .survived)
    #expect(verdicts["number: 70 → 71"]?.status == .survived)
    #expect(verdicts["arithmetic: x * 2 → x / 2"]?.status == .killed)
    #expect(verdicts["arithmetic: x * 2 → x / 2"]?.message == "not twice")
    #expect(verdicts["arithmetic: x + 99 → x - 99"]?.status == .unreached)
  }

  @Test func `two runs agree`() throws {
    let fixture = try JudgedFixture()
    defer { fixture.source.remove() }
    let first = try fixture.judge().mapValues(\.status)
    let second = try fixture.judge().mapValues(\.status)
    for mutant in fixture.source.module.mutants {
      #expect(first[mutant.id] == second[mutant.id], "\(JudgedFixture.change(mutant))")
    }
  }

  @Test func `the verdict is that of the same change made by hand`() throws {
    let fixture = try JudgedFixture()
    defer { fixture.source.remove() }
    let verdicts = try fixture.judge()
    let environment = ProcessInfo.processInfo.environment
    let count = environment["CONTRACT_SOAK_MUTANTS"].flatMap { Int($0) } ?? 5
    for mutant in fixture.source.module.mutants.sorted(by: { $0.id < $1.id }).prefix(count) {
      let isNoticed = try fixture.isNoticedByHand(mutant)
      #expect(
        verdicts[mutant.id]?.status.isDetected == isNoticed, "\(JudgedFixture.change(mutant))")
    }
  }

  @Test func `a case is left out if others notice the same, and only then`() throws {
    let fixture = try JudgedFixture()
    defer { fixture.source.remove() }
    let cases = try fixture.sufficientCases()
    #expect(cases.contains("sample/entry@fake"))
    #expect(cases.contains("sample/twice@fake"))
    #expect(cases.count { $0.hasPrefix("sample/sum") } == 1, "\(cases)")
  }

  @Test func `a case that fails without mutants stops the run with the reason`() throws {
    let fixture = try JudgedFixture(replacing: "Sample.twice(2) == 4", by: "Sample.twice(2) == 5")
    defer { fixture.source.remove() }
    let error = #expect(throws: MutationError.self) { try fixture.judge() }
    #expect(error?.description.contains("sample/twice@fake fails: not twice") == true)
  }

  @Test func `a flaky case stops the run with the reason`() throws {
    let fixture = try JudgedFixture(
      replacing: "Sample.twice(2) == 4", by: "(Sample.isOpen = !Sample.isOpen) == ()")
    defer { fixture.source.remove() }
    let error = #expect(throws: MutationError.self) { try fixture.judge() }
    #expect(error?.description.contains("sample/twice@fake is flaky") == true)
  }
}

/// The fixture's program, woven and built with the compiler alone.
struct JudgedFixture {
  let source: TypedSource
  private let program: CaseServerProcess.Program

  static func change(_ mutant: Mutant) -> String {
    "\(mutant.operator.rawValue): \(mutant.original) → \(mutant.replacement)"
  }

  /// Builds the fixture, with a change in its cases.
  init(replacing part: String = "", by text: String = "") throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixture")
    let sample = try String(
      contentsOf: folder.appendingPathComponent("Sample.swift"), encoding: .utf8)
    var main = try String(contentsOf: folder.appendingPathComponent("Main.swift"), encoding: .utf8)
    if !part.isEmpty { main = main.replacing(part, with: text) }
    source = try TypedSource(sample)
    #expect(try source.unviable() == [])
    let copy = source.scratch.path
    try main.write(toFile: "\(copy)/Main.swift", atomically: true, encoding: .utf8)
    let built = try ToolProcess.run(
      [
        "swiftc", "-parse-as-library", "-swift-version", "6", "-o", "program", "Sample.swift",
        "Main.swift", SwitchSource.fileName,
      ], in: copy)
    guard built.status == 0 else { throw MutationError(built.text) }
    program = CaseServerProcess.Program(
      path: "\(copy)/program", folder: copy, filter: "", selection: "*", memoryLimit: 1 << 30)
  }

  /// Judges all mutants, and returns the verdicts by the mutants' ids.
  func judge() throws -> [String: MutantVerdict] { try judgeAndReduce(false).verdicts }

  /// Verdicts by the mutants' changes. Of several with the same change, the first in the source.
  func byChange(_ verdicts: [String: MutantVerdict]) -> [String: MutantVerdict] {
    Dictionary(
      source.module.mutants.map { (Self.change($0), verdicts[$0.id] ?? MutantVerdict(.unviable)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Judges all mutants, and returns a set of cases that notices as much as all.
  func sufficientCases() throws -> [String] { try judgeAndReduce(true).cases }

  private func judgeAndReduce(
    _ reduces: Bool
  ) throws -> (verdicts: [String: MutantVerdict], cases: [String]) {
    let numbers = source.numbers
    let state = try SwitchState(folder: source.folder, name: "unmutated", count: numbers.count)
    let unmutated = try UnmutatedRun(program, state: state, folder: source.folder)
    let found = Mutex<[(item: JudgingQueue.Item, verdict: MutantVerdict)]>([])
    var verdicts = numbers.mapValues { _ in MutantVerdict(.unreached) }
    let items = source.module.mutants.compactMap { mutant -> JudgingQueue.Item? in
      let number = numbers[mutant.id] ?? 0
      let cases = unmutated.reach[number] ?? []
      if cases.isEmpty, !unmutated.reachedOnce.contains(number) { return nil }
      return JudgingQueue.Item(number: number, mutant: mutant, cases: cases)
    }
    let queue = JudgingQueue(items, unmutated, deadline: nil) { mutant, verdict in
      guard let item = items.first(where: { $0.mutant.id == mutant.id }) else { return }
      found.withLock { $0.append((item, verdict)) }
    }
    let judges = try (reduces ? ["one", "two"] : ["one"]).map {
      try MutantJudge(
        program, unmutated, count: numbers.count, folder: source.folder, name: $0)
    }
    try queue.run(judges: judges)
    for (item, verdict) in found.withLock(\.self) { verdicts[item.mutant.id] = verdict }
    guard reduces else { return (verdicts, []) }
    let noticed = found.withLock(\.self).compactMap { item, verdict in
      verdict.killer.map { (item: item, killer: $0) }
    }
    return (verdicts, try CaseReduction(noticed, unmutated).run(judges: judges))
  }

  /// Changes the source as a person would, builds it without switches, and runs each case in a
  /// process of its own.
  ///
  /// - Returns: Whether a case fails.
  func isNoticedByHand(_ mutant: Mutant) throws -> Bool {
    let file = try #require(source.module.files["Sample.swift"]?.source)
    let start = try #require(file.offset(line: mutant.start.line, column: mutant.start.column))
    let end = try #require(file.offset(line: mutant.end.line, column: mutant.end.column))
    let text = file[0..<start] + mutant.replacement + file[end..<file.bytes.count]
    let copy = source.scratch.path
    try text.write(toFile: "\(copy)/ByHand.swift", atomically: true, encoding: .utf8)
    let built = try ToolProcess.run(
      [
        "swiftc", "-parse-as-library", "-swift-version", "6", "-o", "by-hand", "ByHand.swift",
        "Main.swift",
      ], in: copy)
    guard built.status == 0 else { throw MutationError(built.text) }
    var byHand = program
    byHand.path = "\(copy)/by-hand"
    let state = try SwitchState(folder: source.folder, name: "by-hand", count: 1)
    let clauses = [
      "entry", "last", "sum", "sums", "depth", "grow", "receive", "arrives", "visit", "light",
      "twice", "key", "name",
    ]
    for id in clauses.map({ "sample/\($0)@fake" }) {
      let server = try CaseServerProcess(
        byHand, state: state, folder: source.folder, name: "by-hand")
      server.send([id])
      do throws(CaseServerProcess.Silence) {
        var line = try server.line(within: 5)
        while line != .passed(id) {
          if case .failed = line { return true }
          line = try server.line(within: 5)
        }
      } catch {
        return true
      }
    }
    return false
  }
}
