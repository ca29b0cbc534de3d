import Dispatch
import Foundation
import SystemLocks
import Testing

@testable import ExplorationEngine

/// Work outside the schedules is waited for and reported.
@Suite(.onObservedRuntime) struct UncontrolledWorkTests {
  @Test func `a Task {} is scheduled like others and ends before the check`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      Task {
        await Task.yield()
        log.append("done")
      }
    }
    #expect(report.uncontrolled.isEmpty)
    #expect(outcomes == ["done"])
  }

  @Test func `a Task.immediate is reported`() async {
    let (report, _) = await exploreTask(runs: 3) { log in
      let task = Task.immediate {
        await Task.yield()
        log.append("done")
      }
      await task.value
    }
    #expect(report.uncontrolled.map(\.kind).contains(.immediateTask))
    #expect(report.uncontrolled.first { $0.kind == .immediateTask }?.firstTask == "A")
    #expect(!report.isExhaustive)
  }

  @Test func `random bytes from the system are reported`() async {
    let (report, _) = await exploreTask(runs: 3) { log in log.append("\(Int.random(in: 0...9))") }
    #expect(report.uncontrolled.map(\.kind) == [.randomness])
    #expect(!report.isExhaustive)
  }

  @Test func `a thread that nobody waits for is reported`() async {
    let (report, _) = await exploreTask(runs: 3) { log in
      Thread { log.append("done") }.start()
    }
    #expect(report.uncontrolled.map(\.kind) == [.thread])
    #expect(!report.isExhaustive)
  }

  @Test func `tasks of different priority are reported`() async {
    let (report, _) = await exploreTask(runs: 3) { log in
      await Task(priority: .low) { log.append("done") }.value
    }
    #expect(report.description.contains("priorit"))
    #expect(!report.isExhaustive)
  }

  @Test func `a detached task is scheduled like others and ends before the check`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      let task = Task.detached { log.append("done") }
      await task.value
    }
    #expect(report.uncontrolled.isEmpty)
    #expect(outcomes == ["done"])
  }

  @Test func `a call of the main actor is reported and waited for`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      await MainActor.run { log.append("done") }
    }
    #expect(report.failure == nil)
    #expect(report.uncontrolled.map(\.kind).contains(.mainActor))
    #expect(!report.isExhaustive)
    #expect(outcomes == ["done"])
  }

  @Test func `a new task on the main actor is reported and ends before the check`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      Task { @MainActor in log.append("done") }
    }
    #expect(report.failure == nil)
    #expect(report.uncontrolled.map(\.kind).contains(.mainActor))
    #expect(!report.isExhaustive)
    #expect(outcomes == ["done"])
  }

  @Test func `a new task on a busy main actor ends before the check`() async {
    // The runtime enqueues such a task again from the main actor, whenever the task enters or
    // returns to a function there. Other jobs may come in between.
    let ways: [@Sendable (Mutexed) -> Void] = [
      { log in Task { @MainActor in log.append("done") } },
      { log in Task.detached { @MainActor in log.append("done") } },
      { log in Task { @MainActor in Task { @MainActor in log.append("done") } } },
      { log in
        Task { @MainActor in
          for _ in 0..<10 { await takeTurn() }
          log.append("done")
        }
      },
    ]
    for (number, way) in ways.enumerated() {
      let outcomes = Collected()
      var settings = ExplorationSettings.interleavings()
      settings.runs = 3
      settings.outsideWait = .seconds(30)
      _ = await exploreInterleavings(settings) { program in
        let log = Mutexed()
        let isChecked = DispatchSemaphore(value: 0)
        program.task("A") {
          Self.occupyMainQueue(until: isChecked)
          way(log)
        }
        program.check { () throws -> Void in
          outcomes.insert(log.text)
          isChecked.signal()
        }
      }
      #expect(outcomes.values == ["done"], "way \(number)")
    }
  }

  /// Keeps the main queue busy until the scheduler waits for it, and then, if the scheduler stops
  /// waiting before the queue's last job, until the check is over.
  private static func occupyMainQueue(until isChecked: DispatchSemaphore) {
    guard let inbox = Scheduler.current.value?.inbox else { return }
    DispatchQueue.main.async {
      for _ in 0..<100_000 where !inbox.isExpecting { usleep(100) }
      // The scheduler enqueues its marker right after it has announced it.
      usleep(1000)
      DispatchQueue.main.async {
        if !inbox.isExpecting { _ = isChecked.wait(timeout: .now() + 10) }
      }
    }
  }

  @Test func `a task that yields on the main actor ends before the check`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      Task { @MainActor in
        for _ in 0..<20 { await Task.yield() }
        log.append("done")
      }
    }
    #expect(report.failure == nil)
    #expect(outcomes == ["done"])
  }

  @Test func `a task that is resumed on the main actor ends before the check`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      Task { @MainActor in
        for await _ in stream { break }
        log.append("done")
      }
      await Task.yield()
      continuation.yield()
    }
    #expect(report.failure == nil)
    #expect(outcomes == ["done"])
  }

  @Test func `a task that polls on the main actor is cut off`() async {
    let (report, _) = await exploreTask(runs: 3) { _ in
      Task { @MainActor in
        while !Task.isCancelled { await Task.yield() }
      }
    }
    #expect(report.failure == nil)
    #expect(report.cutOff == report.schedules)
    #expect(!report.isExhaustive)
  }

  @Test func `a block submitted to a dispatch queue is reported`() async {
    let ways: [@Sendable (Mutexed) -> Void] = [
      { log in DispatchQueue.global().async { log.append("done") } },
      { log in DispatchQueue(label: "own").async { log.append("done") } },
      { log in DispatchQueue.global().async(flags: .barrier) { log.append("done") } },
      { log in DispatchQueue.global().async(group: DispatchGroup()) { log.append("done") } },
      { log in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
          log.append("done")
        }
      },
      { log in OperationQueue().addOperation { log.append("done") } },
    ]
    for (number, way) in ways.enumerated() {
      let (report, _) = await exploreTask(runs: 3) { log in way(log) }
      #expect(report.uncontrolled.map(\.kind) == [.dispatch], "way \(number)")
      #expect(report.uncontrolled.first?.firstTask == "A")
      #expect(!report.isExhaustive)
    }
  }

  @Test func `a task resumed by a dispatch queue is reported and waited for`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
          continuation.resume()
        }
      }
      log.append("done")
    }
    #expect(report.failure == nil)
    #expect(report.uncontrolled.map(\.kind).contains(.otherThread))
    #expect(!report.isExhaustive)
    #expect(outcomes == ["done"])
  }

  @Test func `a task resumed by another thread is reported and waited for`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      await withCheckedContinuation { continuation in
        // In a task, because a thread may resume this one before it suspends, which is no wake-up.
        Task {
          Thread { continuation.resume() }.start()
        }
      }
      log.append("done")
    }
    #expect(report.failure == nil)
    #expect(report.uncontrolled.map(\.kind).contains(.otherThread))
    #expect(outcomes == ["done"])
  }

  @Test func `an actor with a custom executor is reported`() async {
    let (report, outcomes) = await exploreTask(runs: 3) { log in
      let actor = QueueActor()
      await actor.append("done", to: log)
    }
    #expect(report.failure == nil)
    #expect(!report.uncontrolled.isEmpty)
    #expect(outcomes == ["done"])
  }

  @Test func `a nondeterministic program is reported, because a schedule runs twice`() async {
    let flips = CoinBox()
    let report = await exploreInterleavings { program in
      program.task {
        if flips.flip() { await Task.yield() }
        await Task.yield()
      }
      program.task { await Task.yield() }
    }
    #expect(report.uncontrolled.map(\.kind).contains(.unknown))
    #expect(!report.isExhaustive)
  }

  @Test func `a program without such work reports none`() async {
    let (report, _) = await exploreTask(runs: 3) { log in
      try? await Task.sleep(for: .seconds(1))
      log.append("done")
    }
    #expect(report.uncontrolled.isEmpty)
    #expect(report.isExhaustive)
  }
}

@MainActor private func takeTurn() async {}

/// A value that alternates from run to run and that no schedule decides.
private final class CoinBox: Sendable {
  private let count = Mutex(0)
  func flip() -> Bool {
    count.withLock {
      $0 += 1
      return $0 % 2 == 0
    }
  }
}

private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "interleavings.test")
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

private actor QueueActor {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  func append(_ text: String, to log: Mutexed) { log.append(text) }
}
