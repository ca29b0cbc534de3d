import Foundation

/// A script that runs another tool, and prints a line for each figure as it comes.
final class Peer {
  private let process = Process()
  private let output = Pipe()
  private var unread = Data()

  /// Starts a script of the folder `Peers`; `nil` if its tool is not installed.
  ///
  /// - Parameters:
  ///   - script: The file's name.
  ///   - arguments: The budgets, which are the same as ours.
  init?(_ script: String, _ arguments: Int...) {
    let peers = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")
    let installed = peers.appending(path: "../../../.build/peers").standardized
    process.executableURL = installed.appending(path: "bin/python")
    process.arguments = [peers.appending(path: script).path] + arguments.map(String.init)
    // Hypothesis keeps files in the working folder unless it is told another one.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["HYPOTHESIS_STORAGE_DIRECTORY": installed.appending(path: "hypothesis").path]
    ) { $1 }
    process.standardOutput = output
    do { try process.run() } catch { return nil }
  }

  /// Waits for the next line, and returns its fields, which are separated by `|`; `nil` after the
  /// last line.
  func next() -> [String]? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread = Data(unread[(end + 1)...])
        return line.split(separator: "|").map(String.init)
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else {
        process.waitUntilExit()
        return nil
      }
      unread += data
    }
  }
}
