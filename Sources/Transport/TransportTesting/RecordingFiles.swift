import Foundation
import SystemLocks
import Testing

/// The recordings that the tests of this process use.
final class RecordingFiles: Sendable {
  static let shared = RecordingFiles()

  private struct State {
    /// The test that uses each file, by path.
    var owners: [String: String] = [:]
    var folders: Set<String> = []
  }

  private let state = Mutex(State())

  /// Records that a test uses a file.
  ///
  /// - Throws: ``RecordedTestError/inUse(path:test:)`` if another one does.
  func claim(
    _ file: RecordingFile, for test: Test, _ testCase: Test.Case?
  ) throws(RecordedTestError) {
    let arguments = testCase?.isParameterized == true ? testCase?.recordedArguments : nil
    let owner = "\(test.id)" + (arguments.map { " \($0.joined(separator: ", "))" } ?? "")
    try claim(file.path, in: file.folder, for: owner)
  }

  func claim(
    _ path: String, in folder: String, for owner: String
  ) throws(RecordedTestError) {
    let (other, isFirst) = state.withLock { state in
      let isFirst = state.folders.isEmpty
      state.folders.insert(folder)
      let other = state.owners[path]
      if other == nil { state.owners[path] = owner }
      return (other, isFirst)
    }
    if isFirst, self === Self.shared { atexit { RecordingFiles.shared.printOrphans() } }
    if let other, other != owner { throw .inUse(path: path, test: other) }
  }

  /// The paths of the recordings that no test used, in folders that tests used.
  var orphans: [String] {
    let (folders, owners) = state.withLock { ($0.folders, $0.owners) }
    return folders.sorted().flatMap { folder in
      (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
        .filter { $0.hasSuffix(".har") }.map { "\(folder)/\($0)" }.sorted()
        .filter { owners[$0] == nil }
    }
  }

  /// Prints the recordings that no test used, after a run of all tests.
  private func printOrphans() {
    let selects = ["--filter", "--skip", "--list-tests"]
    guard !CommandLine.arguments.contains(where: { selects.contains($0) }) else { return }
    let orphans = orphans
    guard !orphans.isEmpty else { return }
    let lines = orphans.map { "  \($0)\n" }.joined()
    let text =
      "no test used \(orphans.count == 1 ? "this recording" : "these recordings"); delete what is "
      + "obsolete:\n\(lines)"
    FileHandle.standardError.write(Data(text.utf8))
  }
}
