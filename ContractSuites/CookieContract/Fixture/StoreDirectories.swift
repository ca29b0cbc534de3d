import ContractTesting
import Foundation
import SystemLocks

/// The directories of one case: one for each location at which a store was opened.
final class StoreDirectories: Sendable {
  private let scope: FixtureScope
  private let directories = Mutex<[String: URL]>([:])

  init(in scope: FixtureScope) { self.scope = scope }

  /// Returns the directory of a location; the first call creates it.
  func directory(for location: String) throws -> URL {
    try directories.withLock { directories in
      if let directory = directories[location] { return directory }
      let directory = try scope.temporaryDirectory()
      directories[location] = directory
      return directory
    }
  }

  /// Copies the contents of one location's directory to another's.
  func copy(_ location: String, to other: String) throws {
    let source = try directory(for: location)
    let target = try directory(for: other)
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
      try FileManager.default.copyItem(
        at: source.appendingPathComponent(name), to: target.appendingPathComponent(name))
    }
  }

  /// The permissions of every file below a location's directory, by relative path.
  func fileModes(in location: String) throws -> [String: Int] {
    let directory = try directory(for: location)
    var modes: [String: Int] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: directory.appendingPathComponent(path).path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      modes[path] = attributes[.posixPermissions] as? Int
    }
    return modes
  }
}
