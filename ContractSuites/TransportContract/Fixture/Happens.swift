import ScriptedOrigin

/// Waits until a condition is met that nobody tells of; it is looked at each millisecond.
///
/// - Returns: Whether it was met in that time, while the machine runs.
func happens(
  within timeout: Duration, _ isMet: @Sendable () -> Bool
) async throws -> Bool {
  try await sleepAwake(for: timeout, lookingEach: .milliseconds(1), until: isMet)
}
