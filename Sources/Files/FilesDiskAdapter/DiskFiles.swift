public import FilesPort
import Foundation
import SystemPlatform

/// Files on disk, below a directory that no call leaves.
///
/// The root is opened once: moving it elsewhere changes nothing for this value. Calls wait for the disk, so make them
/// outside of the main actor. Only ``WriteMode/atomically`` makes sure that the content survives a power loss. If the
/// process ends during such a write, a file may stay whose name begins with `.write-`.
/// For the superuser, permissions do not hold.
public final class DiskFiles: Files {
  private let root: Descriptor

  /// Opens a root.
  ///
  /// - Parameter directory: The path of an existing directory, absolute or relative to the working directory. Links
  ///   in it are followed.
  /// - Throws: ``FilesError`` if it cannot be opened.
  public init(root directory: String) throws(FilesError) {
    if directory.utf8.contains(0) { throw FilesError(.invalidPath, at: directory) }
    let raw = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if raw == -1 { throw FilesError(Failure(code: errno).reason, at: directory) }
    root = Descriptor(raw)
  }

  func place(_ path: String, _ following: Following) throws(FilesError) -> Place {
    try PathWalk.place(of: path, from: root, following)
  }

  public func kind(of path: String, followingLinks: Bool) throws(FilesError) -> FileKind {
    try place(path, followingLinks ? .always : .withSlash).found().kind
  }

  // MARK: - Content

  public func read(_ path: String) throws(FilesError) -> [UInt8] {
    let place = try place(path, .always)
    try checkFile(place.found(), at: path)
    return try place.calling(try place.directory.open(place.entry, O_NONBLOCK).read())
  }

  public func write(_ bytes: [UInt8], to path: String, _ mode: WriteMode) throws(FilesError) {
    while true {
      do throws(FilesError) { return try writeOnce(bytes, to: path, mode) } catch {
        // Somebody else has created the file meanwhile.
        if mode == .creating || error.reason != .exists { throw error }
      }
    }
  }

  private func writeOnce(
    _ bytes: [UInt8], to path: String, _ mode: WriteMode
  ) throws(FilesError) {
    let place = try place(path, mode == .creating ? .never : .always)
    guard let attributes = place.attributes else {
      if place.isDirectory { throw FilesError(.isDirectory, at: path) }
      if mode == .atomically {
        return try place.calling(try Self.replace(place, with: bytes, permissions: nil))
      }
      return try create(place, with: bytes)
    }
    if mode == .creating { throw FilesError(.exists, at: path) }
    try checkFile(attributes, at: path)
    switch mode {
    case .appending: try append(bytes, to: place)
    case .atomically:
      // Only a file that may be written may be replaced.
      try place.calling(try place.directory.open(place.entry, O_WRONLY | O_NONBLOCK))
      try place.calling(
        try Self.replace(place, with: bytes, permissions: attributes.permissions))
    case .replacing, .creating:
      try place.calling(
        try place.directory.open(place.entry, O_WRONLY | O_TRUNC | O_NONBLOCK).write(bytes))
    }
  }

  private func checkFile(_ attributes: stat, at path: String) throws(FilesError) {
    switch attributes.kind {
    case .file: break
    case .directory: throw FilesError(.isDirectory, at: path)
    case .link, .other: throw FilesError(.notSupported, at: path)
    }
  }

  /// Creates a file, or nothing.
  private func create(_ place: Place, with bytes: [UInt8]) throws(FilesError) {
    let (directory, name) = (place.directory, place.entry)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND
    let file = try place.calling(try directory.create(name, flags, mode: 0o666))
    try place.calling(
      try Self.add(bytes, to: file, from: 0) { unlinkat(directory.raw, name.cString, 0) })
  }

  /// Adds all bytes, or nothing.
  private func append(_ bytes: [UInt8], to place: Place) throws(FilesError) {
    let flags = O_WRONLY | O_APPEND | O_NONBLOCK
    let file = try place.calling(try place.directory.open(place.entry, flags))
    let size = try place.calling(try file.size())
    try place.calling(
      try Self.add(bytes, to: file, from: size) { ftruncate(file.raw, size) })
  }

  /// Adds bytes at the end of a file. If that fails, what was added is taken back, unless somebody else has added something
  /// meanwhile.
  static func add(
    _ bytes: [UInt8], to file: Descriptor, from size: off_t, takingBack takeBack: () -> Int32
  ) throws(Failure) {
    var written = 0
    do throws(Failure) { try file.write(bytes, from: &written) } catch {
      if try file.size() == size + off_t(written) { _ = takeBack() }
      throw error
    }
  }

