import Foundation
import RecordedHistories

extension ExplorationBenchmark {
  /// Prints the time to check large histories.
  static func measureLinearizability() async {
    title("processor time for the linearizability of 10,000 operations by 8 clients on a map")
    print("(in memory; as a file of JSON lines, with the reason why a wrong one is wrong)")
    for (name, keys, spread) in [
      ("16 keys", 16, 2), ("16 keys, heavy overlap", 16, 50), ("1 key", 1, 2),
      ("1 key, heavy overlap", 1, 50),
    ] {
      do {
        let history = try RandomHistory(keys: keys, spread: spread, isWrong: false).history
        let wrong = try RandomHistory(keys: keys, spread: spread, isWrong: true).history
        row(name, checked(history) + ", with a stale read: " + checked(wrong))
        row("", judged(history) + ", with a stale read: " + judged(wrong))
      } catch {
        row(name, "\(error)")
      }
    }
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
}
