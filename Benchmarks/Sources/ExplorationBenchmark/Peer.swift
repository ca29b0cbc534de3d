import Foundation

/// The tools that are measured for comparison.
enum Peer {
  /// The steps per second of processor time of Hypothesis on the same workload; `nil` if it is not
  /// installed.
  static func hypothesisStepsPerSecond() -> Double? {
    let peers = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")
    let benchmarks = peers.appending(path: "../../..").standardized
    let process = Process()
    process.executableURL = benchmarks.appending(path: ".build/peers/bin/python")
    process.arguments = [peers.appending(path: "hypothesis_dictionary.py").path]
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
    return Double(String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace })
  }
}
