extension Clock<Duration> {
  /// Sleeps for a duration of any size, at most a century.
  ///
  /// The system's clocks trap if an instant overflows, and callers may pass any `Duration`.
  ///
  /// - Throws: `CancellationError`.
  package func pause(for duration: Duration) async throws {
    let century = Duration.seconds(3_155_760_000)
    try await sleep(for: min(max(duration, .zero), century))
  }
}
