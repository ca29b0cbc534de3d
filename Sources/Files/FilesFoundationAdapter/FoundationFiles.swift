public import FilesPort
public import Foundation

/// Files over `FileManager`, below a directory.
///
/// Where `FileManager` does something else than POSIX, this does too: the contract's matrix shows what. In
/// particular, links lead out of the root.
public struct FoundationFiles: Files {
  private let root: URL

  // Each use of the shared file manager is independent of others.
  private var manager: FileManager { .default }

  /// Uses an existing directory as the root.
  public init(root: URL) { self.root = root }

  public func kind(of path: String, followingLinks: Bool) throws(FilesError) -> FileKind {
    let place = try place(path)
    let attributes =
      followingLinks
      ? try followedAttributes(path)
      : try attempt(path) { try manager.attributesOfItem(atPath: place.path) }
    return switch attributes[.type] as? FileAttributeType {
    case .typeRegular: .file
    case .typeDirectory: .directory
    case .typeSymbolicLink: .link
    default: .other
    }
  }

  public func read(_ path: String) throws(FilesError) -> [UInt8] {
    let place = try place(path)
    return try attempt(path) { [UInt8](try Data(contentsOf: place)) }
  }

  public func write(_ bytes: [UInt8], to path: String, _ mode: WriteMode) throws(FilesError) {
    let place = try place(path)
    try attempt(path) {
      switch mode {
      case .replacing: try Data(bytes).write(to: place)
      case .creating: try Data(bytes).write(to: place, options: .withoutOverwriting)
      case .atomically: try Data(bytes).write(to: place, options: .atomic)
      case .appending:
        if !manager.fileExists(atPath: place.path) { return try Data(bytes).write(to: place) }
        let file = try FileHandle(forWritingTo: place)
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: bytes)
      }
    }
  }

  public func createDirectory(_ path: String, withParents: Bool) throws(FilesError) {
    let place = try place(path)
    try attempt(path) {
      try manager.createDirectory(at: place, withIntermediateDirectories: withParents)
    }
  }

  public func list(_ path: String) throws(FilesError) -> [String] {
    let place = try place(path)
    return try attempt(path) {
      try manager.contentsOfDirectory(atPath: place.path)
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  public func copy(_ source: String, to destination: String) throws(FilesError) {
    let (from, to) = (try place(source), try place(destination))
    try attempt(source, to: destination) { try manager.copyItem(at: from, to: to) }
  }

  /// `FileManager` does not replace: what is at the destination is removed first.
  public func move(_ source: String, to destination: String) throws(FilesError) {
    let (from, to) = (try entry(source), try entry(destination))
    try attempt(source, to: destination) {
      if from.path == to.path {
        _ = try kind(of: source, followingLinks: false)
        return
      }
      if let kind = try? kind(of: destination, followingLinks: false) {
        let moved = try self.kind(of: source, followingLinks: false)
        if kind == .directory {
          if moved != .directory { throw FilesError(.isDirectory, at: destination) }
          if !(try manager.contentsOfDirectory(atPath: to.path).isEmpty) {
            throw FilesError(.notEmpty, at: destination)
          }
        } else if moved == .directory {
          throw FilesError(.notDirectory, at: destination)
        }
        try manager.removeItem(at: to)
      }
      try manager.moveItem(at: from, to: to)
    }
  }

  public func remove(_ path: String) throws(FilesError) {
    let place = try entry(path)
    try attempt(path) {
      if try kind(of: path, followingLinks: false) == .directory,
        !(try manager.contentsOfDirectory(atPath: place.path).isEmpty)
      {
        throw FilesError(.notEmpty, at: path)
      }
      try manager.removeItem(at: place)
    }
  }

  public func removeTree(_ path: String) throws(FilesError) {
    let place = try entry(path)
    try attempt(path) { try manager.removeItem(at: place) }
  }

  public func createLink(_ path: String, to target: String) throws(FilesError) {
    let place = try place(path)
    if target.utf8.contains(0) { throw FilesError(.invalidPath, at: path) }
    try attempt(path) {
      try manager.createSymbolicLink(atPath: place.path, withDestinationPath: target)
    }
  }

  public func target(ofLink path: String) throws(FilesError) -> String {
    let place = try place(path)
    if try kind(of: path, followingLinks: false) != .link { throw FilesError(.notLink, at: path) }
    return try attempt(path) { try manager.destinationOfSymbolicLink(atPath: place.path) }
  }

  public func permissions(of path: String) throws(FilesError) -> Permissions {
    let attributes = try followedAttributes(path)
    return Permissions(mode: (attributes[.posixPermissions] as? NSNumber)?.uint16Value ?? 0)
  }

  public func setPermissions(_ permissions: Permissions, of path: String) throws(FilesError) {
    let place = try place(path)
    try attempt(path) {
      try manager.setAttributes(
        [.posixPermissions: Int(permissions.mode)], ofItemAtPath: place.path)
    }
  }

  public func modificationTime(of path: String) throws(FilesError) -> FileTime {
    let attributes = try followedAttributes(path)
    let time = (attributes[.modificationDate] as? Date ?? .distantPast).timeIntervalSince1970
    return FileTime(
      seconds: Int64(time.rounded(.down)),
      nanoseconds: Int32((time - time.rounded(.down)) * 1e9))
  }

  public func setModificationTime(_ time: FileTime, of path: String) throws(FilesError) {
    let place = try place(path)
    let date = Date(
      timeIntervalSince1970: Double(time.seconds) + Double(time.nanoseconds) / 1e9)
    try attempt(path) {
      try manager.setAttributes([.modificationDate: date], ofItemAtPath: place.path)
    }
  }

  public func createTemporaryDirectory(
    in directory: String, prefix: String
  ) throws(FilesError) -> String {
    let path = directory + "/" + prefix + UUID().uuidString
    let place = try place(path)
    try attempt(path) {
      try manager.createDirectory(
        at: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
    return path
  }

  // MARK: - Paths and errors

  /// The path below the root. `..` is checked in the text alone.
  private func place(_ path: String) throws(FilesError) -> URL {
    let parts = try PathParts(path)
    var depth = 0
    for name in parts.names where name != "." {
      depth += name == ".." ? -1 : 1
      if depth < 0 { throw FilesError(.outsideRoot, at: path) }
    }
    return URL(filePath: root.path + "/" + path)
  }

  /// The path of a node to move or remove.
  private func entry(_ path: String) throws(FilesError) -> URL {
    let place = try place(path)
    if let last = try PathParts(path).names.last, last == "." || last == ".." {
      throw FilesError(.invalidPath, at: path)
    }
    return place
  }

  private func followedAttributes(_ path: String) throws(FilesError) -> [FileAttributeKey: Any] {
    let place = try place(path)
    let attributes = try attempt(path) {
      try manager.attributesOfItem(atPath: place.resolvingSymlinksInPath().path)
    }
    // A link that leads nowhere is its own resolution.
    if attributes[.type] as? FileAttributeType == .typeSymbolicLink {
      throw FilesError(.notFound, at: path)
    }
    return attributes
  }

  private func attempt<Value>(
    _ path: String, to destination: String? = nil, _ body: () throws -> Value
  ) throws(FilesError) -> Value {
    do { return try body() } catch let error as FilesError { throw error } catch {
      let reason = Self.reason(error)
      let isAtDestination = reason == .exists || reason == .intoItself
      throw FilesError(reason, at: isAtDestination ? destination ?? path : path)
    }
  }

  /// The error of POSIX below Foundation's, or Foundation's own code.
  private static func reason(_ error: any Error) -> FilesError.Reason {
    let error = error as NSError
    let cause = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError } ?? error
    let code = Int32(truncatingIfNeeded: cause.code)
    return cause.domain == NSPOSIXErrorDomain ? reason(posix: code) : .system(code: code)
  }

  private static func reason(posix code: Int32) -> FilesError.Reason {
    let reasons: [Int32: FilesError.Reason] = [
      ENOENT: .notFound, EEXIST: .exists, ENOTDIR: .notDirectory, EISDIR: .isDirectory,
      ENOTEMPTY: .notEmpty, ELOOP: .tooManyLinks, EACCES: .notPermitted, EPERM: .notPermitted,
      EROFS: .readOnly, ENOSPC: .noSpace, EDQUOT: .noSpace, ENAMETOOLONG: .nameTooLong,
      EINVAL: .intoItself,
    ]
    return reasons[code] ?? .system(code: code)
  }
}
