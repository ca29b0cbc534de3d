/// Lets one task at a time pass through a default actor.
///
/// An actor that gets its turn runs every task in its queue, back to back, and no schedule could
/// put anything in between. A turnstile is a task of ours in the queue behind each of them. Once
/// its turn comes, it leaves the actor for the global executor, where the runtime goes on at once
/// on the same thread; the actor gives up its turn and asks for another, which is a new job.
enum Turnstile {
  private static let passed = PassCounter()

  /// Whether turnstiles do what they are for, found out by trying.
  static let works: Bool = {
    guard RuntimeLayout.probed.isReadable, EnqueueHooks.isInstalled else { return false }
    let scheduler = Scheduler(
      stepLimit: 100, outsideWait: .zero, canSplitActors: true)
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

  /// Puts a turnstile behind the tasks that wait for an actor.
  static func plant(behindQueueOf actor: any Actor) { plantFromOutside(actor) }

  /// Calls ``plant(on:)`` from outside the actor: it only creates a task, and touches nothing of the
  /// actor's state. The cast does what `assumeIsolated` does, once for all calls.
  private static let plantFromOutside: @Sendable (any Actor) -> Void = {
    let plant: @Sendable (isolated any Actor) -> Void = Self.plant(on:)
    return unsafeBitCast(plant, to: (@Sendable (any Actor) -> Void).self)
  }()

  private static func plant(on actor: isolated any Actor) {
    Task(priority: .medium) {
      _ = actor
      await leave()
    }
  }

  @concurrent @inline(never)
  private static func leave() async { passed.pass() }

  /// Something to do outside the actor, or the optimiser would not go there.
  private final class PassCounter: Sendable {
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func pass() { _ = Platform.thread }
  }
}

/// Counts the tasks that it has let through.
private actor TurnCounter {
  // Written on the actor, and read between its jobs by the one thread that runs them all.
  nonisolated(unsafe) private(set) var turns = 0
  func count() { turns += 1 }
}

/// Lets both tasks queue up before the actor gets its first turn.
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
