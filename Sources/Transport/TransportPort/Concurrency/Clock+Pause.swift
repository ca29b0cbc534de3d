extension Clock<Duration> {
  /// Sleeps for a duration of any size; what is longer than a century is taken for that.
  ///
  /// The clocks of the system end the process when a time is beyond what they can count to.
  ///
  /// - Throws: `CancellationError`.
  package func pause(for duration: Duration) async throws {
    try await sleep(for: min(max(duration, .zero), .seconds(3_155_760_000)))
  }
}
