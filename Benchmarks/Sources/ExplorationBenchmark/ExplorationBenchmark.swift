import ExplorationEngine
import Foundation
import RecordedHistories

/// Measures lock-step exploration and the linearizability checker, next to Hypothesis if it is
/// installed.
@main struct ExplorationBenchmark {
  static func main() async {
    let time = Duration.seconds(3)
    let settings = ExplorationSettings(runs: .max, time: time, seed: 1)

    let start = cpuSeconds()
    let synchronous = await LockStep(SynchronousWorkload(), settings: settings) {
      DictionaryStore()
    }.explore()
    let middle = cpuSeconds()
    let asynchronous = await LockStep(AsynchronousWorkload(), settings: settings) {
      DictionaryFront(DictionaryActor()) as any AsyncDictionary
    }.explore()
    guard synchronous.failure == nil, asynchronous.failure == nil else {
      print("a correct subject failed:\n\(synchronous)\n\(asynchronous)")
      exit(1)
    }
    let end = cpuSeconds()
    let hypothesis = Peer.hypothesisStepsPerSecond()

    print("steps per second of processor time, put/get/delete on 16 keys, runs of 50")
    row(
      "lock-step, synchronous class", Double(synchronous.calls) / (middle - start),
      against: hypothesis)
    row(
      "lock-step, two existential actors", Double(asynchronous.calls) / (end - middle),
      against: hypothesis)
    if let hypothesis {
      row("Hypothesis, synchronous class", hypothesis, against: hypothesis)
    } else {
      print(
        "Hypothesis not found; install it with Benchmarks/Sources/ExplorationBenchmark/Peers/install"
      )
    }

    let peers = Peer.hypothesisRareValues()
    print("\nseeds of 20 that find a bug within 200 runs of 50 commands")
    for (bug, name) in [
      (RareValues.Bug.value, "one value of 3,600"), (.multiple, "multiples of 4,096"),
    ] {
      let found = await RareValues.found(bug)
      let peer = peers[bug.rawValue].map { ", Hypothesis \($0)" } ?? ""
      print(line(name, "\(found)" + peer))
    }

    await shrinking()

    print("\nprocessor time for the linearizability of 10,000 operations by 8 clients on a map")
    print("(in memory; as a file of JSON lines, with the reason why a wrong one is wrong)")
    for (name, keys, spread) in [
      ("16 keys", 16, 2), ("16 keys, heavy overlap", 16, 50), ("1 key", 1, 2),
      ("1 key, heavy overlap", 1, 50),
    ] {
      do {
        let history = try RandomHistory(keys: keys, spread: spread, isWrong: false).history
        let wrong = try RandomHistory(keys: keys, spread: spread, isWrong: true).history
        print(line(name, checked(history) + ", with a stale read: " + checked(wrong)))
        print(line("", judged(history) + ", with a stale read: " + judged(wrong)))
      } catch {
        print(line(name, "\(error)"))
      }
    }
  }

  /// Prints how the arguments of ``ValueCase`` shrink.
  private static func shrinking() async {
    let peers = Peer.hypothesisValueCases()
    print("\nseeds of 20 whose example is a smallest one, and mean live calls to shrink it")
    var ours = 0
    for valueCase in ValueCase.all {
      var (minimal, calls) = (0, 0)
      for seed in 1...20 {
        let settings = ExplorationSettings(runs: 200_000, seed: UInt64(seed) * 1_000_003)
        let report = await LockStep(valueCase, settings: settings) { ValueCase.Subject() }.explore()
        guard let failure = report.failure else { continue }
        calls += failure.calls.shrinking
        if failure.commands.count == 1, valueCase.isMinimal(failure.commands[0]) { minimal += 1 }
      }
      ours += minimal
      let peer = peers[valueCase.name].map { ", Hypothesis \($0.minimal) (\($0.calls))" } ?? ""
      print(line(valueCase.name, "\(minimal) (\(calls / 20))" + peer))
    }
    let peer = peers.isEmpty ? "" : ", Hypothesis \(peers.values.map(\.minimal).reduce(0, +))"
    print(line("all \(20 * ValueCase.all.count)", "\(ours)" + peer))
  }

  /// The processor time of this process in seconds. Unlike real time, it excludes other processes.
  private static func cpuSeconds() -> Double {
    Double(clock()) / Double(CLOCKS_PER_SEC)
  }

  private static func checked(
    _ history: History<KeyValueModel.Command, KeyValueModel.Response>
  ) -> String {
    let start = cpuSeconds()
    let result = LinearizabilityChecker(KeyValueModel()).check(history)
    let time = String(format: "%.1f ms", 1000 * (cpuSeconds() - start))
    return switch result {
    case .linearizable: "yes in \(time)"
    case .notLinearizable: "no in \(time)"
    case .unknown(let reason): "unknown (\(reason)) in \(time)"
    }
  }

  private static func judged(
    _ history: History<KeyValueModel.Command, KeyValueModel.Response>
  ) -> String {
    let data = LinearizabilityFile<KeyValueModel>.encoded(history)
    let start = cpuSeconds()
    do {
      let verdict = try RecordedModelName.keyValue.judge(data)
      let time = String(format: "%.1f ms", 1000 * (cpuSeconds() - start))
      return switch verdict.outcome {
      case .linearizable: "yes in \(time)"
      case .notLinearizable: "no in \(time)"
      case .unknown(let reason): "unknown (\(reason)) in \(time)"
      }
    } catch {
      return "\(error)"
    }
  }

  private static func row(_ name: String, _ rate: Double, against peer: Double?) {
    let steps = Int(rate).formatted(.number.locale(Locale(identifier: "en_GB")))
    let ratio = peer.map { String(format: "%10.1f×", rate / $0) } ?? ""
    print(line(name, String(repeating: " ", count: max(0, 12 - steps.count)) + steps + ratio))
  }

  private static func line(_ name: String, _ text: String) -> String {
    "  " + name.padding(toLength: 36, withPad: " ", startingAt: 0) + text
  }
}
