/// Sleeps until the process has run for so long, or until a condition is met that nobody tells of.
///
/// A time in which the whole machine stood still counts as 50 ms at most, so that what waits for another
/// thread doesn't give it up for that.
///
/// - Parameters:
///   - duration: The longest to sleep.
///   - step: How often to look at the condition.
///   - isMet: The condition.
/// - Returns: Whether the condition was met.
/// - Throws: `CancellationError`.
@discardableResult
package func sleepAwake(
  for duration: Duration, lookingEach step: Duration = .milliseconds(50),
  until isMet: @Sendable () -> Bool = { false }
) async throws -> Bool {
  var left = duration
  while !isMet() {
    guard left > .zero else { return false }
    let start = ContinuousClock.now
    try await Task.sleep(for: min(step, left))
    left -= min(ContinuousClock.now - start, .milliseconds(50))
  }
  return true
}
