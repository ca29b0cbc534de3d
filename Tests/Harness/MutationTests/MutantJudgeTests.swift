import ContractEvidence
import Foundation
import SystemLocks
import Testing

@testable import ContractMutation

/// Judges the mutants of `Fixture/Sample.swift` by the cases of `Fixture/Main.swift`: everything
/// except SwiftPM's build, in seconds.
@Suite struct MutantJudgeTests {
  @Test
  func
    `verdicts are right, repeat, and are those of changes made by hand; cases that fail stop it`()
    throws
  {
    // Building it takes most of the time.
    let fixture = try JudgedFixture()
    defer { fixture.source.remove() }
    let byID = try fixture.judge()
    expectRightVerdicts(byID, fixture)
    let second = try fixture.judge()
    for mutant in fixture.source.module.mutants {
      #expect(
        byID[mutant.id]?.status == second[mutant.id]?.status, "\(JudgedFixture.change(mutant))")
    }
    try expectVerdictsByHand(byID, fixture)
    for (flaw, message) in [("fails", "fails: not twice"), ("flaky", "is flaky")] {
      let error = #expect(throws: MutationError.self) { try fixture.judge(with: flaw) }
      #expect(error?.description.contains("sample/twice@fake \(message)") == true)
    }
    // A process that does not see which mutant is active can't notice any.
    let error = #expect(throws: MutationError.self) { try fixture.judge(with: "unmapped") }
    #expect(error?.description.contains("judge.state") == true)
  }

  /// Each mutant is reported as what it is, and none stops the others.
  private func expectRightVerdicts(_ byID: [String: MutantVerdict], _ fixture: JudgedFixture) {
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

  private func expectVerdictsByHand(
    _ verdicts: [String: MutantVerdict], _ fixture: JudgedFixture
  ) throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["CONTRACT_SOAK_MUTANTS"].flatMap { Int($0) } ?? 1
    for mutant in fixture.source.module.mutants.sorted(by: { $0.id < $1.id }).prefix(count) {
      let isNoticed = try fixture.isNoticedByHand(mutant)
      #expect(
        verdicts[mutant.id]?.status.isDetected == isNoticed, "\(JudgedFixture.change(mutant))")
    }
  }
}

/// The fixture's program, woven and built with the compiler alone.
struct JudgedFixture {
  let source: TypedSource
  private let program: CaseServerProcess.Program

  static func change(_ mutant: Mutant) -> String {
    "\(mutant.operator.rawValue): \(mutant.original) → \(mutant.replacement)"
  }

  /// Builds the fixture.
  init() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixture")
    let sample = try String(
      contentsOf: folder.appendingPathComponent("Sample.swift"), encoding: .utf8)
    let main = try String(contentsOf: folder.appendingPathComponent("Main.swift"), encoding: .utf8)
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
  ///
  /// - Parameter flaw: What is wrong with a case: it `fails` or is `flaky`.
  func judge(with flaw: String? = nil) throws -> [String: MutantVerdict] {
    let numbers = source.numbers
    let state = try SwitchState(folder: source.folder, name: "unmutated", count: numbers.count)
    var program = program
    if let flaw { program.request["SAMPLE_FLAW"] = flaw }
    let unmutated = try UnmutatedRun(program, state: state, folder: source.folder)
    let verdicts = Mutex(numbers.mapValues { _ in MutantVerdict(.unreached) })
    let items = source.module.mutants.compactMap { mutant -> JudgingQueue.Item? in
      let number = numbers[mutant.id] ?? 0
      let cases = unmutated.reach[number] ?? []
      if cases.isEmpty, !unmutated.reachedOnce.contains(number) { return nil }
      return JudgingQueue.Item(number: number, mutant: mutant, cases: cases)
    }
    let queue = JudgingQueue(items, unmutated) { mutant, verdict in
      verdicts.withLock { $0[mutant.id] = verdict }
    }
    let judge = try MutantJudge(
      program, unmutated, count: numbers.count, folder: source.folder, name: "judge")
    try queue.run(judges: [judge])
    return verdicts.withLock(\.self)
  }

  /// Verdicts by the mutants' changes. Of several with the same change, the first in the source.
  func byChange(_ verdicts: [String: MutantVerdict]) -> [String: MutantVerdict] {
    Dictionary(
      source.module.mutants.map { (Self.change($0), verdicts[$0.id] ?? MutantVerdict(.unviable)) },
      uniquingKeysWith: { first, _ in first })
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
