/// Waits until a condition is met that nobody tells of; it is looked at each millisecond.
///
/// A look counts as 50 ms at most, so that a machine which stands still for a while isn't taken for a
/// condition that is never met.
///
/// - Returns: Whether it was met in that time.
func happens(
  within timeout: Duration, _ isMet: @Sendable () -> Bool
) async throws -> Bool {
  var left = timeout
  while !isMet() {
    guard left > .zero else { return false }
    let start = ContinuousClock.now
    try await Task.sleep(for: .milliseconds(1))
    left -= min(ContinuousClock.now - start, .milliseconds(50))
  }
  return true
}
