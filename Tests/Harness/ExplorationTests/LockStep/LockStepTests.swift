import ExplorationEngine
import Foundation
import LockStepExploration
import Synchronization
import Testing

@Suite struct LockStepTests {
  private let settings = ExplorationSettings(runs: 300, seed: 1)

  @Test func `a correct subject passes every run`() async {
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      BuggyDictionary()
    }.explore()
    #expect(report.isClean, "\(report)")
    #expect(report.runs == 300)
    // Each 32nd run but the first two is six times as long.
    #expect(report.calls == 293 * 50 + 7 * 300)
  }

  @Test func `a correct actor passes every run and is torn down after each`() async {
    let (made, tornDown) = (Counter(), Counter())
    let report = await LockStep(
      AsyncDictionarySpecification(), settings: settings, tearDown: { _ in tornDown.add() }
    ) {
      made.add()
      return AsyncDictionary()
    }.explore()
    #expect(report.isClean, "\(report)")
    #expect(made.value == 300)
    #expect(tornDown.value == 300)
  }

  @Test(arguments: 1...ScenarioTests.seeds)
  func `a bug in an actor is shrunk to its minimum`(seed: UInt64) async throws {
    let settings = ExplorationSettings(runs: 5000, seed: seed * 1_000_003)
    let report = await LockStep(AsyncDictionarySpecification(), settings: settings) {
      AsyncDictionary(.lostDelete)
    }.explore()
    let failure = try #require(report.failure)
    #expect(failure.commands == [.put(0, 0), .delete(0), .get(0)])
    #expect(!failure.isFlaky)
    #expect(failure.replays == 3)
    #expect(failure.calls.shrinking <= 600)
  }

  @Test(arguments: 1...ScenarioTests.seeds)
  func `commands that belong together are removed together, also if the model does not know`(
    seed: UInt64
  ) async throws {
    var settings = ExplorationSettings(runs: 5000, seed: seed * 1_000_003)
    settings.shrinkCalls = 5_000
    let report = await LockStep(BlindQueueSpecification(), settings: settings) { BlindQueue() }
      .explore()
    let failure = try #require(report.failure)
    #expect(failure.commands.count == 8, "\(failure)")
  }

  @Test func `the report states the expected and the actual response, the seed and the live calls`()
    async throws
  {
    let calls = Counter()
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      BuggyDictionary(.b1) { _ in calls.add() }
    }.explore()
    let failure = try #require(report.failure)
    guard case .mismatch(.value(nil), .value(0)) = failure.kind else {
      Issue.record("\(failure.kind)")
      return
    }
    #expect(report.calls == calls.value)
    let seed = try #require(failure.seed)
    #expect(failure.description.contains("seed \(seed)"))
    #expect(failure.description.contains("\(failure.calls.shrinking) live calls"))
    #expect(failure.expectedResponses == [.done, .done, .deleted(true), .value(nil)])

    // With that seed, the first run finds the failure again.
    var again = settings
    (again.seed, again.runs) = (seed, 1)
    let second = await LockStep(DictionarySpecification(), settings: again) {
      BuggyDictionary(.b1)
    }.explore()
    #expect(second.failure?.originalLength == failure.originalLength)
    #expect(second.runs == 1)
  }

  @Test func `the printed test compiles and fails in the same way`() async throws {
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      BuggyDictionary(.b1)
    }.explore()
    let text = try #require(report.failure).swiftTest
    // PrintedTest.swift has the printed test, and compiles.
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "PrintedTest.swift")
    let pasted = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let printed = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(
      printed.dropFirst().allSatisfy { pasted.contains($0) }, "\(text)")
  }

  @Test func `an error that is not a response is a failure`() async throws {
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      BuggyDictionary { command in
        if case .put(let key, let value) = command, key > 3, value > 40 {
          throw DictionaryError()
        }
      }
    }.explore()
    let failure = try #require(report.failure)
    guard case .threw("DictionaryError", _, expected: .done) = failure.kind else {
      Issue.record("\(failure.kind)")
      return
    }
    #expect(failure.commands == [.put(4, 41)])
  }

  @Test func `shrinking keeps the kind of failure`() async throws {
    struct OtherError: Error {}
    var found = 0
    for seed in 1...30 as ClosedRange<UInt64> {
      let settings = ExplorationSettings(runs: 1, seed: seed)
      let report = await LockStep(DictionarySpecification(), settings: settings) {
        let count = Counter()
        return BuggyDictionary { command in
          count.add()
          guard case .get = command else { return }
          // With one command less, a get fails in another way.
          if count.value == 2 { throw OtherError() }
          if count.value == 3 { throw DictionaryError() }
        }
      }.explore()
      guard let failure = report.failure, failure.originalLength == 3 else { continue }
      found += 1
      guard case .threw("DictionaryError", _, _) = failure.kind else {
        Issue.record("seed \(seed): \(failure)")
        continue
      }
      #expect(failure.commands.count == 3)
    }
    #expect(found > 2)
  }

  // MARK: - Timeouts

  @Test func `a subject that never returns times out and is shrunk`() async throws {
    var settings = settings
    settings.runLimit = .seconds(1)
    let report = await LockStep(AsyncDictionarySpecification(), settings: settings) {
      AsyncDictionary(.neverReturns)
    }.explore()
    let failure = try #require(report.failure)
    guard case .timedOut(let limit) = failure.kind else {
      Issue.record("\(failure.kind)")
      return
    }
    #expect(limit == .seconds(1))
    #expect(failure.commands.count == 3)
    #expect(!failure.isFlaky)
  }

  @Test func `creating a subject is no part of the time of a run`() async throws {
    var settings = settings
    settings.runs = 1
    settings.runLimit = .milliseconds(100)
    let isWatched = DispatchSemaphore(value: 0)
    var lockStep = LockStep(DictionarySpecification(), settings: settings) {
      // As when a server starts. The first progress comes after a second, which is more than the limit.
      guard isWatched.wait(timeout: .now() + 60) == .success else { throw CancellationError() }
      return BuggyDictionary()
    }
    lockStep.onProgress = { _ in isWatched.signal() }
    #expect(await lockStep.explore().isClean)
  }

  @Test func `a subject whose creation never ends is reported`() async throws {
    var settings = settings
    settings.replays = 1
    var lockStep = LockStep(DictionarySpecification(), settings: settings) {
      NeverSignalled.semaphore.wait()
      return BuggyDictionary()
    }
    lockStep.settings.runLimit = .milliseconds(100)
    lockStep.settings.leastSetUpLimit = .milliseconds(200)
    let failure = try #require(await lockStep.explore().failure)
    #expect(failure.commands.isEmpty)
    guard
      case .setUpThrew("TimeLimit", "making the fixture took longer than 0.2 seconds") = failure
        .kind
    else {
      Issue.record("\(failure.kind)")
      return
    }
  }

  @Test func `a subject that blocks its thread times out and is shrunk`() async throws {
    var settings = settings
    settings.runLimit = .seconds(1)
    let report = await LockStep(AsyncDictionarySpecification(), settings: settings) {
      AsyncDictionary(.blocks)
    }.explore()
    let failure = try #require(report.failure)
    #expect(failure.commands == [.delete(0)], "\(failure)")
  }

  @Test func `a synchronous subject that blocks times out and is shrunk`() async throws {
    var settings = settings
    settings.runLimit = .seconds(1)
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      BuggyDictionary { command in
        if case .get(let key) = command, key > 7 { NeverSignalled.semaphore.wait() }
      }
    }.explore()
    let failure = try #require(report.failure)
    #expect(failure.commands == [.get(8)], "\(failure)")
  }

  // MARK: - Flakiness, setup and teardown

  @Test func `a failure that is not reproduced is flaky and not shrunk`() async throws {
    let runs = Counter()
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      runs.add()
      let isBad = runs.value == 7
      return BuggyDictionary { _ in if isBad { throw DictionaryError() } }
    }.explore()
    let failure = try #require(report.failure)
    #expect(failure.isFlaky)
    #expect(failure.failedReplays == 0)
    #expect(failure.calls.shrinking == 0)
    #expect(failure.commands.count == failure.originalLength)
    #expect(failure.description.contains("flaky: reproduced in 0 of 3 replays"))
  }

  @Test func `an error in the setup is a failure without commands`() async throws {
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      () throws -> BuggyDictionary in throw DictionaryError()
    }.explore()
    let failure = try #require(report.failure)
    guard case .setUpThrew("DictionaryError", _) = failure.kind else {
      Issue.record("\(failure.kind)")
      return
    }
    #expect(failure.commands.isEmpty)
  }

  @Test func `an error in the teardown is shrunk to the commands that cause it`() async throws {
    let report = await LockStep(
      DictionarySpecification(), settings: settings,
      tearDown: { subject in
        if try subject.run(.get(5)) != .value(nil) { throw DictionaryError() }
      }
    ) {
      BuggyDictionary()
    }.explore()
    let failure = try #require(report.failure)
    guard case .tearDownThrew = failure.kind else {
      Issue.record("\(failure.kind)")
      return
    }
    #expect(failure.commands == [.put(5, 0)])
  }

  // MARK: - Limits, progress, cancellation

  @Test func `shrinking stops at its call limit, and the report says so`() async throws {
    var settings = ExplorationSettings(runs: 5000, seed: 2)
    settings.shrinkCalls = 60
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      BuggyDictionary(.twelve)
    }.explore()
    let failure = try #require(report.failure)
    #expect(failure.calls.shrinking <= 60)
    #expect(!failure.isShrunkFully)
    #expect(failure.description.contains("shrinking reached its limit"))
  }

  @Test func `an exploration ends at its time limit`() async {
    let report = await LockStep(
      DictionarySpecification(),
      settings: ExplorationSettings(runs: .max, time: .milliseconds(300), seed: 1)
    ) { BuggyDictionary() }.explore()
    #expect(report.isClean)
    #expect(report.duration >= .milliseconds(300))
  }

  @Test(.timeLimit(.minutes(1)))
  func `progress is reported at most once a second`() async {
    let reports = Counter()
    let (progress, continuation) = AsyncStream.makeStream(of: ExplorationProgress.self)
    let task = Task {
      var lockStep = LockStep(
        DictionarySpecification(), settings: ExplorationSettings(runs: .max, seed: 1)
      ) { BuggyDictionary() }
      lockStep.onProgress = {
        reports.add()
        continuation.yield($0)
      }
      return await lockStep.explore()
    }
    for await now in progress where now.runs > 0 && now.commands > 0 && now.rate > 0 {
      task.cancel()
      break
    }
    let report = await task.value
    #expect(report.isClean)
    #expect(.seconds(reports.value) <= report.duration)
  }

  @Test func `cancellation ends an exploration with the report so far`() async {
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      await LockStep(
        DictionarySpecification(), settings: ExplorationSettings(runs: .max, seed: 1)
      ) {
        continuation.yield()
        return BuggyDictionary()
      }.explore()
    }
    for await _ in started { break }
    task.cancel()
    let report = await task.value
    #expect(report.failure == nil)
    #expect(report.runs > 0)
  }
}

/// An atomic counter.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add() { count.add(1, ordering: .relaxed) }
}

/// A queue whose `check` fails if three elements are left after two or more were taken.
private final class BlindQueue: Sendable {
  private let counts = Mutex((put: 0, taken: 0))

  func perform(_ command: BlindQueueSpecification.Command) -> Int {
    counts.withLock { counts in
      switch command {
      case .put: counts.put += 1
      case .take: counts.taken += counts.put > counts.taken ? 1 : 0
      case .check: return counts.put - counts.taken == 3 && counts.taken >= 2 ? 1 : 0
      }
      return 0
    }
  }
}

/// A model that does not know what is in the queue.
private struct BlindQueueSpecification: SynchronousSpecification {
  enum Command: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case put, take, check
    var description: String { rawValue }
  }

  var initialState: Int { 0 }

  func command(from choices: inout Choices, in state: Int) -> Command {
    Command.allCases[choices.integer(in: 0...2)]
  }

  func apply(_ command: Command, to state: inout Int) -> Int { 0 }

  func perform(_ command: Command, on subject: BlindQueue) throws -> Int {
    subject.perform(command)
  }
}
