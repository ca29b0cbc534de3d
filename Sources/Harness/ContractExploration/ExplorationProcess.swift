import ContractTesting
package import ExplorationEngine
import Foundation
package import Testing

/// A process of the same test program that arrives at one exploration and runs its subjects.
package enum ExplorationProcess {
  /// Whether this process runs subjects for another one.
  package static var isAssigned: Bool { ChildProcess.exploration != nil }

  /// Whether this process was started for an exploration.
  static func isAssigned(to name: String) -> Bool { ChildProcess.exploration == name }

  /// The name of an exploration: the same in every process, and unique among the explorations of a
  /// test.
  package static func name(
    _ function: String, _ specification: String, on implementation: String,
    at location: SourceLocation
  ) -> String {
    [
      function, specification, implementation, location.fileID, "\(location.line)",
      "\(location.column)", argumentsOfTest,
    ].joined(separator: "|")
  }

  /// The arguments of the current case of a parameterised test, as far as the testing library describes them,
  /// without addresses, which differ between processes.
  private static var argumentsOfTest: String {
    guard let current = Test.Case.current, current.isParameterized else { return "" }
    var fingerprint = Fingerprint()
    fingerprint.add("\(current)".replacing(/(?:\$|0x)[0-9a-f]{4,}/, with: ""))
    return fingerprint.hexadecimal
  }

  /// A way to start a process for an exploration of the current test, or `nil`
  /// outside a test.
  ///
  /// - Parameters:
  ///   - name: The exploration's name.
  ///   - seed: The seed of the exploration, from which the process draws the same programs.
  ///   - isInMemory: Whether the process's temporary folder is in memory, if the system has a file system
  ///     for that and the user has not chosen a folder.
  package static func starter(
    for name: String, seed: UInt64, isInMemory: Bool = false
  ) -> StartSubjectProcess? {
    guard let test = Test.current else { return nil }
    let parent = isInMemory ? memoryFolder : FileManager.default.temporaryDirectory
    return { input in try Running(test, name, seed, in: parent, input) }
  }

  /// A folder whose files are in memory (tmpfs(5)), or the temporary folder where there is none.
  private static var memoryFolder: URL {
    let folder = "/dev/shm"
    guard ProcessInfo.processInfo.environment["TMPDIR"] == nil,
      FileManager.default.isWritableFile(atPath: folder)
    else { return FileManager.default.temporaryDirectory }
    return URL(filePath: folder)
  }

  private final class Running: SubjectProcess {
    private let process: TestProcess
    private let folder: URL

    init(
      _ test: Test, _ name: String, _ seed: UInt64, in parent: URL, _ input: FileHandle
    ) throws {
      folder = parent.appendingPathComponent(
        "contract-exploration-\(UUID().uuidString)", isDirectory: true)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      do {
        process = try TestProcess(
          running: test, in: folder,
          environment: ChildProcess.variables(
            journal: folder.appendingPathComponent("journal.jsonl").path
          ).merging([
            // Swift Testing records the stack of each thrown error, which takes longer than most calls.
            "SWT_SWIFT_ERROR_BACKTRACING_ENABLED": "0",
            ChildProcess.explorationVariable: name, "CONTRACT_EXPLORE_SEED": "\(seed)",
          ]) { $1 }, input: input)
      } catch {
        try? FileManager.default.removeItem(at: folder)
        throw error
      }
    }

    func kill() { process.kill() }

    func waitUntilEnd() -> String {
      let end = process.waitUntilEnd()
      let output = process.output
      try? FileManager.default.removeItem(at: folder)
      let way = end.signal.map { "signal \($0)" } ?? "exit status \(end.status)"
      return way + (lastWords(of: output).map { ": \($0)" } ?? "")
        + (schedule(in: output).map { "\n\($0)\n" } ?? "")
    }

    /// The schedule that the engine prints before a crash.
    private func schedule(in output: String) -> String? {
      guard let start = output.range(of: "The process crashes in step")?.lowerBound,
        let replay = output.range(of: "replay: ", range: start..<output.endIndex)
      else { return nil }
      return String(output[start..<output.lineRange(for: replay).upperBound])
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The message of a trap, or otherwise the last line that the process printed.
    private func lastWords(of output: String) -> String? {
      let lines = output.split(whereSeparator: \.isNewline).map {
        $0.trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty && !$0.hasPrefix("◇") && !$0.hasPrefix("↳") }
      return lines.last { $0.contains(#/(Fatal error|Precondition failed|Assertion failed):/#) }
        ?? lines.last
    }
  }
}
