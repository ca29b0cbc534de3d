import ScriptedOrigin

/// Polls a condition every millisecond until it holds or the timeout passes.
///
/// Time in which the process is suspended doesn't count.
///
/// - Returns: Whether the condition held in time.
func happens(
  within timeout: Duration, _ isMet: @Sendable () -> Bool
) async throws -> Bool {
  try await sleepAwake(for: timeout, checkingEvery: .milliseconds(1), until: isMet)
}
