import Foundation
import SystemFibers
import SystemLocks
import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

struct Wrong: Error, Hashable {}

/// Programs with a known bug, and corrected ones.
@Suite struct InterleavingTests {
  actor Account {
    private let isFixed: Bool
    private(set) var balance = 100
    init(isFixed: Bool) { self.isFixed = isFixed }

    func withdraw(_ amount: Int) async {
      guard balance >= amount else { return }
      if isFixed { balance -= amount }
      await Task.yield()
      if !isFixed { balance -= amount }
    }
  }

  static func race(isFixed: Bool) -> @Sendable (inout ConcurrentProgram) throws -> Void {
    { program in
      let account = Account(isFixed: isFixed)
      program.task { await account.withdraw(80) }
      program.task { await account.withdraw(80) }
      program.check { if await account.balance < 0 { throw Wrong() } }
    }
  }

  @Test func `a lost update of a re-entrant actor is found`() async {
    let report = await exploreInterleavings(of: Self.race(isFixed: false))
    #expect(report.failure?.kind == .error(type: "Wrong"))
    #expect(report.failure?.preemptions == 1)
    #expect(report.failure?.schedule.deviations.count == 1)
    #expect(report.failure?.reproduced == report.failure?.replays)
    #expect(report.schedules <= 20)
  }

