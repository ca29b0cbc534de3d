import SystemFibers
import Testing

/// What the runtime keeps per thread follows a job that pauses in the middle.
@Suite(.enabled(if: Fiber.isAvailable)) struct RuntimeStateTests {
  @TaskLocal private static var number = 0

  @Test func `task-local values stay with their task`() {
    let result = FiberScheduler().explore { scheduler in
      let isRight = Box(true)
      for number in 1...3 {
        scheduler.start {
          Self.$number.withValue(number) {
            scheduler.pause()
            Self.$number.withValue(number * 10) {
              scheduler.pause()
              if Self.number != number * 10 { isRight.value = false }
            }
            if Self.number != number { isRight.value = false }
          }
          if Self.number != 0 { isRight.value = false }
        }
      }
      return { "\(isRight.value)" }
    }
    #expect(result.outcomes.keys.sorted() == ["true"])
    // The orders of three tasks of three segments each: 9! / (3! 3! 3!).
    #expect(result.schedules == 1680)
  }

  @Test func `task-local values outside tasks stay with their fiber`() throws {
    let seen = Box<[Int]>([])
    let fibers = try (1...2).map { number in
      try #require(
        Fiber {
          Self.$number.withValue(number) {
            Fiber.pause()
            seen.value.append(Self.number)
          }
        })
    }
    for fiber in fibers { #expect(fiber.resume() == .paused) }
    #expect(Self.number == 0)
    for fiber in fibers { #expect(fiber.resume() == .finished) }
    #expect(seen.value == [1, 2])
  }

  @Test func `the current task is right after a pause`() {
    let result = FiberScheduler().explore { scheduler in
      let isRight = Box(true)
      let cancelled = scheduler.start {
        scheduler.pause()
        if !Task.isCancelled { isRight.value = false }
      }
      scheduler.start {
        scheduler.pause()
        if Task.isCancelled { isRight.value = false }
      }
      cancelled.cancel()
      return { "\(isRight.value)" }
    }
    #expect(result.outcomes.keys.sorted() == ["true"])
    #expect(result.schedules == 6)
  }

  private actor Writer {
    // Read from outside when every task is over.
    nonisolated(unsafe) private(set) var log = ""

    func write(_ name: String, pausingOn scheduler: FiberScheduler) {
      log += name + "("
      scheduler.pause()
      assumeIsolated { $0.log += name + ")" }
    }
  }

  @Test func `an actor whose job is paused keeps others out, and they queue`() {
    let result = FiberScheduler().explore { scheduler in
      let writer = Writer()
      for name in ["1", "2"] {
        scheduler.start { await writer.write(name, pausingOn: scheduler) }
      }
      return { writer.log }
    }
    #expect(result.isExhaustive)
    #expect(result.outcomes.keys.sorted() == ["1(1)2(2)", "2(2)1(1)"])
  }

  /// Each property is accessed dynamically, so an access is in the thread's set while it lasts.
  private final class Holder: @unchecked Sendable {
    // Unchecked: one thread.
    var value = 0
  }

  @inline(never)
  private static func modify(_ value: inout Int, _ body: () -> Void) {
    body()
    value += 1
  }

  @Test func `accesses of several jobs overlap and end in any order`() {
    let result = FiberScheduler().explore { scheduler in
      let holders = (0..<3).map { _ in Holder() }
      for holder in holders {
        scheduler.start { Self.modify(&holder.value) { scheduler.pause() } }
      }
      return { holders.map { "\($0.value)" }.joined() }
    }
    #expect(result.outcomes.keys.sorted() == ["111"])
    #expect(result.schedules == 90)
  }

  @Test func `an access in one job does not conflict with one in another, as on two threads`() {
    let result = FiberScheduler().explore { scheduler in
      let holder = Holder()
      for _ in 0..<2 {
        scheduler.start {
          // With one set for both jobs, the runtime would end the process here.
          Self.modify(&holder.value) { scheduler.pause() }
          await Task.yield()
          Self.modify(&holder.value) { scheduler.pause() }
        }
      }
      return { "\(holder.value)" }
    }
    #expect(result.isExhaustive)
    #expect(result.outcomes.keys.contains("4"))
  }

  @Test func `priority is escalated while the task is paused`() {
    let result = FiberScheduler().explore { scheduler in
      let priorities = Box<[TaskPriority]>([])
      let low = Task(executorPreference: scheduler, priority: .low) {
        scheduler.pause()
        priorities.value.append(Task.currentPriority)
      }
      Task(executorPreference: scheduler, priority: .high) { await low.value }
      return { priorities.value.map { $0 == .high ? "high" : "low" }.joined() }
    }
    #expect(result.isExhaustive)
    #expect(result.outcomes.keys.sorted() == ["high", "low"])
  }

  // MARK: - The lock on status records

  /// Suspends until the task is cancelled, and reports whether the handler could pause.
  private static func waitForCancellation(_ log: Box<[Bool]>) async {
    let waiting = Box<CheckedContinuation<Void, Never>?>(nil)
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting.value = $0 }
    } onCancel: {
      log.value.append(Fiber.canPause)
      waiting.value.take()?.resume()
    }
  }

  private func handlerCouldPause(
    _ program: @escaping @Sendable (FiberScheduler, Box<[Bool]>) async -> Void
  ) -> [Bool] {
    let log = Box<[Bool]>([])
    // The scheduler does not pause, so there is one order; jobs run in fibers nevertheless.
    let scheduler = FiberScheduler(pauses: false, usesFibers: true)
    _ = scheduler.explore(limit: 1) { scheduler in
      scheduler.start { await program(scheduler, log) }
      return { "" }
    }
    return log.value
  }

  @Test func `a cancellation handler must not pause when cancel() calls it`() {
    let log = handlerCouldPause { scheduler, log in
      let task = scheduler.start { await Self.waitForCancellation(log) }
      await Task.yield()
      task.cancel()
      log.value.append(Fiber.canPause)
      await task.value
      log.value.append(Fiber.canPause)
    }
    #expect(log == [false, true, true])
  }

  @Test func `nor when a group, its end or an async let cancels`() {
    #expect(
      handlerCouldPause { _, log in
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await Self.waitForCancellation(log) }
          await Task.yield()
          group.cancelAll()
        }
      } == [false])
    #expect(
      handlerCouldPause { _, log in
        async let _ = Self.waitForCancellation(log)
        await Task.yield()
      } == [false])
    #expect(
      handlerCouldPause { _, log in
        struct Failure: Error {}
        try? await withThrowingDiscardingTaskGroup { group in
          group.addTask { await Self.waitForCancellation(log) }
          group.addTask {
            await Task.yield()
            throw Failure()
          }
        }
      } == [false])
  }

  @Test func `it may pause when its task was cancelled before`() {
    let log = handlerCouldPause { scheduler, log in
      let task = scheduler.start {
        await Task.yield()
        await withTaskCancellationHandler {
        } onCancel: {
          log.value.append(Fiber.canPause)
        }
      }
      task.cancel()
      await task.value
    }
    #expect(log == [true])
  }

  @Test func `a priority escalation handler must not pause`() {
    let log = handlerCouldPause { scheduler, log in
      let waiting = Box<CheckedContinuation<Void, Never>?>(nil)
      let low = Task(executorPreference: scheduler, priority: .low) {
        await withTaskPriorityEscalationHandler {
          await withCheckedContinuation { waiting.value = $0 }
        } onPriorityEscalated: { _, _ in
          log.value.append(Fiber.canPause)
        }
      }
      await Task.yield()
      let high = Task(executorPreference: scheduler, priority: .high) { await low.value }
      await Task.yield()
      await Task.yield()
      waiting.value?.resume()
      await high.value
    }
    #expect(log == [false])
  }

  @Test func `a task that a handler wakes does not go before the end of cancel()`() {
    let result = FiberScheduler().explore { scheduler in
      let log = Box("")
      let waiting = Box<CheckedContinuation<Void, Never>?>(nil)
      let task = scheduler.start {
        await withTaskCancellationHandler {
          await withCheckedContinuation { waiting.value = $0 }
        } onCancel: {
          waiting.value.take()?.resume()
          log.value += "h"
        }
        log.value += "w"
      }
      scheduler.start {
        task.cancel()
        log.value += "c"
      }
      return { log.value }
    }
    #expect(result.isExhaustive)
    #expect(result.refusedPauses > 0)
    // The second is a task that was cancelled before it came to wait: its handler finds nothing.
    #expect(!result.outcomes.keys.contains { $0.contains("wh") })
  }
}
