import Foundation

/// The time that one run took, and what it transferred.
struct Measurement {
  var requests: Int
  var bytes: Int
  var seconds: Double
  var cpuSeconds: Double

  var requestsPerSecond: Double { Double(requests) / seconds }
  var cpuMicroseconds: Double { cpuSeconds * 1e6 / Double(requests) }
  var megabytesPerSecond: Double { Double(bytes) / seconds / 1e6 }

  /// Measures a run in this process.
  static func of(requests: Int, _ body: () async throws -> Int) async rethrows -> Measurement {
    let cpu = processorSeconds()
    let start = ContinuousClock.now
    let bytes = try await body()
    let taken = ContinuousClock.now - start
    return Measurement(
      requests: requests, bytes: bytes, seconds: taken / .seconds(1),
      cpuSeconds: processorSeconds() - cpu)
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