  @Test(.onObservedRuntime)
  func `the search is exhaustive for the corrected actor`() async {
    let report = await exploreInterleavings(of: Self.race(isFixed: true))
    #expect(report.isExhaustive && report.failure == nil)
    #expect(
      report.description
        == "No failure in \(report.schedules) schedules, which cover every order at suspension "
        + "points, in virtual time.")
  }

  @Test func `two steps of two tasks on an actor have six orders`() async {
    let orders = Collected()
    let report = await exploreInterleavings { program in
      let recorder = Steps()
      program.task("A") { await recorder.twoSteps("A") }
      program.task("B") { await recorder.twoSteps("B") }
      program.check { orders.insert(await recorder.steps) }
    }
    #expect(report.isExhaustive == Fiber.isAvailable)
    // Each task runs code at four points, so there are 70 orders; unoptimised, at five, and 252.
    // They differ further in the order in which the tasks arrive at the actor.
    #expect(report.schedules < 1_500, "\(report)")
    #expect(orders.values == ["AABB", "ABAB", "ABBA", "BBAA", "BABA", "BAAB"])
  }

  @Test func `a lock that is released between a check and an action is a race`() async {
    final class Stock: Sendable {
      let left = Mutex(1)
      func take() async {
        guard left.withLock({ $0 > 0 }) else { return }
        await Task.yield()
        left.withLock { $0 -= 1 }
      }
    }
    let report = await exploreInterleavings { program in
      let stock = Stock()
      program.task { await stock.take() }
      program.task { await stock.take() }
      program.check { () throws -> Void in if stock.left.withLock({ $0 }) < 0 { throw Wrong() } }
    }
    #expect(report.failure != nil)
  }

  @Test func `another task can run between an actor's call of a second actor and its arrival`()
    async
  {
    actor Front {
      func send(_ text: String, to back: Steps) async { await back.step(text) }
    }
    let orders = Collected()
    let report = await exploreInterleavings { program in
      let front = Front()
      let other = Front()
      let back = Steps()
      program.task { await front.send("A", to: back) }
      program.task { await other.send("B", to: back) }
      program.check { orders.insert(await back.steps) }
    }
    #expect(report.isExhaustive == Fiber.isAvailable)
    #expect(orders.values == ["AB", "BA"])
  }

  @Test func `another task can run between two tasks that wait for the same actor`() async {
    // Both tasks are in the actor's queue when a third changes what the second one reads there.
    final class Flag: Sendable {
      let value = Unseen(0)
    }
    actor Reader {
      func read(_ flag: Flag) -> Int { flag.value.withLock { $0 } }
    }
    let outcomes = Collected()
    let report = await exploreInterleavings { program in
      let flag = Flag()
      let reader = Reader()
      let seen = Mutexed()
      for name in ["A", "B"] {
        program.task(name) {
          flag.value.withLock { $0 += 1 }
          let value = await reader.read(flag)
          seen.set(name, "\(value)")
        }
      }
      program.task("C") { flag.value.withLock { $0 += 10 } }
      program.check { () throws -> Void in outcomes.insert(seen.text) }
    }
    #expect(report.isExhaustive == Fiber.isAvailable)
    #expect(outcomes.values.contains("A=2,B=12"))
    #expect(outcomes.values.contains("A=12,B=2"))
  }

  @Test(.onObservedRuntime)
  func `async let and task groups are explored`() async {
    let orders = Collected()
    let report = await exploreInterleavings { program in
      program.task {
        let log = Mutexed()
        async let a: Void = log.append("a")
        await withTaskGroup(of: Void.self) { group in
          group.addTask { log.append("b") }
          group.addTask { log.append("c") }
        }
        await a
        orders.insert(log.text)
      }
    }
    #expect(report.isExhaustive)
    #expect(orders.values == ["abc", "acb", "bac", "bca", "cab", "cba"])
  }

  @Test(.onObservedRuntime)
  func `producers of a stream are explored`() async {
    let orders = Collected()
    let report = await exploreInterleavings { program in
      let (stream, continuation) = AsyncStream.makeStream(of: String.self)
      program.task {
        continuation.yield("a")
        await Task.yield()
        continuation.yield("b")
      }
      program.task { continuation.yield("c") }
      program.task {
        var seen = ""
        for await value in stream {
          seen += value
          if seen.count == 3 { break }
        }
        orders.insert(seen)
      }
    }
    #expect(report.isExhaustive)
    #expect(orders.values == ["abc", "acb", "cab"])
  }

  @Test(.onObservedRuntime)
  func `a cancellation handler may run before, during or after the work`() async {
    let outcomes = Collected()
    let report = await exploreInterleavings { program in
      program.task {
        let log = Mutexed()
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            await withTaskCancellationHandler {
              log.append("1")
              await Task.yield()
              log.append("2")
            } onCancel: {
              log.append("x")
            }
          }
          await Task.yield()
          group.cancelAll()
        }
        outcomes.insert(log.text)
      }
    }
    #expect(report.isExhaustive)
    #expect(
      outcomes.values == ["x12", "1x2", "12x", "12"] || outcomes.values == ["x12", "1x2", "12"])
  }

  @Test func `a deadlock of two tasks names both`() async {
    let report = await exploreInterleavings { program in
      let left = Door()
      let right = Door()
      program.task("Ann") {
        await left.wait()
        right.open()
      }
      program.task("Bob") {
        await right.wait()
        left.open()
      }
    }
    #expect(report.failure?.kind == .deadlock)
    #expect(report.failure?.message.contains("Ann waits") == true)
    #expect(report.failure?.message.contains("Bob waits") == true)
    #expect(report.failure?.message.contains("0x") == false)
  }

  @Test(.onObservedRuntime)
  func `a schedule replays from its text, and a stale one is reported`() async throws {
    let found = await exploreInterleavings(of: Self.race(isFixed: false))
    let text = try #require(found.failure).schedule.description
    var settings = ExplorationSettings.interleavings()
    settings.replay = try Schedule(text)
    settings.runs = 0
    for _ in 0..<100 {
      let again = await exploreInterleavings(settings, of: Self.race(isFixed: false))
      #expect(again.failure?.schedule.description == text)
      #expect(again.remarks.isEmpty)
    }
    let fixed = await exploreInterleavings(settings, of: Self.race(isFixed: true))
    #expect(fixed.failure == nil)
    #expect(fixed.remarks.contains { $0.contains("stale") })
    #expect(fixed.remarks.contains { $0.contains("no longer fails") })
  }

  /// `CONTRACT_SOAK_REPLAYS` sets the number of replays, 1,000 in the full campaign.
  @Test(.onObservedRuntime)
  func `a printed schedule replays in another process, every time`() async throws {
    let found = await exploreInterleavings(of: Self.race(isFixed: false))
    let text = try #require(found.failure).schedule.description
    await #expect(processExitsWith: .success) { [text = text as String] in
      let environment = ProcessInfo.processInfo.environment
      let count = environment["CONTRACT_SOAK_REPLAYS"].flatMap(Int.init) ?? 20
      var settings = ExplorationSettings.interleavings()
      settings.replay = try Schedule(text)
      settings.runs = 0
      for number in 1...count {
        let again = await exploreInterleavings(settings, of: Self.race(isFixed: false))
        try #require(again.failure?.schedule.description == text, "replay \(number)")
        try #require(again.remarks.isEmpty, "replay \(number)")
      }
    }
  }

  @Test(arguments: [
    "x", "1", "1>", ">1", "2>0 1>0", "1>-1", "1>99999999999", "#zz", "1>0 #1 #2", "fine 1>0",
    "1>0 joined",
  ])
  func `an invalid schedule is rejected`(text: String) {
    #expect(throws: InvalidScheduleError.self) { try Schedule(text) }
  }

  @Test func `a trace tells actors of one type apart, and has a column for each Task`() async throws
  {
    let report = await exploreInterleavings { program in
      let steps = [NumberedStep(), NumberedStep()]
      program.task("Ann") {
        let task = Task {
          await steps[0].enter()
          await steps[1].enter()
        }
        await steps[1].enter()
        await task.value
        throw TraceError()
      }
    }
    let trace = try #require(report.failure).trace
    #expect(trace.split(separator: "\n")[0].contains("│ Ann.1"), "\(trace)")
    #expect(trace.contains("NumberedStep#1"), "\(trace)")
    // Steps show the lines at which the task resumes:
    // that of the first statement, and that after the `await`.
    let first = NumberedStep.firstLine
    #expect(trace.contains("NumberedStep#1.enter (InterleavingTests.swift:\(first))"), "\(trace)")
    let second = "NumberedStep#1.enter (InterleavingTests.swift:\(first + 2))"
    // Where the runtime is not observed, a yield's step is the runtime's own job, which has no line.
    let yielding = Fiber.isAvailable ? second : "runs on NumberedStep#1"
    #expect(trace.contains(yielding), "\(trace)")
    #expect(trace.contains("NumberedStep#2"), "\(trace)")
  }

  @Test func `a trace has a column for each task and no addresses`() async throws {
    let report = await exploreInterleavings { program in
      let account = Account(isFixed: false)
      for name in ["Ann", "Bob"] {
        program.task(name) {
          traceInterleaving("withdraw")
          await account.withdraw(80)
        }
      }
      program.check { if await account.balance < 0 { throw Wrong() } }
    }
    let trace = try #require(report.failure).trace
    let lines = trace.split(separator: "\n")
    #expect(lines[0].contains("│ Ann"))
    #expect(lines[0].contains("│ Bob"))
    #expect(trace.contains("withdraw"))
    #expect(trace.contains("‖"))
    #expect(!trace.contains("0x"))
  }

  @Test func `a trace has one row for steps that look the same`() async throws {
    let report = await exploreInterleavings { program in
      program.task("Ann") {
        for _ in 1...5 { await Task.yield() }
        throw TraceError()
      }
    }
    let rows = try #require(report.failure).trace.split(separator: "\n").dropFirst()
    let steps = rows.map { row in
      row.split(separator: " ")[0].split(separator: "–").compactMap { Int($0) }
    }
    #expect(steps.contains { $0.count == 2 && $0[1] >= $0[0] + 3 }, "\(rows)")
    // Each step is in one row, and the rows are in order.
    #expect(steps.first?.first == 1)
    for (row, next) in zip(steps, steps.dropFirst()) {
      #expect(next.first == row[row.count - 1] + 1)
    }
  }

  @Test func `an error of a task or of the setup is the failure`() async {
    let report = await exploreInterleavings { program in
      program.task("A") { throw Wrong() }
    }
    #expect(report.failure?.error is Wrong)
    #expect(report.failure?.task == "A")
    let setUp = await exploreInterleavings { _ in throw Wrong() }
    #expect(setUp.failure?.error is Wrong)
  }

  @Test func `a loop without end is cut off, and the search is not exhaustive`() async {
    var settings = ExplorationSettings.interleavings()
    settings.scheduleSteps = 200
    settings.runs = 20
    let report = await exploreInterleavings(settings) { program in
      program.task { while !Task.isCancelled { await Task.yield() } }
    }
    #expect(report.cutOff > 0)
    #expect(!report.isExhaustive)
  }
}

