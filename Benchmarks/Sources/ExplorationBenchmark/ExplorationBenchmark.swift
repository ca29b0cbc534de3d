import ExplorationEngine
import Foundation
import LockStepExploration

/// Measures lock-step exploration, next to Hypothesis if it is installed.
///
/// Each line is printed when its figures are known. The arguments name parts; without any, all run.
@main struct ExplorationBenchmark {
  private static let parts: [(name: String, run: @Sendable () async -> Void)] = [
    ("rates", measureRates), ("values", measureRareValues), ("shrinking", measureShrinking),
  ]

  static func main() async {
    let chosen = CommandLine.arguments.dropFirst()
    for part in parts where chosen.isEmpty || chosen.contains(part.name) { await part.run() }
  }

  private static func measureRates() async {
    let settings = ExplorationSettings(runs: .max, time: .seconds(3), seed: 1)
    title("steps per second of processor time, put/get/delete on 16 keys, runs of 50")
    let hypothesis = Peer("hypothesis_dictionary.py")?.next().flatMap { Double($0[0]) }

    let start = cpuSeconds()
    let synchronous = await LockStep(DictionarySpecification(), settings: settings) {
      BuggyDictionary()
    }.explore()
    rate(
      "lock-step, synchronous class", Double(synchronous.calls) / (cpuSeconds() - start),
      against: hypothesis)

    let middle = cpuSeconds()
    let asynchronous = await LockStep(AsynchronousWorkload(), settings: settings) {
      DictionaryFront(DictionaryActor()) as any DictionaryPort
    }.explore()
    rate(
      "lock-step, two existential actors", Double(asynchronous.calls) / (cpuSeconds() - middle),
      against: hypothesis)

    guard synchronous.failure == nil, asynchronous.failure == nil else {
      print("a correct subject failed:\n\(synchronous)\n\(asynchronous)")
      exit(1)
    }
    if let hypothesis {
      rate("Hypothesis, synchronous class", hypothesis, against: hypothesis)
    } else {
      print(
        "Hypothesis not found; install it with Benchmarks/Sources/ExplorationBenchmark/Peers/install"
      )
    }
  }

  private static func rate(_ name: String, _ rate: Double, against peer: Double?) {
    let steps = Int(rate).formatted(.number.locale(Locale(identifier: "en_GB")))
    let ratio = peer.map { String(format: "%10.1f×", rate / $0) } ?? ""
    row(name, String(repeating: " ", count: max(0, 12 - steps.count)) + steps + ratio)
  }

  // MARK: - Printing

  /// The processor time of this process in seconds. Unlike real time, it excludes other processes.
  static func cpuSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

  static func title(_ text: String) {
    print("\n" + text)
    fflush(nil)
  }

  static func row(_ name: String, _ text: String) {
    print("  " + name.padding(toLength: 36, withPad: " ", startingAt: 0) + text)
    // Without it, a pipe would get nothing before the end.
    fflush(nil)
  }
}
