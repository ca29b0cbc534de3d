import Foundation
import Synchronization
import SystemFibers
import Testing

/// With jobs that pause where they make others ready, every order of small programs is found.
@Suite(.enabled(if: Fiber.isAvailable)) struct FiberExplorationTests {
  private actor Config {
    private(set) var theme = "light"
    func set(_ theme: String) { self.theme = theme }
  }

  private static func asyncLet(_ scheduler: FiberScheduler) -> () -> String {
    let config = Config()
    let seen = Box("")
    scheduler.start {
      async let shown = config.theme
      await config.set("dark")
      seen.value = await shown
    }
    return { seen.value }
  }

  @Test func `an async let sees the state before and after its creator's next call`() {
    let result = FiberScheduler().explore(Self.asyncLet)
    #expect(result.isExhaustive)
    #expect(result.outcomes.keys.sorted() == ["dark", "light"])
  }

  @Test func `without pauses, one of them is missing`() {
    let result = FiberScheduler(pauses: false).explore(Self.asyncLet)
    #expect(result.isExhaustive)
    #expect(result.outcomes.count == 1)
  }

  @Test func `a group's children and their creator come in all orders`() {
    let result = FiberScheduler().explore { scheduler in
      let log = Box("")
      scheduler.start {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { log.value += "a" }
          group.addTask { log.value += "b" }
          log.value += "p"
        }
      }
      return { log.value }
    }
    #expect(result.isExhaustive)
    #expect(result.outcomes.keys.sorted() == ["abp", "apb", "bap", "bpa", "pab", "pba"])
    #expect(result.schedules == 10)
  }

  @Test func `a task that is woken may go before the rest of its waker`() {
    let result = FiberScheduler().explore { scheduler in
      let log = Box("")
      scheduler.start {
        await withCheckedContinuation { continuation in
          scheduler.start {
            continuation.resume()
            log.value += "r"
          }
        }
        log.value += "w"
      }
      return { log.value }
    }
    #expect(result.isExhaustive)
    #expect(result.outcomes.keys.sorted() == ["rw", "wr"])
  }

  /// A lock at which another task may run before it is taken.
  private final class ExploredLock: @unchecked Sendable {
    // Unchecked: one thread.
    private var isLocked = false
    private let scheduler: FiberScheduler

    init(_ scheduler: FiberScheduler) { self.scheduler = scheduler }

    func withLock<Result>(_ body: () -> Result) -> Result {
      scheduler.pause()
      while isLocked { scheduler.pause(until: { !self.isLocked }) }
      isLocked = true
      defer { isLocked = false }
      return body()
    }
  }

  @Test(arguments: [(2, 20), (3, 1680)])
  func `a read and a write under separate locks lose an update`(tasks: Int, schedules: Int) {
    let result = FiberScheduler().explore { scheduler in
      let lock = ExploredLock(scheduler)
      let count = Box(0)
      for _ in 0..<tasks {
        scheduler.start {
          let value = lock.withLock { count.value }
          lock.withLock { count.value = value + 1 }
        }
      }
      return { "\(count.value)" }
    }
    #expect(result.isExhaustive)
    #expect(result.schedules == schedules)
    #expect(result.outcomes.keys.sorted() == (1...tasks).map { "\($0)" })
  }

  @Test func `locks in two orders deadlock`() {
    let result = FiberScheduler().explore { scheduler in
      let locks = [ExploredLock(scheduler), ExploredLock(scheduler)]
      let finished = Box(0)
      for (first, second) in [(0, 1), (1, 0)] {
        scheduler.start { locks[first].withLock { locks[second].withLock { finished.value += 1 } } }
      }
      return { finished.value == 2 ? "finished" : "deadlocked" }
    }
    #expect(result.isExhaustive)
    #expect(result.outcomes.keys.sorted() == ["deadlocked", "finished"])
  }

  @Test func `thousands of schedules take no more stacks than a few`() {
    let before = Fiber.stackCount
    let result = FiberScheduler().explore(limit: 5000) { scheduler in
      let log = Box(0)
      for _ in 0..<4 {
        scheduler.start {
          for _ in 0..<4 {
            scheduler.pause()
            log.value += 1
          }
        }
      }
      return { "\(log.value)" }
    }
    #expect(result.schedules == 5000)
    #expect(result.outcomes.keys.sorted() == ["16"])
    #expect(Fiber.stackCount <= before + 5)
  }

  private final class Guarded: Sendable {
    let text = Synchronization.Mutex("")
  }

  @Test func `a real mutex that is held across a pause makes other fibers wait`() async {
    // In a process of its own: the handler is the process's.
    await #expect(processExitsWith: .success) {
      Fiber.setLockHandler { lock in
        guard let scheduler = FiberScheduler.current, Fiber.canPause else { return false }
        scheduler.pause(until: { !lock.isHeld })
        return true
      }
      let scheduler = FiberScheduler()
      FiberScheduler.current = scheduler
      let result = scheduler.explore { scheduler in
        let guarded = Guarded()
        for _ in 0..<2 {
          scheduler.start {
            await withCheckedContinuation { continuation in
              guarded.text.withLock { text in
                text += "("
                // Makes a task ready, so the job pauses with the mutex held.
                scheduler.start { continuation.resume() }
                text += ")"
              }
            }
          }
        }
        return { guarded.text.withLock { $0 } }
      }
      #expect(result.isExhaustive)
      #expect(result.outcomes.keys.sorted() == ["()()"])
      #expect(result.schedules > 10)
      FiberScheduler.current = nil
    }
  }

  @Test func `a Task {} in an actor comes in all orders, by the hook for global enqueues`() async {
    // In a process of its own: the hook is the process's, and the engine has its own there.
    await #expect(processExitsWith: .success) {
      let slot = try #require(GlobalEnqueueHook.slot)
      slot.pointee = { job, original in
        if let scheduler = FiberScheduler.current {
          scheduler.receive(job)
        } else {
          original(job)
        }
      }
      let scheduler = FiberScheduler()
      FiberScheduler.current = scheduler
      let result = scheduler.explore { scheduler in
        let writer = Writer()
        scheduler.start {
          await writer.begin()
          await writer.add("a")
        }
        scheduler.start { await writer.add("o") }
        return { writer.assumeOver() }
      }
      FiberScheduler.current = nil
      slot.pointee = nil
      #expect(result.isExhaustive)
      // The optimiser lets a caller go on in the actor from one call to the next.
      let orders = [["beota", "betao", "betoa", "obeta"], ["beaot", "beato", "obeat"]]
      #expect(orders.contains(result.outcomes.keys.sorted()))
    }
  }

  private enum GlobalEnqueueHook {
    typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

    static var slot: UnsafeMutablePointer<Hook?>? {
      dlsym(nil, "swift_task_enqueueGlobal_hook")?.assumingMemoryBound(to: Hook?.self)
    }
  }

  private actor Writer {
    // Read when every task is over.
    nonisolated(unsafe) private var log = ""

    func begin() {
      log += "b"
      Task { add("t") }
      log += "e"
    }

    func add(_ text: String) { log += text }
    nonisolated func assumeOver() -> String { log }
  }
}
