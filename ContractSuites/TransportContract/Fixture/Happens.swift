/// Waits until a condition is met that nobody tells of; it is looked at each millisecond.
///
/// - Returns: Whether it was met in that time.
func happens(
  within timeout: Duration, _ isMet: @Sendable () -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + timeout
  while !isMet() {
    guard ContinuousClock.now < end else { return false }
    try await Task.sleep(for: .milliseconds(1))
  }
  return true
}
