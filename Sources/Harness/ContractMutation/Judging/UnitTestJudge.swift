import Foundation
internal import HarnessSupport
import SystemLocks

/// Judges mutants by a package's other tests: each mutant by a process of the test program that starts with it.
struct UnitTestJudge {
  private let program: CaseServerProcess.Program
  private let folder: String
  private let count: Int

  /// The numbers of the mutants that the tests reach.
  let reached: Set<Int>

  /// Seconds that the tests take without mutants.
  private let seconds: Double

  /// How many switches the tests pass without mutants.
  private let switches: Int

  /// Runs the tests without mutants.
  ///
  /// - Parameters:
  ///   - filter: A regular expression of the tests, as for `swift test --filter`.
  ///   - program: How the cases' processes are started.
  ///   - count: How many mutants there are.
  /// - Throws: ``MutationError`` if the tests fail, hang or are none.
  init(
    _ filter: String, _ program: CaseServerProcess.Program, count: Int, folder: String
  ) throws(MutationError) {
    var program = program
    program.filter = filter
    program.servesCases = false
    self.program = program
    self.folder = folder
    self.count = count
    let state = try SwitchState(folder: folder, name: "tests", count: count)
    let start = ContinuousClock.now
    let process = try CaseServerProcess(program, state: state, folder: folder, name: "tests")
    let (failed, end) = Self.end(of: process, within: 600)
    guard end == .ended(signal: nil, status: 0), !process.output.contains("with 0 tests") else {
      let end = end.map { "they \($0)" } ?? failed.map { "\($0) failed" } ?? ""
      throw MutationError(
        "the tests that match '\(filter)' must pass without mutants first; \(end):\n"
          + process.output)
    }
    seconds = start.duration(to: .now) / .seconds(1)
    switches = state.passedSwitches
    reached = Set(state.takeReached().keys)
  }

  /// Judges mutants on several threads.
  ///
  /// - Parameter report: Takes each mutant with its verdict, or `nil` if it survives; on any thread.
  /// - Throws: ``MutationError`` if a process can't be started.
  func judge(
    _ items: [JudgingQueue.Item],
    report: @escaping @Sendable (JudgingQueue.Item, MutantVerdict?) -> Void
  ) throws(MutationError) {
    let rest = Mutex(items[...])
    let failure = Mutex<MutationError?>(nil)
    // Tests run in parallel, so more processes would only make them slower.
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) {
      worker in
      do throws(MutationError) {
        let state = try SwitchState(folder: folder, name: "tests-\(worker)", count: count)
        while failure.withLock({ $0 == nil }), let item = rest.withLock({ $0.popFirst() }) {
          report(item, try verdict(item, state, name: "tests-\(worker)"))
        }
      } catch let error {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    if let error = failure.withLock(\.self) { throw error }
  }

  private func verdict(
    _ item: JudgingQueue.Item, _ state: SwitchState, name: String
  ) throws(MutationError) -> MutantVerdict? {
    state.setActive(item.number, fuel: 1_000_000 + 10 * switches)
    let process = try CaseServerProcess(program, state: state, folder: folder, name: name)
    defer { process.end() }
    let (failed, end) = Self.end(of: process, within: 20 + 4 * seconds)
    let killer = failed ?? program.filter
    if state.isFuelSpent { return MutantVerdict(.looped, killer: killer) }
    switch end {
    case .ended(nil, 0): return nil
    case nil, .ended(nil, _): return MutantVerdict(.killed, killer: killer)
    case .ended(let signal?, _):
      return MutantVerdict(.crashed, killer: program.filter, message: "signal \(signal)")
    case .timedOut: return MutantVerdict(.timedOut, killer: program.filter)
    }
  }

  /// The first test that fails, and how the process ended, or `nil` as soon as a test fails: what the others say
  /// changes no verdict.
  private static func end(
    of process: CaseServerProcess, within limit: Double
  ) -> (failed: String?, end: CaseServerProcess.Silence?) {
    // Tests print to a file, so that somebody has to look.
    let pause = 0.25
    var rest = limit
    while true {
      do throws(CaseServerProcess.Silence) {
        while true { _ = try process.line(within: min(pause, rest)) }
      } catch .timedOut where rest > pause {
        if let failed = firstFailure(in: process) { return (failed, nil) }
        rest -= pause
      } catch {
        return (firstFailure(in: process), error)
      }
    }
  }

  /// The first test that recorded an issue in the next lines of the output.
  private static func firstFailure(in process: CaseServerProcess) -> String? {
    let pattern = /^\S+ Test (.+?) recorded an issue/.anchorsMatchLineEndings()
    return process.nextLines().firstMatch(of: pattern).map { "test \($0.1)" }
  }
}

extension MutationRun {
  /// Judges the mutants that no case notices by other tests.
  func judge(
    _ chosen: [Mutant], byTests filter: String, _ judging: Judging
  ) throws(MutationError) {
    let writer = judging.writer
    let results = writer.journal.results
    let pending = chosen.filter {
      [.survived, .unreached].contains(results[$0.id]?.verdict.status)
    }
    guard !pending.isEmpty else { return }
    progress(.step("running the tests that match '\(filter)' without mutants"))
    let judge = try UnitTestJudge(
      filter, judging.program, count: judging.numbers.count, folder: folder)
    let items = pending.map {
      JudgingQueue.Item(number: judging.numbers[$0.id] ?? 0, mutant: $0, cases: [])
    }.filter { judge.reached.contains($0.number) }
    let start = ContinuousClock.now
    let progress = progress
    let tally = Mutex((done: 0, survived: 0))
    try judge.judge(items) { item, verdict in
      if let verdict {
        writer.write(item.mutant, verdict)
      } else if results[item.mutant.id]?.verdict.status == .unreached {
        writer.write(item.mutant, MutantVerdict(.survived, reachedBy: [filter]))
      }
      let (done, survived) = tally.withLock { tally in
        tally.done += 1
        if verdict == nil { tally.survived += 1 }
        return tally
      }
      let seconds = start.duration(to: .now) / .seconds(1)
      progress(.judged(done, of: items.count, survived: survived, seconds: seconds))
    }
    if let error = writer.error { throw error }
    let noticed = tally.withLock { $0.done - $0.survived }
    progress(.step("the tests notice \(noticed) of \(pending.count) mutants that no case notices"))
  }
}