  /// Writes another file, and gives it the name.
  private static func replace(
    _ place: Place, with bytes: [UInt8], permissions: Permissions?
  ) throws(Failure) {
    let directory = place.directory
    let name = ".write-\(UInt64.random(in: .min ... .max))"
    let file = try directory.create(Name(name), O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
    do throws(Failure) {
      try file.write(bytes)
      if let permissions { try check(fchmod(file.raw, mode_t(permissions.mode))) }
      try check(fsync(file.raw))
      try check(renameat(directory.raw, name, directory.raw, place.entry.cString))
    } catch {
      unlinkat(directory.raw, name, 0)
      throw error
    }
    try directory.syncEntries()
  }

  // MARK: - Directories

  public func createDirectory(_ path: String, withParents: Bool) throws(FilesError) {
    if withParents { try makeParents(of: path) }
    do throws(FilesError) { try makeDirectory(path, mode: 0o777) } catch {
      // It may be there, or somebody else may have made it meanwhile.
      let there = try? place(path, .always).attributes
      guard withParents, there?.kind == .directory else { throw error }
    }
  }

  private func makeDirectory(_ path: String, mode: mode_t) throws(FilesError) {
    let place = try vacancy(path)
    try place.calling(try check(mkdirat(place.directory.raw, place.entry.cString, mode)))
  }

  private func makeParents(of path: String) throws(FilesError) {
    do throws(FilesError) {
      try PathParts(path).makeParents(
        finds: { parent throws(FilesError) in
          do throws(FilesError) {
            return try self.place(parent, .always).attributes != nil
          } catch {
            guard error.reason == .notFound else { throw error }
            return false
          }
        },
        creates: { parent, names throws(FilesError) in
          let place = try self.place(parent, .always)
          let directory = try place.calling(try place.directory.directory(place.entry))
          try place.calling(try directory.createDirectories(names.map { Name($0) }))
        })
    } catch { throw FilesError(error.reason, at: path) }
  }

  public func createTemporaryDirectory(
    in directory: String, prefix: String
  ) throws(FilesError) -> String {
    let path = directory + "/" + prefix + "\(UInt64.random(in: .min ... .max))"
    try makeDirectory(path, mode: 0o700)
    return path
  }

  public func list(_ path: String) throws(FilesError) -> [String] {
    let place = try place(path, .always)
    let names = try place.calling(try place.directory.names(in: place.entry))
    return try names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map {
      name throws(FilesError) in try text(of: name, at: path)
    }
  }

  // MARK: - Entries

  /// Where a new node may be added.
  func vacancy(_ path: String) throws(FilesError) -> Place {
    let place = try place(path, .never)
    if place.attributes != nil { throw FilesError(.exists, at: path) }
    return place
  }

  /// A node that may be moved or removed.
  func occupant(_ path: String) throws(FilesError) -> (place: Place, attributes: stat) {
    let place = try place(path, .never)
    let attributes = try place.found()
    guard place.name != nil else { throw FilesError(.invalidPath, at: path) }
    if place.isDirectory, attributes.kind != .directory {
      throw FilesError(.notDirectory, at: path)
    }
    return (place, attributes)
  }

  public func move(_ source: String, to destination: String) throws(FilesError) {
    let (from, attributes) = try occupant(source)
    let to = try place(destination, .never)
    guard to.name != nil else { throw FilesError(.invalidPath, at: destination) }
    if to.isDirectory, attributes.kind != .directory {
      throw FilesError(.notDirectory, at: destination)
    }
    do throws(Failure) {
      try check(
        renameat(
          from.directory.raw, from.entry.cString, to.directory.raw, to.entry.cString))
    } catch {
      switch error.code {
      case EINVAL: throw FilesError(.intoItself, at: destination)
      // What rename(2) also allows for ENOTEMPTY; XFS does it.
      case EEXIST: throw FilesError(.notEmpty, at: destination)
      case EACCES, EPERM:
        let isDestination = from.allowsChanges && !to.allowsChanges
        throw FilesError(error.reason, at: isDestination ? destination : source)
      default: throw FilesError(error.reason, at: destination)
      }
    }
  }

  public func remove(_ path: String) throws(FilesError) {
    let (place, attributes) = try occupant(path)
    let flags = attributes.kind == .directory ? AT_REMOVEDIR : 0
    try place.calling(try check(unlinkat(place.directory.raw, place.entry.cString, flags)))
  }

  public func createLink(_ path: String, to target: String) throws(FilesError) {
    if target.utf8.contains(0) { throw FilesError(.invalidPath, at: path) }
    if target.isEmpty { throw FilesError(.notFound, at: path) }
    let place = try vacancy(path)
    if place.isDirectory { throw FilesError(.notFound, at: path) }
    try place.calling(try check(symlinkat(target, place.directory.raw, place.entry.cString)))
  }

  public func target(ofLink path: String) throws(FilesError) -> String {
    let place = try place(path, .withSlash)
    guard try place.found().kind == .link else { throw FilesError(.notLink, at: path) }
    let target = try place.calling(try place.directory.target(place.entry))
    return try text(of: target, at: path)
  }

  private func text(of name: Name, at path: String) throws(FilesError) -> String {
    guard let text = name.text else { throw FilesError(.invalidName, at: path) }
    return text
  }

  // MARK: - Attributes

  public func permissions(of path: String) throws(FilesError) -> Permissions {
    try place(path, .always).found().permissions
  }

  public func setPermissions(_ permissions: Permissions, of path: String) throws(FilesError) {
    let place = try place(path, .always)
    try place.calling(
      try check(
        fchmodat(
          place.directory.raw, place.entry.cString, mode_t(permissions.mode), AT_SYMLINK_NOFOLLOW)))
  }

  public func modificationTime(of path: String) throws(FilesError) -> FileTime {
    let place = try place(path, .always)
    let (directory, name) = (place.directory.raw, place.entry.cString)
    let time = try place.calling(
      try check(SystemPlatform.modificationTime(of: name, in: directory)))
    return FileTime(seconds: time.seconds, nanoseconds: time.nanoseconds)
  }

  public func setModificationTime(_ time: FileTime, of path: String) throws(FilesError) {
    let place = try place(path, .always)
    try place.calling(
      try check(
        SystemPlatform.setModificationTime(
          time.seconds, time.nanoseconds, of: place.entry.cString, in: place.directory.raw)))
  }
}

extension Place {
  /// Whether the directory lets its entries change.
  var allowsChanges: Bool { directory.allows(W_OK | X_OK, ".") }
}
