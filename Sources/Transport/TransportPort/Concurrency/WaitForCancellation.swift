/// Suspends until the current task is cancelled.
func waitForCancellation() async {
  let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in stream {}
  withExtendedLifetime(continuation) {}
}
