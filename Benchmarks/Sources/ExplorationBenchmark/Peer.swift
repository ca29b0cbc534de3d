import Foundation

/// The tools that are measured for comparison.
enum Peer {
  /// The steps per second of processor time of Hypothesis on the same workload; `nil` if it is not
  /// installed.
  static func hypothesisStepsPerSecond() -> Double? {
    output(of: "hypothesis_dictionary.py").flatMap { text in
      Double(text.filter { !$0.isWhitespace })
    }
  }

  /// The number of 20 seeds with which Hypothesis finds each bug at rare values; empty if it is not
  /// installed.
  static func hypothesisRareValues() -> [String: Int] {
    let lines = (output(of: "hypothesis_rare_values.py") ?? "").split(separator: "\n")
    return lines.reduce(into: [:]) { found, line in
      let words = line.split(separator: " ")
      if words.count == 2 { found[String(words[0])] = Int(words[1]) }
    }
  }

  /// How Hypothesis shrinks each ``ValueCase`` with 20 seeds; empty if it is not installed.
  static func hypothesisValueCases() -> [String: (minimal: Int, calls: Int)] {
    let lines = (output(of: "hypothesis_value_cases.py") ?? "").split(separator: "\n")
    return lines.reduce(into: [:]) { cases, line in
      let parts = line.split(separator: "|")
      if parts.count == 3, let minimal = Int(parts[1]), let calls = Int(parts[2]) {
        cases[String(parts[0])] = (minimal, calls)
      }
    }
  }

  private static func output(of script: String) -> String? {
    let peers = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")
    let benchmarks = peers.appending(path: "../../..").standardized
    let process = Process()
    process.executableURL = benchmarks.appending(path: ".build/peers/bin/python")
    process.arguments = [peers.appending(path: script).path]
    let output = Pipe()
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      return nil
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
