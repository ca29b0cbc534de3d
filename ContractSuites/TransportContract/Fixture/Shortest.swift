/// Returns the shortest of several measurements, because a busy machine only makes them longer.
///
/// - Parameters:
///   - counts: The smallest and largest number of measurements.
///   - limit: More than the smallest number are taken only until one is below this limit.
func shortest(
  of counts: ClosedRange<Int>, under limit: Duration, _ measure: () async throws -> Duration
) async throws -> Duration {
  var best = try await measure()
  for count in 1..<counts.upperBound where count < counts.lowerBound || best >= limit {
    best = min(best, try await measure())
  }
  return best
}
