import CPlatform
import ContractEvidence
import Foundation
import HarnessSupport
import SystemLocks
import Testing

/// The source code behind a contract's cases: whether two runs of a case ran the same code.
///
/// A clause's code is its declaration and what surrounds the contract's clauses in the same file. An
/// implementation's code is what ``Implementation/built(from:)`` names, or the whole package, without the
/// contract's clauses and saboteurs: those belong to the clauses, and changing one concerns no other.
final class ContractSources: Sendable {
  private let revision: Int
  /// Where clauses and saboteurs start, by file.
  private let starts: [String: Set<SourceFile.Position>]
  private let folders: SourceFolders
  private let state = Mutex(State())

  private struct State {
    var files: [String: SourceFile?] = [:]
    var implementations: [String: String?] = [:]
  }

  init<Fixture>(_ contract: Contract<Fixture>, _ folders: SourceFolders) {
    revision = contract.revision
    self.folders = folders
    var starts: [String: Set<SourceFile.Position>] = [:]
    let locations =
      contract.clauses.map(\.sourceLocation) + contract.saboteurs.map(\.sourceLocation)
    for location in locations {
      starts[location.filePath, default: []].insert(Self.position(of: location))
    }
    self.starts = starts
  }

  private static func position(of location: SourceLocation) -> SourceFile.Position {
    .init(line: location.line, column: location.column)
  }

  /// The code of a case, or `nil` if not all of it can be read or is as the test program was built from.
  func code<Fixture>(
    of clause: Clause<Fixture>, on implementation: Implementation<Fixture>
  ) -> CaseCode? {
    guard let file = file(clause.sourceLocation.filePath),
      let declaration = file.declarations[Self.position(of: clause.sourceLocation)],
      let adapter = digest(of: implementation)
    else { return nil }
    var fingerprint = Fingerprint()
    // The clauses of a loop share their source.
    for word in [String(revision), clause.id, declaration, file.surroundings] {
      fingerprint.add(word: word)
    }
    return CaseCode(clause: fingerprint.hexadecimal, implementation: adapter)
  }

  private func file(_ path: String) -> SourceFile? {
    if let known = state.withLock({ $0.files[path] }) { return known }
    let file = folders.content(of: path).map { SourceFile($0, declaring: starts[path] ?? []) }
    state.withLock { $0.files[path] = .some(file) }
    return file
  }

  private func digest<Fixture>(of implementation: Implementation<Fixture>) -> String? {
    if let known = state.withLock({ $0.implementations[implementation.id] }) { return known }
    let digest = uncachedDigest(of: implementation)
    state.withLock { $0.implementations[implementation.id] = .some(digest) }
    return digest
  }

  private func uncachedDigest<Fixture>(of implementation: Implementation<Fixture>) -> String? {
    let fixture = implementation.sourceLocation.filePath
    guard let package = SourceFolders.package(of: fixture) else { return nil }
    var files: Set<String> = [fixture]
    for path in implementation.sources?.map({ "\(package)/\($0)" }) ?? [package] {
      guard let found = folders.files(at: path) else { return nil }
      files.formUnion(found)
    }
    // Dependencies are pinned here. A package without any has no such file.
    let pins = "\(package)/Package.resolved"
    if folders.files(at: pins) != nil { files.insert(pins) }
    files.insert("\(package)/Package.swift")
    var fingerprint = Fingerprint()
    for path in files.sorted() {
      let digest = starts[path] == nil ? folders.digest(of: path) : file(path)?.surroundings
      guard let digest else { return nil }
      let isInPackage = path.hasPrefix(package + "/")
      fingerprint.add(word: isInPackage ? String(path.dropFirst(package.count)) : path)
      fingerprint.add(word: digest)
    }
    return fingerprint.hexadecimal
  }
}

extension Implementation {
  /// Names the code that decides how the implementation behaves, for `CONTRACT_FRESH`.
  ///
  /// Evidence counts again only while this code, the file that declares the implementation, and the
  /// package's manifest and pinned dependencies are unchanged. Without this declaration, it counts only
  /// while no source file of the package changes, apart from the contract's clauses and saboteurs.
  ///
  /// - Parameter paths: Files, and folders of source files, relative to the folder of `Package.swift`:
  ///   `Sources/CookieSQLiteAdapter`. Name every module of the package that the adapter and the fixture
  ///   use: a change elsewhere is not noticed.
  public func built(from paths: String...) -> Self { changed { $0.sources = paths } }

  /// The paths of ``built(from:)`` that don't exist, on a machine that has the package.
  var missingSources: [String] {
    guard kind == .live, let sources,
      let package = SourceFolders.package(of: sourceLocation.filePath)
    else { return [] }
    return sources.filter { !FileManager.default.fileExists(atPath: "\(package)/\($0)") }
  }
}

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
