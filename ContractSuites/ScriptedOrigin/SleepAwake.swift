/// Sleeps until the process has run for so long.
///
/// A time in which the whole machine stood still counts as a step of the sleep at most, so that what
/// waits for another thread doesn't give it up for that.
///
/// - Throws: `CancellationError`.
package func sleepAwake(for duration: Duration) async throws {
  let step = Duration.milliseconds(50)
  var left = duration
  while left > .zero {
    let start = ContinuousClock.now
    try await Task.sleep(for: min(step, left))
    left -= min(ContinuousClock.now - start, step)
  }
}
