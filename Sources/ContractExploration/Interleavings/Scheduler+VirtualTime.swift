@_spi(ExperimentalScheduling) import _Concurrency

// `Task.sleep` and `Clock.sleep` hand their wake-up job to the task's executor if it conforms to
// `SchedulingExecutor`. The protocol is a system programming interface: it is named in this file
// alone, and ``VirtualTime/coversSleep`` tells whether it works. ``VirtualClock`` needs none of it.

extension Scheduler: SchedulingExecutor {
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