/// An actor that records the order of its steps.
actor Steps {
  private(set) var steps = ""
  func step(_ name: String) { steps += name }
  func twoSteps(_ name: String) async {
    steps += name
    await Task.yield()
    steps += name
  }
}

/// Text, and text by name.
final class Mutexed: Sendable {
  private let storage = Unseen("")
  private let named = Unseen<[String: String]>([:])
  var text: String {
    storage.withLock { $0 }
      + named.withLock { $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }
      .joined(separator: ",")
  }
  func append(_ text: String) { storage.withLock { $0 += text } }
  func set(_ name: String, _ value: String) { named.withLock { $0[name] = value } }
}

/// The outcomes of all schedules.
final class Collected: Sendable {
  private let storage = Unseen<Set<String>>([])
  var values: Set<String> { storage.withLock { $0 } }
  func insert(_ value: String) { storage.withLock { _ = $0.insert(value) } }
}

/// A gate that one task can wait for.
final class Door: Sendable {
  private struct State {
    var isOpen = false
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiter = continuation }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiter = state.withLock { state in
      state.isOpen = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}

private struct TraceError: Error {}

private actor NumberedStep {
  /// The line of the first statement of `enter`.
  static let firstLine = #line + 4
  private var count = 0

  func enter() async {
    count += 1
    await Task.yield()
    count -= 1
  }
}
