/// Sleeps for a time in which the process runs, or until a condition holds that nothing signals.
///
/// Each step counts as at most 50 ms. So a wait for another thread does not time out merely because
/// the machine was suspended or the process was not scheduled.
///
/// - Parameters:
///   - duration: The longest time to sleep.
///   - step: The interval between checks of the condition.
///   - isMet: The condition.
/// - Returns: Whether the condition was met.
/// - Throws: `CancellationError`.
@discardableResult
package func sleepAwake(
  for duration: Duration, checkingEvery step: Duration = .milliseconds(50),
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
