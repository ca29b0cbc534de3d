import ExplorationEngine

// `Task.sleep` and `Clock.sleep` hand their wake-up job to the task's executor if it conforms to
// `SchedulingExecutor`. The protocol is SPI of Swift 6.3, so only this file names it, and only where
// the package defines `HAS_SCHEDULING_EXECUTOR`. ``VirtualClock`` does not depend on it.

#if HAS_SCHEDULING_EXECUTOR
  @_spi(ExperimentalScheduling) import _Concurrency

  extension Scheduler: SchedulingExecutor {
    /// Whether `Task.sleep` waits in virtual time with this runtime; tried once per process.
    static let coversSleep: Bool = {
      let scheduler = Scheduler(stepLimit: 100, outsideWait: .zero, usesFibers: false)
      scheduler.prepare()
      let task = scheduler.start("probe") { try? await Task.sleep(for: .seconds(3600)) }
      let isOver = scheduler.run(BasePolicy()) == .finished
      if !isOver { scheduler.unwind([task]) }
      return isOver && scheduler.now > 3_599_000_000_000
    }()

    var asSchedulingExecutor: (any SchedulingExecutor)? { self }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      schedule(UnownedJob(job), afterAbout: Self.nanoseconds(delay))
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      schedule(
        UnownedJob(job), afterAbout: Self.nanoseconds(clock.now.duration(to: instant)))
    }

    private static func nanoseconds<D: DurationProtocol>(_ duration: D) -> Int64 {
      (duration as? Duration)?.wholeNanoseconds ?? 0
    }
  }
#else
  extension Scheduler {
    /// Whether `Task.sleep` waits in virtual time: not without the protocol. The task is resumed by
    /// another thread, as work that no schedule can order.
    static var coversSleep: Bool { false }
  }
#endif
