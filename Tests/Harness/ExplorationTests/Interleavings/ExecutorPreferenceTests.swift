import Foundation
import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Tasks and actors with an executor of their own.
@Suite(.onObservedRuntime) struct ExecutorPreferenceTests {
  private typealias Body = @Sendable (Mutexed) async -> Void

  /// Expects that each way is scheduled in every order, with these outcomes.
  private func expect(_ expected: Set<String>, from ways: [Body]) async {
    for (number, way) in ways.enumerated() {
      let (report, outcomes) = await exploreTask(way)
      #expect(report.uncontrolled.isEmpty, "way \(number)")
      #expect(report.isExhaustive, "way \(number)")
      #expect(outcomes == expected, "way \(number)")
    }
  }

  /// Expects that the report names the executor that task `A`, or a task in it, has.
  private func expectReport(of ways: [Body]) async {
    for (number, way) in ways.enumerated() {
      let (report, _) = await exploreTask(way)
      let work = report.uncontrolled.first { $0.kind == .otherExecutor }
      #expect(work?.firstTask?.hasPrefix("A") == true, "way \(number)")
      #expect(!report.isExhaustive, "way \(number)")
    }
  }

  @Test func `a task that prefers the global executor is scheduled in every order`() async {
    let global = globalConcurrentExecutor
    let none: (any TaskExecutor)? = nil
    let ways: [Body] = [
      { log in Task(executorPreference: global) { log.append("b") } },
      { log in Task(executorPreference: none) { log.append("b") } },
      { log in Task(name: "b") { log.append("b") } },
      { log in Task(name: "b", executorPreference: global) { log.append("b") } },
      { log in Task.detached(executorPreference: global) { log.append("b") } },
      { log in Task.detached(executorPreference: none) { log.append("b") } },
      { log in await withTaskExecutorPreference(global) { _ = Task { log.append("b") } } },
    ]
    let all = ways.map { way -> Body in
      { log in
        await way(log)
        log.append("a")
      }
    }
    await expect(["ab", "ba"], from: all)
  }

  @Test func `a child task that prefers the global executor is scheduled in every order`() async {
    let global = globalConcurrentExecutor
    let ways: [Body] = [
      { log in
        await withTaskGroup { group in
          group.addTask(executorPreference: global) { log.append("b") }
          log.append("a")
        }
      },
      { log in
        await withThrowingTaskGroup { group in
          _ = group.addTaskUnlessCancelled(executorPreference: global) { log.append("b") }
          log.append("a")
        }
      },
      { log in
        await withDiscardingTaskGroup { group in
          group.addTask(executorPreference: global) { log.append("b") }
          log.append("a")
        }
      },
      { log in
        await withTaskExecutorPreference(global) {
          async let child: Void = log.append("b")
          log.append("a")
          await child
        }
      },
    ]
    await expect(["ab", "ba"], from: ways)
  }

  @Test func `a function that prefers the global executor is scheduled like others`() async {
    let ways: [Body] = [
      { log in await withTaskExecutorPreference(globalConcurrentExecutor) { log.append("done") } },
      { log in
        await withTaskExecutorPreference(globalConcurrentExecutor) {
          await PlainActor().append("do", to: log)
          await Task.yield()
          log.append("ne")
        }
      },
      { log in await PlainActor().appendOnGlobalExecutor("done", to: log) },
    ]
    await expect(["done"], from: ways)
  }

  @Test func `a task on the main actor that prefers the global executor is waited for`() async {
    let (report, outcomes) = await exploreTask { log in
      Task(executorPreference: globalConcurrentExecutor) { @MainActor in log.append("done") }
    }
    #expect(report.uncontrolled.map(\.kind) == [.mainActor])
    #expect(!report.isExhaustive)
    #expect(outcomes == ["done"])
  }

  @Test func `a task that prefers another executor is reported`() async {
    // Another thread, because Dispatch would be reported anyway.
    let other = ThreadExecutor.shared
    let ways: [Body] = [
      { log in Task(executorPreference: other) { log.append("b") } },
      { log in Task(executorPreference: other) { @MainActor in log.append("b") } },
      { log in Task(name: "b", executorPreference: other) { log.append("b") } },
      { log in Task.detached(executorPreference: other) { log.append("b") } },
      { log in Task.immediate(executorPreference: other) { log.append("b") } },
      { log in Task.immediateDetached(executorPreference: other) { log.append("b") } },
      { log in
        await withTaskGroup { $0.addTask(executorPreference: other) { log.append("b") } }
      },
      { log in
        await withDiscardingTaskGroup { group in
          _ = group.addTaskUnlessCancelled(executorPreference: other) { log.append("b") }
        }
      },
      { log in await withTaskExecutorPreference(other) { log.append("b") } },
    ]
    await expectReport(of: ways)
  }

  @Test func `work on an actor with its own executor is reported`() async {
    let ways: [Body] = [
      { log in await ThreadActor().append("b", to: log) },
      { log in Task { await ThreadActor().append("b", to: log) } },
      { log in Task { @ThreadGlobal in log.append("b") } },
      { log in Task.detached { @ThreadGlobal in log.append("b") } },
      { log in
        Task(executorPreference: globalConcurrentExecutor) { @ThreadGlobal in log.append("b") }
      },
      { log in await withTaskGroup { $0.addTask { @ThreadGlobal in log.append("b") } } },
      { log in
        async let child: Void = appendOnThread("b", to: log)
        await child
      },
    ]
    await expectReport(of: ways)
  }

  @Test func `an executor that a task prefers in the setup is reported`() async {
    let report = await exploreInterleavings { program in
      Task(executorPreference: ThreadExecutor.shared) {}
      program.task { await Task.yield() }
    }
    #expect(report.uncontrolled.map(\.kind) == [.otherExecutor])
    #expect(!report.isExhaustive)
  }
}

private actor PlainActor {
  func append(_ text: String, to log: Mutexed) { log.append(text) }

  func appendOnGlobalExecutor(_ text: String, to log: Mutexed) async {
    await withTaskExecutorPreference(globalConcurrentExecutor) { log.append(text) }
  }
}

/// Runs jobs in FIFO order on a thread that exists before any exploration.
///
/// Unchecked, and sound: the jobs are accessed only under the condition's lock.
private final class ThreadExecutor: TaskExecutor, SerialExecutor, @unchecked Sendable {
  static let shared = ThreadExecutor()

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []

  private init() { Thread { [self] in runJobs() }.start() }

  private func runJobs() {
    while true {
      condition.lock()
      while jobs.isEmpty { condition.wait() }
      let job = jobs.removeFirst()
      condition.unlock()
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    condition.signal()
    condition.unlock()
  }
}

@globalActor private actor ThreadGlobal {
  static let shared = ThreadGlobal()
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    ThreadExecutor.shared.asUnownedSerialExecutor()
  }
}

@ThreadGlobal private func appendOnThread(_ text: String, to log: Mutexed) { log.append(text) }

private actor ThreadActor {
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    ThreadExecutor.shared.asUnownedSerialExecutor()
  }
  func append(_ text: String, to log: Mutexed) { log.append(text) }
}
