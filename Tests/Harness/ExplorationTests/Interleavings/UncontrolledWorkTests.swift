import Dispatch
import Foundation
import SystemLocks
import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Work outside the schedules is waited for and reported.
@Suite(.onObservedRuntime) struct UncontrolledWorkTests {
  /// Work of one task, and what the report says about it.
  struct Work: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The kind as which the work is reported, if the schedules do not control it.
    var kind: UncontrolledWork.Kind?
    /// Whether nothing else is reported.
    var isOnlyKind = false
    /// Whether the report names the task.
    var namesTask = false
    /// Whether the work ends before the check.
    var isWaitedFor = true
    var body: @Sendable (Mutexed) async -> Void

    init(
      _ name: String, _ kind: UncontrolledWork.Kind? = nil, isOnlyKind: Bool = false,
      namesTask: Bool = false, isWaitedFor: Bool = true,
      _ body: @escaping @Sendable (Mutexed) async -> Void
    ) {
      (testDescription, self.kind, self.isOnlyKind) = (name, kind, isOnlyKind)
      (self.namesTask, self.isWaitedFor, self.body) = (namesTask, isWaitedFor, body)
    }

    static func block(_ name: String, _ body: @escaping @Sendable (Mutexed) -> Void) -> Self {
      Work(name, .dispatch, isOnlyKind: true, namesTask: true, isWaitedFor: false) { body($0) }
    }
  }

  private static let work = [
    Work("a Task {}") { log in
      Task {
        await Task.yield()
        log.append("done")
      }
    },
    Work("a detached task") { log in await Task.detached { log.append("done") }.value },
    Work("a sleep") { log in
      try? await Task.sleep(for: .seconds(1))
      log.append("done")
    },
    Work("a Task.immediate", .immediateTask, namesTask: true) { log in
      let task = Task.immediate {
        await Task.yield()
        log.append("done")
      }
      await task.value
    },
    Work("random bytes", .randomness, isOnlyKind: true) { log in
      log.append(Int.random(in: 0...9) < 10 ? "done" : "")
    },
    Work("a thread that nobody waits for", .thread, isOnlyKind: true, isWaitedFor: false) { log in
      Thread { log.append("done") }.start()
    },
    Work("a call of the main actor", .mainActor) { log in
      await MainActor.run { log.append("done") }
    },
    Work("a new task on the main actor", .mainActor) { log in
      Task { @MainActor in log.append("done") }
    },
    Work("a task that yields on the main actor", .mainActor) { log in
      Task { @MainActor in
        for _ in 0..<20 { await Task.yield() }
        log.append("done")
      }
    },
    Work("a task that is resumed on the main actor", .mainActor) { log in
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      Task { @MainActor in
        for await _ in stream { break }
        log.append("done")
      }
      await Task.yield()
      continuation.yield()
    },
    Work("a task that a dispatch queue resumes", .otherThread) { log in
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
          continuation.resume()
        }
      }
      log.append("done")
    },
    Work("a task that a thread resumes", .otherThread) { log in
      await withCheckedContinuation { continuation in
        // In a task, because a thread may resume this one before it suspends, which is no wake-up.
        Task {
          Thread { continuation.resume() }.start()
        }
      }
      log.append("done")
    },
    Work("an actor with a custom executor", .otherExecutor) { log in
      await QueueActor().append("done", to: log)
    },
    .block("a block") { log in DispatchQueue.global().async { log.append("done") } },
    .block("a block on a serial queue") { log in
      DispatchQueue(label: "own").async { log.append("done") }
    },
    .block("a barrier") { log in
      DispatchQueue.global().async(flags: .barrier) { log.append("done") }
    },
    .block("a block of a group") { log in
      DispatchQueue.global().async(group: DispatchGroup()) { log.append("done") }
    },
    .block("a delayed block") { log in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { log.append("done") }
    },
    .block("an operation") { log in OperationQueue().addOperation { log.append("done") } },
  ]

  @Test(arguments: work)
  func `work outside the schedules is reported, and waited for if a task waits`(
    work: Work
  ) async {
    let (report, outcomes) = await exploreTask(runs: 3, work.body)
    #expect(report.failure == nil)
    if work.isWaitedFor { #expect(outcomes == ["done"]) }
    let kinds = report.uncontrolled.map(\.kind)
    if let kind = work.kind {
      #expect(work.isOnlyKind ? kinds == [kind] : kinds.contains(kind), "\(kinds)")
      #expect(!report.isExhaustive)
    } else {
      #expect(kinds.isEmpty)
    }
    if work.namesTask {
      #expect(report.uncontrolled.first { $0.kind == work.kind }?.firstTask == "A")
    }
  }

  @Test func `tasks of different priority are reported`() async {
    let (report, _) = await exploreTask(runs: 3) { log in
      await Task(priority: .low) { log.append("done") }.value
    }
    #expect(report.description.contains("priorit"))
    #expect(!report.isExhaustive)
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
