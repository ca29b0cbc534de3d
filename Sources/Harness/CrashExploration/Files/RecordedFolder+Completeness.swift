import Foundation

extension RecordedFolder {
  /// Checks that this is a folder byte for byte, so that nothing happened to it which was not
  /// recorded.
  ///
  /// Exempt files are not compared.
  ///
  /// - Throws: ``CrashExplorationError`` of the kind `incompleteRecording`.
  mutating func verify(isEqualTo folder: String) throws(CrashExplorationError) {
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    let found = Set(all.filter { !isExempt($0) })
    if let extra = found.subtracting(names.keys).min() {
      throw Self.incomplete("\(extra) exists and was not recorded")
    }
    for (path, entry) in names.sorted(by: { $0.key < $1.key }) {
      guard found.contains(path) else {
        throw Self.incomplete("\(path) was recorded and does not exist")
      }
      let place = folder + "/" + path
      switch entry {
      case .folder: break
      case .link(let target):
        let actual = try? FileManager.default.destinationOfSymbolicLink(atPath: place)
        guard actual == target else { throw Self.incomplete("the link \(path) leads elsewhere") }
      case .file(let index):
        let actual = FileManager.default.contents(atPath: place).map { [UInt8]($0) }
        guard let actual else { throw Self.incomplete("\(path) can't be read") }
        try Self.compare(files[index].present.bytes, actual, path)
      }
    }
  }

  private static func compare(
    _ recorded: [UInt8], _ actual: [UInt8], _ path: String
  ) throws(CrashExplorationError) {
    guard recorded != actual else { return }
    if recorded.count != actual.count {
      throw incomplete("\(path) has \(actual.count) bytes, recorded were \(recorded.count)")
    }
    let offset = zip(recorded, actual).prefix { $0 == $1 }.count
    throw incomplete("\(path) differs from the recording at byte \(offset)")
  }

  private static func incomplete(_ what: String) -> CrashExplorationError {
    CrashExplorationError(
      .incompleteRecording,
      "the recording is not complete, so there is no verdict: \(what). The subject writes in a way that "
        + "can't be seen: with stdio, through a mapping, in another process, by a path with a symbolic "
        + "link, or after it was closed. If it needs nothing of such a file after a crash, exempt the name: "
        + "Reopenable.exempting(_:because:)")
  }
}
