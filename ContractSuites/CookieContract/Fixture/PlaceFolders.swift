import ContractTesting
import Foundation
import SystemLocks

/// The folders of one case: one for each place at which a store was opened.
final class PlaceFolders: Sendable {
  private let scope: FixtureScope
  private let folders = Mutex<[String: URL]>([:])

  init(in scope: FixtureScope) { self.scope = scope }

  /// The folder of a place, made when it is first asked for.
  func folder(for place: String) throws -> URL {
    try folders.withLock { folders in
      if let folder = folders[place] { return folder }
      let folder = try scope.temporaryDirectory()
      folders[place] = folder
      return folder
    }
  }

  /// Copies all that lies in the folder of one place to that of another.
  func copy(_ place: String, to other: String) throws {
    let source = try folder(for: place)
    let target = try folder(for: other)
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
      try FileManager.default.copyItem(
        at: source.appendingPathComponent(name), to: target.appendingPathComponent(name))
    }
  }

  /// The permissions of every file in the folder of a place, and in the folders in it.
  func fileModes(in place: String) throws -> [String: Int] {
    let folder = try folder(for: place)
    var modes: [String: Int] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.appendingPathComponent(path).path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      modes[path] = attributes[.posixPermissions] as? Int
    }
    return modes
  }
}
