import SystemThreads

/// Makes a default actor give up its turn after each task that it runs.
///
/// An actor that gets a turn runs every task in its queue without returning to the scheduler, so no
/// schedule could place another job between two of them. A real program can: another thread may run
/// at any moment.
///
/// A turnstile is a task of the engine that is enqueued on the actor behind each waiting task. When
/// the actor runs it, it switches from the actor to the global executor. The runtime performs that
/// switch on the same thread without enqueuing a job, and the actor gives up its turn for it. If
/// tasks still wait, the actor asks for another turn, which is a new job that the scheduler can
/// delay.
///
/// This depends on the runtime's inline executor switch, so ``works`` tries it once per process.
/// Where it fails, schedules are explored with all waiting tasks of an actor in one step.
enum Turnstile {
  private static let passed = PassCounter()

  /// Whether a turnstile divides an actor's turn.
  static let works: Bool = {
    guard RuntimeLayout.probed.isReadable, EnqueueHooks.isInstalled else { return false }
    let scheduler = Scheduler(
      stepLimit: 100, outsideWait: .zero, dividesTurns: true, usesFibers: false)
    let counter = TurnCounter()
    scheduler.prepare()
    let tasks = ["1", "2"].map { name in scheduler.start(name) { await counter.count() } }
    let probe = TurnProbe(counter)
    guard scheduler.run(probe) == .finished else {
      scheduler.retire()
      return false
    }
    return probe.turnsAfterFirst == 1 && withExtendedLifetime(tasks) { counter.turns == 2 }
  }()

  /// Enqueues a turnstile behind the tasks that wait for an actor.
  static func plant(behindQueueOf actor: any Actor) { plantFromOutside(actor) }

  /// ``plant(on:)`` as a function without isolation.
  ///
  /// A task that is created in an isolated function is enqueued on that actor, in order of
  /// creation; a task that hops to the actor itself would arrive later. Calling the function from
  /// outside is sound: it only creates a task and does not access the actor's state. The cast is
  /// what `assumeIsolated` does, without its check that the caller is on the actor.
  private static let plantFromOutside: @Sendable (any Actor) -> Void = {
    let plant: @Sendable (isolated any Actor) -> Void = Self.plant(on:)
    return unsafeBitCast(plant, to: (@Sendable (any Actor) -> Void).self)
  }()

  private static func plant(on actor: isolated any Actor) {
    Task(priority: .medium) {
      // Without this use, the task would not be isolated to the actor.
      _ = actor
      await leave()
    }
  }

  @concurrent @inline(never)
  private static func leave() async { passed.pass() }

  /// A side effect outside the actor. Without one, the optimiser removes the switch to another
  /// executor.
  private final class PassCounter: Sendable {
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func pass() { _ = currentThreadID() }
  }
}

/// Counts the tasks that ran on the actor.
private actor TurnCounter {
  // Written on the actor, and read between its jobs by the one thread that runs all of them.
  nonisolated(unsafe) private(set) var turns = 0
  func count() { turns += 1 }
}

/// Lets both tasks join the queue before the actor gets its first turn, and counts what that turn
/// ran.
private final class TurnProbe: SchedulingPolicy {
  private let counter: TurnCounter
  private(set) var turnsAfterFirst: Int?

  init(_ counter: TurnCounter) { self.counter = counter }

  func restart() { turnsAfterFirst = nil }

  func choose(in scheduler: Scheduler, base: Int) -> Int {
    scheduler.ready.firstIndex { $0.actor < 0 } ?? base
  }

  func didRun(in scheduler: Scheduler) {
    if turnsAfterFirst == nil, counter.turns > 0 { turnsAfterFirst = counter.turns }
  }
}
