import Dispatch
import Foundation
import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Programs that read the system's clocks hold in an exploration what they hold in production.
@Suite(.onObservedRuntime) struct SystemClockTests {
  /// A program that checks what it measures.
  struct Program: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let body: @Sendable () async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
      testDescription = name
      self.body = body
    }
  }

  static let programs: [Program] = [
    Program("a sleep, measured with ContinuousClock") {
      let time = try await ContinuousClock().measure {
        try await Task.sleep(for: .milliseconds(30))
      }
      try require(time >= .milliseconds(30))
    },
    Program("a sleep, measured with SuspendingClock") {
      let time = try await SuspendingClock().measure {
        try await Task.sleep(for: .milliseconds(30))
      }
      try require(time >= .milliseconds(30))
    },
    Program("a sleep, measured with Date") {
      let start = Date()
      try await Task.sleep(for: .milliseconds(30))
      try require(-start.timeIntervalSinceNow >= 0.0299)
    },
    Program("a sleep, measured with gettimeofday(2)") {
      var (start, end) = (timeval(), timeval())
      gettimeofday(&start, nil)
      try await Task.sleep(for: .milliseconds(30))
      gettimeofday(&end, nil)
      try require((end.tv_sec - start.tv_sec) * 1_000_000 + end.tv_usec - start.tv_usec >= 29_999)
    },
    Program("a second, measured with time(2)") {
      let start = time(nil)
      try await Task.sleep(for: .seconds(1))
      try require(time(nil) > start)
    },
    Program("a loop that polls until a deadline") {
      let deadline = ContinuousClock.now.advanced(by: .milliseconds(60))
      var polls = 0
      while ContinuousClock.now < deadline {
        polls += 1
        try await Task.sleep(for: .milliseconds(10))
      }
      try require((1...6).contains(polls))
    },
    Program("an entry of a cache that expires") {
      let expiry = Date(timeIntervalSinceNow: 0.02)
      try require(Date() < expiry)
      try await Task.sleep(for: .milliseconds(21))
      try require(Date() >= expiry)
    },
    Program("Thread.sleep") {
      let time = ContinuousClock().measure { Thread.sleep(forTimeInterval: 0.03) }
      try require(time >= .milliseconds(29))
    },
    Program("usleep(3)") {
      let time = ContinuousClock().measure { usleep(30_000) }
      try require(time >= .milliseconds(29))
    },
    Program("a condition that nobody signals") {
      let condition = NSCondition()
      let limit = Date(timeIntervalSinceNow: 0.03)
      condition.withLock { while condition.wait(until: limit) {} }
      try require(-limit.timeIntervalSinceNow >= -0.001)
    },
    Program("a condition, waited for in short waits until a deadline") {
      let condition = NSCondition()
      let limit = Date(timeIntervalSinceNow: 0.03)
      var waits = 0
      condition.withLock {
        while Date() < limit {
          waits += 1
          _ = condition.wait(until: Date(timeIntervalSinceNow: 0.01))
        }
      }
      try require((1...4).contains(waits))
    },
    Program("a semaphore of Dispatch that nobody signals") {
      let semaphore = DispatchSemaphore(value: 0)
      let start = ContinuousClock.now
      try require(timesOut(semaphore, after: .milliseconds(30)))
      try require(ContinuousClock.now - start >= .milliseconds(29))
    },
    Program("poll(2) without a descriptor") {
      let time = ContinuousClock().measure { poll(nil, 0, 30) }
      try require(time >= .milliseconds(29))
    },
    Program("select(2) without a descriptor") {
      var limit = timeval(tv_sec: 0, tv_usec: 30_000)
      let time = ContinuousClock().measure { select(0, nil, nil, nil, &limit) }
      try require(time >= .milliseconds(29))
    },
    Program("waitpid(2) for a process that takes its time") {
      var child: pid_t = 0
      var words: [UnsafeMutablePointer<CChar>?] = ["/bin/sleep", "0.03"].map { (word: String) in
        strdup(word)
      }
      defer { for word in words { free(word) } }
      words.append(nil)
      let start = ContinuousClock.now
      try require(posix_spawn(&child, "/bin/sleep", nil, nil, &words, environ) == 0)
      try require(waitpid(child, nil, 0) == child)
      try require(ContinuousClock.now - start >= .milliseconds(20))
    },
    Program("a lock that is not released until a time") {
      let lock = HeldLock()
      try require(lock.timesOut(after: 0.03))
    },
    Program("a process that ends") {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "exit 3"]
      try process.run()
      process.waitUntilExit()
      try require(process.terminationStatus == 3)
    },
    Program("a loop that does nothing until a deadline") {
      let deadline = ContinuousClock.now.advanced(by: .milliseconds(5))
      while ContinuousClock.now < deadline {}
    },
    Program("a loop that yields until a deadline") {
      let deadline = ContinuousClock.now.advanced(by: .milliseconds(5))
      while ContinuousClock.now < deadline { await Task.yield() }
    },
    Program("a block of Dispatch that resumes the task later") {
      let start = ContinuousClock.now
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(30)) {
          continuation.resume()
        }
      }
      try require(ContinuousClock.now - start >= .milliseconds(30))
    },
    Program("a block of Dispatch after a long sleep") {
      try await Task.sleep(for: .milliseconds(50))
      let start = ContinuousClock.now
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
          continuation.resume()
        }
      }
      try require(ContinuousClock.now - start >= .milliseconds(10))
    },
    Program("a time stamp of the main actor between two of the task") {
      let start = ContinuousClock.now
      let between = await MainActor.run { ContinuousClock.now }
      try require(start <= between && between <= ContinuousClock.now)
    },
  ]

  @Test("in production", arguments: programs) func isReal(_ program: Program) async throws {
    try await program.body()
  }

  @Test("in an exploration", arguments: programs) func isExplored(_ program: Program) async {
    var settings = ExplorationSettings.interleavings()
    settings.runs = 20
    settings.outsideWait = .seconds(30)
    let report = await exploreInterleavings(settings) { explored in
      explored.task("A", program.body)
      explored.task("B", program.body)
    }
    #expect(report.failure == nil, "\(report)")
    #expect(report.cutOff == 0)
  }

  @Test func `a measured duration is exact, and the search exhaustive`() async {
    let (report, outcomes) = await exploreTask { log in
      let start = ContinuousClock.now
      try? await Task.sleep(for: .seconds(3600))
      let middle = Date()
      usleep(500_000)
      log.append(
        "\(start.duration(to: .now)), \(Int((-middle.timeIntervalSinceNow * 1000).rounded())) ms")
    }
    #expect(outcomes == ["3600.5 seconds, 500 ms"])
    #expect(report.isExhaustive, "\(report)")
  }

  @Test func `an hour that a job sleeps takes no real time, and other jobs run in it`() async {
    let start = ContinuousClock.now
    let orders = Collected()
    let report = await exploreInterleavings { program in
      let log = Mutexed()
      program.task("A") {
        sleep(3600)
        log.append("A")
      }
      program.task("B") {
        try? await Task.sleep(for: .seconds(60))
        log.append("B")
      }
      program.check { () throws -> Void in orders.insert(log.text) }
    }
    #expect(report.isExhaustive, "\(report)")
    #expect(orders.values == ["BA"])
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test(arguments: [1, 3]) func `a time limit ends in the order of deadlines`(seconds: Int) async {
    let orders = Collected()
    let report = await exploreInterleavings { program in
      let (log, condition) = (Mutexed(), NSCondition())
      program.task("waiter") {
        _ = condition.withLock {
          condition.wait(until: Date(timeIntervalSinceNow: Double(seconds)))
        }
        log.append("W")
      }
      program.task("sleeper") {
        try? await Task.sleep(for: .seconds(2))
        log.append("S")
      }
      program.check { () throws -> Void in orders.insert(log.text) }
    }
    #expect(report.failure == nil, "\(report)")
    #expect(orders.values == [seconds == 1 ? "WS" : "SW"])
  }

  @Test func `Dispatch has real time, so its timer fires soon after an hour that was slept`() async
  {
    let start = ContinuousClock.now
    let (report, _) = await exploreTask(runs: 3) { _ in
      sleep(3600)
      let timer = DispatchSource.makeTimerSource(queue: .global())
      await withCheckedContinuation { continuation in
        timer.setEventHandler { continuation.resume() }
        timer.schedule(deadline: .now() + .milliseconds(50))
        timer.resume()
      }
      timer.cancel()
    }
    #expect(report.failure == nil, "\(report)")
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func `a condition that is signalled before its time limit does not time out`() async {
    let outcomes = Collected()
    let report = await exploreInterleavings { program in
      let gate = Gate()
      program.task("waiter") {
        outcomes.insert("\(gate.wait(until: Date(timeIntervalSinceNow: 5)))")
      }
      program.task("opener") {
        try? await Task.sleep(for: .seconds(2))
        gate.open()
      }
    }
    #expect(report.failure == nil, "\(report)")
    #expect(outcomes.values == ["true"])
  }

  @Test func `a job that waits for a thread under a lock of the process is not left with it`() async
  {
    let library = NSLock()
    let report = await exploreInterleavings { program in
      program.task {
        let gate = Gate()
        let isOpened = library.withLock {
          Thread.detachNewThread { gate.open() }
          return gate.wait(until: Date(timeIntervalSinceNow: 60))
        }
        if !isOpened { throw Wrong() }
      }
    }
    #expect(report.failure == nil, "\(report)")
    #expect(Self.acquires(library, within: 10))
  }

  @Test func `a lock that is released before its time limit is acquired`() async {
    let outcomes = Collected()
    let report = await exploreInterleavings { program in
      let lock = NSLock()
      program.task("holder") { lock.withLock { Thread.sleep(forTimeInterval: 2) } }
      program.task("waiter") { outcomes.insert("\(Self.acquires(lock, within: 5))") }
      program.task("hasty") { outcomes.insert("\(Self.acquires(lock, within: 1)), at once") }
    }
    #expect(report.failure == nil, "\(report)")
    #expect(outcomes.values == ["true", "true, at once", "false, at once"])
  }

  private static func acquires(_ lock: NSLock, within seconds: Double) -> Bool {
    guard lock.lock(before: Date(timeIntervalSinceNow: seconds)) else { return false }
    lock.unlock()
    return true
  }

  @Test func `what was read before the program is earlier, and a sleep leads away from it`() async {
    let report = await exploreInterleavings { program in
      let start = (Date(), ContinuousClock.now)
      program.task {
        if Date() < start.0 || ContinuousClock.now < start.1 { throw Wrong() }
        try await Task.sleep(for: .seconds(60))
        if Date() < start.0 + 60 || Date() > start.0 + 90 { throw Wrong() }
      }
      program.task {
        try await Task.sleep(for: .seconds(60))
        if Date() < start.0 + 60 { throw Wrong() }
      }
    }
    #expect(report.failure == nil, "\(report)")
  }

  @Test func `a check reads the time at which the program has ended`() async {
    let report = await exploreInterleavings { program in
      let end = LastInstant()
      program.task {
        try? await Task.sleep(for: .seconds(3600))
        end.value = .now
      }
      program.check { () throws -> Void in
        guard let end = end.value, end <= .now, .now < end + .seconds(60) else {
          throw Wrong()
        }
      }
    }
    #expect(report.failure == nil, "\(report)")
    #expect(report.isExhaustive)
  }

  @Test func `with racing timers, the time of a cancelled sleep passes before or after a reading`()
    async
  {
    let outcomes = Collected()
    var settings = ExplorationSettings.interleavings()
    settings.timers = .racing
    let report = await exploreInterleavings(settings) { program in
      program.task {
        let first = ContinuousClock.now
        let sleep = Task { try await Task.sleep(for: .seconds(10)) }
        await Task.yield()
        sleep.cancel()
        let end = (try? await sleep.value) == nil ? "cancelled" : "over"
        let isLate = first.duration(to: .now) >= .seconds(10)
        outcomes.insert(isLate ? "\(end), late" : end)
      }
    }
    #expect(report.failure == nil, "\(report)")
    #expect(report.isExhaustive, "\(report)")
    #expect(outcomes.values == ["cancelled", "cancelled, late", "over, late"])
  }

  @Test func `with racing timers, the report says that a sleep of a thread is never early`() async {
    var settings = ExplorationSettings.interleavings()
    settings.timers = .racing
    let report = await exploreInterleavings(settings) { program in
      program.task { usleep(1000) }
      program.task { try? await Task.sleep(for: .seconds(1)) }
    }
    #expect(!report.isExhaustive)
    #expect("\(report)".contains("never ended before a racing timer"), "\(report)")
  }

  @Test func `a report says where a loop has moved the time`() async {
    let (report, _) = await exploreTask { _ in
      let deadline = ContinuousClock.now.advanced(by: .seconds(1))
      while ContinuousClock.now < deadline {}
    }
    #expect(!report.isExhaustive)
    #expect("\(report)".contains("read a clock again and again without sleeping"), "\(report)")
  }

  private static func timesOut(_ semaphore: DispatchSemaphore, after limit: DispatchTimeInterval)
    -> Bool
  {
    semaphore.wait(timeout: .now() + limit) == .timedOut
  }

  private static func require(_ isTrue: Bool) throws {
    if !isTrue { throw Wrong() }
  }
}

/// A lock that one thread holds.
private final class HeldLock: Sendable {
  private let lock = NSLock()

  func timesOut(after seconds: Double) -> Bool {
    lock.withLock {
      let start = Date()
      return !lock.lock(before: start + seconds) && -start.timeIntervalSinceNow >= seconds - 0.001
    }
  }
}

/// Threads wait until it is open, or until a time.
private final class Gate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false

  func wait(until limit: Date) -> Bool {
    condition.withLock {
      while !isOpen, condition.wait(until: limit) {}
      return isOpen
    }
  }

  func open() {
    condition.withLock { isOpen = true }
    condition.signal()
  }
}

/// Written by the one task of a program, and read by its check.
private final class LastInstant: @unchecked Sendable {
  var value: ContinuousClock.Instant?
}
