import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Sleeps take no real time and end in the order of their deadlines.
@Suite(.onObservedRuntime) struct VirtualTimeTests {
  @Test func `sleeps on different clocks end in the order of their deadlines`() async throws {
    let order = Mutexed()
    let start = ContinuousClock.now
    try await withDeterministicTasks {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          try? await Task.sleep(for: .seconds(3600))
          order.append("d")
        }
        group.addTask {
          try? await ContinuousClock().sleep(for: .seconds(60))
          order.append("c")
        }
        group.addTask {
          try? await SuspendingClock().sleep(for: .seconds(10))
          order.append("b")
        }
        group.addTask {
          try? await Task.sleep(nanoseconds: 5_000_000_000)
          order.append("a")
        }
      }
    }
    #expect(order.text == "abcd")
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func `a sleep of an hour takes no real time`() async throws {
    let start = ContinuousClock.now
    try await withDeterministicTasks { try await Task.sleep(for: .seconds(3600)) }
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func `the runtime supports sleeps in virtual time`() {
    #expect(Scheduler.coversSleep)
  }

  @Test func `timers of the same instant fire in either order`() async {
    let orders = Collected()
    let report = await exploreInterleavings { program in
      let log = Mutexed()
      for name in ["A", "B"] {
        program.task(name) {
          try? await Task.sleep(for: .milliseconds(10))
          log.append(name)
        }
      }
      program.check { () throws -> Void in orders.insert(log.text) }
    }
    #expect(report.isExhaustive)
    #expect(orders.values == ["AB", "BA"])
  }

  @Test func `timers of different instants fire in one order`() async {
    let orders = Collected()
    let report = await exploreInterleavings { program in
      let log = Mutexed()
      for (name, delay) in [("A", 11), ("B", 10)] {
        program.task(name) {
          try? await Task.sleep(for: .milliseconds(delay))
          log.append(name)
        }
      }
      program.check { () throws -> Void in orders.insert(log.text) }
    }
    #expect(report.isExhaustive)
    #expect(orders.values == ["BA"])
  }

  @Test func `a virtual clock advances by its sleeps`() async throws {
    let times = try await withDeterministicTasks {
      let clock = VirtualClock()
      let start = clock.now
      try await clock.sleep(for: .seconds(3600))
      let deadline = start.advanced(by: .seconds(7200))
      try await clock.sleep(until: deadline)
      return start.duration(to: clock.now)
    }
    #expect(times == .seconds(7200))
  }

  @Test func `a timeout cancels the slower task`() async throws {
    let winner = try await withDeterministicTasks {
      await withTaskGroup(of: String.self) { group in
        group.addTask {
          do {
            try await VirtualClock().sleep(for: .seconds(100))
            return "slow"
          } catch {
            return "cancelled"
          }
        }
        group.addTask {
          try? await Task.sleep(for: .seconds(30))
          return "timeout"
        }
        var ends: [String] = []
        for await end in group {
          ends.append(end)
          group.cancelAll()
        }
        return ends.joined(separator: ", ")
      }
    }
    #expect(winner == "timeout, cancelled")
  }

  @Test func `a cancelled sleep throws at once`() async {
    let report = await exploreInterleavings { program in
      program.task {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            do {
              try await Task.sleep(for: .seconds(3600))
              throw Wrong()
            } catch is CancellationError {}
          }
          await Task.yield()
          group.cancelAll()
          try await group.waitForAll()
        }
      }
    }
    #expect(report.failure == nil)
    #expect(report.isExhaustive)
  }

  @Test func `a debounce keeps the last of several values`() async {
    actor Debouncer {
      private var pending: Int?
      private(set) var sent: [Int] = []
      private var generation = 0
      func receive(_ value: Int) async {
        pending = value
        generation += 1
        let mine = generation
        try? await Task.sleep(for: .milliseconds(300))
        if generation == mine, let value = pending {
          sent.append(value)
          pending = nil
        }
      }
    }
    let report = await exploreInterleavings { program in
      let debouncer = Debouncer()
      for value in 1...3 {
        program.task {
          try await Task.sleep(for: .milliseconds(100 * value))
          await debouncer.receive(value)
        }
      }
      program.check { if await debouncer.sent != [3] { throw Wrong() } }
    }
    #expect(report.failure == nil)
    #expect(report.isExhaustive)
  }

  @Test func `the requested delay is recovered from the remaining one`() {
    #expect(Scheduler.roundest(from: 999_980_000, through: 1_000_020_000) == 1_000_000_000)
    #expect(Scheduler.roundest(from: 10_499_000, through: 10_501_000) == 10_500_000)
    #expect(Scheduler.roundest(from: 4, through: 5) == 5)
    #expect(Scheduler.roundest(from: 0, through: 0) == 0)
  }

  @Test func `outside a schedule, a sleep advances a virtual clock at once`() async throws {
    let clock = VirtualClock()
    try await clock.sleep(for: .seconds(5))
    #expect(clock.now == VirtualClock.Instant(offset: .seconds(5)))
  }
}
