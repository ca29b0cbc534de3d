import ExploredSynchronization
import Synchronization
import SystemFibers
import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Tasks are preempted where they create and wake others, and at locks, atomics and timers.
@Suite(.enabled(if: Fiber.isAvailable)) struct PreemptionTests {
  private actor Config {
    private(set) var theme = "light"
    func set(_ theme: String) { self.theme = theme }
  }

  /// The outcomes of every schedule, and the report.
  private static func explore(
    _ settings: ExplorationSettings,
    _ build: @escaping @Sendable (inout ConcurrentProgram, Collected) throws -> Void
  ) async -> (Set<String>, InterleavingReport) {
    let outcomes = Collected()
    let report = await exploreInterleavings(settings) { try build(&$0, outcomes) }
    return (outcomes.values, report)
  }

  @Test func `an async let sees the state before and after its creator's next call`() async {
    let (outcomes, report) = await Self.explore(.interleavings()) { program, outcomes in
      let config = Config()
      program.task {
        async let shown = config.theme
        await config.set("dark")
        outcomes.insert(await shown)
      }
    }
    #expect(report.isExhaustive)
    #expect(outcomes == ["dark", "light"])
  }

  @Test func `a Task {} of an actor comes in every order, and its schedule replays`() async throws {
    actor Writer {
      private(set) var log = ""
      func begin() {
        log += "b"
        Task { add("t") }
        log += "e"
      }
      func add(_ text: String) { log += text }
    }
    let build: @Sendable (inout ConcurrentProgram, Collected) -> Void = { program, outcomes in
      let writer = Writer()
      program.task {
        await writer.begin()
        await writer.add("a")
      }
      program.task { await writer.add("o") }
      program.check {
        let log = await writer.log
        outcomes.insert(log)
        if log == "beota" { throw Wrong() }
      }
    }
    var settings = ExplorationSettings.interleavings()
    settings.stopsAtFailure = false
    let (outcomes, report) = await Self.explore(settings, build)
    #expect(report.isExhaustive)
    #expect(report.uncontrolled.isEmpty)
    // In optimised code, a caller may go on in the actor from one call to the next.
    let orders = [["beota", "betao", "betoa", "obeta"], ["beaot", "beato", "obeat"]]
    #expect(orders.contains(outcomes.sorted()))

    settings.stopsAtFailure = true
    let found = await Self.explore(settings, build).1
    guard let failure = found.failure else { return }
    settings.replay = failure.schedule
    settings.runs = 0
    for _ in 0..<20 {
      let again = await Self.explore(settings, build).1
      #expect(again.failure?.schedule == failure.schedule)
      #expect(again.remarks.isEmpty)
    }
  }

  @Test func `another task can arrive first at an actor that a task is about to call`() async {
    let (outcomes, report) = await Self.explore(.interleavings()) { program, outcomes in
      let log = Mutexed()
      let steps = Steps()
      for name in ["A", "B"] {
        program.task {
          log.append(name)
          await steps.step(name)
        }
      }
      program.check { outcomes.insert("\(log.text) \(await steps.steps)") }
    }
    #expect(report.isExhaustive)
    #expect(outcomes == ["AB AB", "AB BA", "BA AB", "BA BA"])
  }

  private final class Counters: Sendable {
    let first = ExploredMutex(0)
    let second = ExploredMutex(0)
    let atomic = ExploredAtomic(0)
  }

  @Test(arguments: [(2, 20), (3, 4_000)])
  func `a read and a write under separate locks lose an update`(tasks: Int, schedules: Int) async {
    let (outcomes, report) = await Self.explore(.interleavings()) { program, outcomes in
      let counters = Counters()
      for _ in 0..<tasks {
        program.task {
          let value = counters.first.withLock { $0 }
          counters.first.withLock { $0 = value + 1 }
        }
      }
      program.check { () throws -> Void in outcomes.insert("\(counters.first.withLock { $0 })") }
    }
    #expect(report.isExhaustive)
    #expect(report.schedules <= schedules)
    #expect(outcomes == Set((1...tasks).map { "\($0)" }))
    #expect(
      report.description.contains(
        "which cover every order at suspension points and explored locks, in virtual time"))
  }

  @Test func `a lost update of an atomic is found by one of the first schedules`() async {
    let (_, report) = await Self.explore(.interleavings()) { program, _ in
      let counters = Counters()
      for _ in 0..<2 {
        program.task {
          let value = counters.atomic.load(ordering: .sequentiallyConsistent)
          counters.atomic.store(value + 1, ordering: .sequentiallyConsistent)
        }
      }
      program.check { () throws -> Void in
        if counters.atomic.load(ordering: .sequentiallyConsistent) != 2 { throw Wrong() }
      }
    }
    #expect(report.failure?.preemptions == 1)
    #expect((report.failure?.foundAfter ?? .max) <= 6)
  }

  @Test func `locks in two orders deadlock, and the report names who holds what`() async {
    let (_, report) = await Self.explore(.interleavings()) { program, _ in
      let counters = Counters()
      program.task("Ann") { counters.first.withLock { _ in counters.second.withLock { $0 += 1 } } }
      program.task("Bob") { counters.second.withLock { _ in counters.first.withLock { $0 += 1 } } }
    }
    #expect(report.failure?.kind == .deadlock)
    #expect(report.failure?.message.contains("Ann waits since step") == true)
    #expect(report.failure?.message.contains("for a lock that Bob holds") == true)
    #expect(report.failure?.message.contains("for a lock that Ann holds") == true)
  }

  @Test func `a lock is found held by a task that only tries it`() async {
    let (outcomes, report) = await Self.explore(.interleavings()) { program, outcomes in
      let counters = Counters()
      for name in ["A", "B"] {
        program.task {
          let isFree = counters.first.withLockIfAvailable { $0 += 1 } != nil
          outcomes.insert(name + (isFree ? " free" : " busy"))
        }
      }
    }
    #expect(report.isExhaustive)
    #expect(outcomes == ["A busy", "A free", "B busy", "B free"])
  }

  @Test func `a real mutex that is held where a task is woken does not stop the schedule`() async {
    final class Guarded: Sendable {
      let waiters = Synchronization.Mutex<[CheckedContinuation<Void, Never>]>([])
    }
    let (_, report) = await Self.explore(.interleavings()) { program, _ in
      let guarded = Guarded()
      for _ in 0..<2 {
        program.task {
          await withCheckedContinuation { continuation in
            guarded.waiters.withLock { waiters in
              if let first = waiters.popLast() {
                first.resume()
                continuation.resume()
              } else {
                waiters.append(continuation)
              }
            }
          }
        }
      }
    }
    #expect(report.failure == nil)
    #expect(report.isSearchedToEnd && report.untriedLocks.map(\.name) == ["Mutex"])
  }

  /// A time-out against three calls of an actor.
  private static func timeOut(_ timers: TimerOrder) async -> (Set<String>, InterleavingReport) {
    var settings = ExplorationSettings.interleavings()
    settings.timers = timers
    return await explore(settings) { program, outcomes in
      let config = Config()
      program.task {
        let first = await withTaskGroup(of: String.self) { group in
          group.addTask {
            try? await Task.sleep(for: .milliseconds(50))
            return "time-out"
          }
          group.addTask {
            for _ in 0..<3 { await config.set("dark") }
            return "done"
          }
          let first = await group.next()
          group.cancelAll()
          return first
        }
        outcomes.insert(first ?? "")
      }
    }
  }

  @Test func `a time-out is never early in virtual time, and the report says so`() async {
    let (outcomes, report) = await Self.timeOut(.virtual)
    #expect(outcomes == ["done"])
    #expect(report.description.contains("in virtual time"))
    #expect(report.description.contains("`timers: .racing` explores that as well"))
  }

  @Test func `the trace of a failure names the timer that was early`() async throws {
    var settings = ExplorationSettings.interleavings()
    settings.timers = .racing
    let report = await exploreInterleavings(settings) { program in
      let config = Config()
      program.task("reader") {
        async let change: Void = config.set("dark")
        try await Task.sleep(for: .milliseconds(50))
        if await config.theme != "dark" { throw Wrong() }
        await change
      }
    }
    let failure = try #require(report.failure)
    #expect(
      failure.trace.contains("the timer of reader fires, which is due at 0.05 seconds"),
      "\(failure)")
  }

  @Test func `a racing time-out may be early`() async {
    let (outcomes, report) = await Self.timeOut(.racing)
    #expect(report.isExhaustive)
    #expect(outcomes == ["done", "time-out"])
    #expect(report.description.contains("with timers at any time"))
  }

  @Test func `the schedule is printed before a double resume ends the process`()
    async throws
  {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = await exploreInterleavings { program in
          let (one, two) = (Continuations(), Continuations())
          program.task("Ann") {
            await withCheckedContinuation { continuation in
              one.value.withLock { $0 = continuation }
              two.value.withLock { $0 = continuation }
            }
          }
          program.task("Bob") { one.value.withLock { $0 }?.resume() }
          program.task("Eve") { two.value.withLock { $0 }?.resume() }
        }
      })
    let output = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(output.contains("The process crashes in step"))
    #expect(output.contains("│ Ann"))
    #expect(output.contains("replay: try Schedule("))
  }

  private final class Continuations: Sendable {
    let value = ExploredMutex<CheckedContinuation<Void, Never>?>(nil)
  }

  @Test func `each schedule is torn down at its end, and an error there is its own`() async {
    let log = Mutexed()
    var settings = ExplorationSettings.interleavings()
    settings.runs = 3
    _ = await exploreInterleavings(settings) { program in
      log.append("b")
      program.task { log.append("t") }
      program.check { () throws -> Void in log.append("c") }
      program.tearDown { log.append("d") }
    }
    // The first schedule runs twice.
    #expect(log.text == "btcdbtcd" || log.text == "btcdbtcdbtcd", "\(log.text)")
    let failing = await exploreInterleavings(settings) { program in
      program.task {}
      program.tearDown { throw Wrong() }
    }
    #expect(failing.failure?.task == "tear-down")
    let deadlocked = Mutexed()
    settings.outsideWait = .milliseconds(1)
    let stuck = await exploreInterleavings(settings) { program in
      let door = Door()
      program.task { await door.wait() }
      program.tearDown { deadlocked.append("d") }
    }
    #expect(stuck.failure?.kind == .deadlock)
    #expect(deadlocked.text.contains("d"))
  }
}
