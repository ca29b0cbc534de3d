import CPlatform
import Foundation
import HarnessSupport
import SystemLocks

/// The source files of a package, as the test program was built from them.
///
/// A file that is newer than the test program may not be what was compiled, so nothing is said about
/// it. Each file is read once.
final class SourceFolders: Sendable {
  private struct State {
    var files: [String: String?] = [:]
    var listings: [String: [String]] = [:]
  }

  private let state = Mutex(State())

  /// When the test program was linked, in seconds since 1970-01-01 00:00 UTC, or `nil` if that can't be
  /// found out.
  private let programTime: Double? = {
    var base: UnsafeRawPointer?
    guard let path = platform_image(#dsohandle, &base).map({ String(cString: $0) }) else {
      return nil
    }
    // The main program's path can be relative to the folder in which it was started.
    return modificationTime(of: path) ?? Bundle.main.executablePath.flatMap(modificationTime)
  }()

  /// The extensions of files with code. A folder's other files, such as documentation, don't count.
  private static let extensions: Set<String> = [
    "swift", "c", "cc", "cpp", "cxx", "m", "mm", "h", "hh", "hpp", "inc", "s", "S", "modulemap",
    "def", "metal",
  ]

  /// The folder of the package that contains a file: the nearest with a manifest.
  static func package(of file: String) -> String? {
    var folder = (file as NSString).deletingLastPathComponent
    while folder.count > 1 {
      if FileManager.default.fileExists(atPath: folder + "/Package.swift") { return folder }
      folder = (folder as NSString).deletingLastPathComponent
    }
    return nil
  }

  /// The content of a file, or `nil` if it can't be read or is newer than the test program.
  func content(of path: String) -> Data? {
    guard let programTime, let time = modificationTime(of: path), time <= programTime else {
      return nil
    }
    return FileManager.default.contents(atPath: path)
  }

  /// The digest of a file, or `nil` if it can't be read or is newer than the test program.
  func digest(of path: String) -> String? {
    if let known = state.withLock({ $0.files[path] }) { return known }
    let digest = content(of: path).map { Fingerprint.hexadecimal(of: $0) }
    state.withLock { $0.files[path] = .some(digest) }
    return digest
  }

  /// The files with code in a folder, sorted, or the path itself if it is a file. Hidden files and
  /// nested packages are left out.
  ///
  /// - Returns: `nil` if nothing is there.
  func files(at path: String) -> [String]? {
    if let known = state.withLock({ $0.listings[path] }) { return known }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    guard isFolder.boolValue else { return [path] }
    var files: [String] = []
    let entries = FileManager.default.enumerator(
      at: URL(fileURLWithPath: path, isDirectory: true),
      includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles)
    while let entry = entries?.nextObject() as? URL {
      if Self.extensions.contains(entry.pathExtension) {
        files.append(entry.path)
      } else if entry.pathExtension.isEmpty,
        FileManager.default.fileExists(atPath: entry.path + "/Package.swift")
      {
        entries?.skipDescendants()
      }
    }
    files.sort()
    state.withLock { $0.listings[path] = files }
    return files
  }
}

/// When a file was last changed, in seconds since 1970-01-01 00:00 UTC.
private func modificationTime(of path: String) -> Double? {
  let attributes = try? FileManager.default.attributesOfItem(atPath: path)
  return (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970
}
