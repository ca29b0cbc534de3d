import FilesPort
import Foundation

/// Where a path leads: an open directory, and a name in it.
struct Place {
  var directory: Descriptor
  /// The last name, or `nil` if the path ends with `.` or `..`.
  var name: Name?
  /// What is there, or `nil` if nothing is.
  var attributes: stat?
  /// Whether the path has a slash at its end.
  var isDirectory: Bool
  /// The directories from the root to `directory`.
  var ancestors: [Identity]
  /// The path, as the caller gave it.
  var path: String

  /// The name for system calls.
  var entry: Name { name ?? "." }

  /// What is there.
  ///
  /// - Throws: `notFound` if nothing is.
  func found() throws(FilesError) -> stat {
    guard let attributes else { throw FilesError(.notFound, at: path) }
    return attributes
  }

  /// Calls the system, and names the path in errors.
  @discardableResult
  func calling<Value>(
    _ body: @autoclosure () throws(Failure) -> Value
  ) throws(FilesError) -> Value {
    do throws(Failure) { return try body() } catch { throw FilesError(error.reason, at: path) }
  }
}

/// A file as the system knows it.
struct Identity: Hashable {
  private var device: dev_t
  private var number: ino_t

  init(_ attributes: stat) {
    device = attributes.st_dev
    number = attributes.st_ino
  }
}

extension stat {
  var kind: FileKind {
    switch st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    case S_IFLNK: .link
    default: .other
    }
  }

  var permissions: Permissions { Permissions(mode: UInt16(truncatingIfNeeded: st_mode)) }
}

/// Which links at the end of a path are followed.
enum Following {
  case always
  /// Only if a slash follows.
  case withSlash
  case never
}

/// Follows paths name by name. The system never follows a link by itself, so that no link, also none that appears
/// meanwhile, leads out of the root.
struct PathWalk {
  /// The most links that are followed for a path, as on Linux.
  ///
  /// Source: path_resolution(7).
  private static let mostLinks = 40

  private var place: Place
  private var pending: [String]
  private var links = 0

  static func place(
    of path: String, from root: Descriptor, _ following: Following
  ) throws(FilesError) -> Place {
    var walk = try PathWalk(path, from: root)
    while let name = walk.pending.popLast() { try walk.step(to: name, following) }
    if following != .never, walk.place.isDirectory, let attributes = walk.place.attributes,
      attributes.kind != .directory
    {
      throw FilesError(.notDirectory, at: path)
    }
    return walk.place
  }

  private init(_ path: String, from root: Descriptor) throws(FilesError) {
    let parts = try PathParts(path)
    place = Place(
      directory: root, isDirectory: parts.isDirectory, ancestors: [], path: path)
    pending = parts.names.reversed()
    let attributes = try place.calling(try root.attributes("."))
    place.ancestors = [Identity(attributes)]
  }

  private mutating func step(to name: String, _ following: Following) throws(FilesError) {
    try enter()
    let directory = place.directory
    switch name {
    case ".":
      // Only a directory that may be searched has this entry.
      place.attributes = try place.calling(try directory.attributes("./."))
    case "..":
      try ascend()
    default:
      do throws(Failure) {
        set(Name(name), try directory.attributes(Name(name)))
      } catch {
        guard error.code == ENOENT else { throw FilesError(error.reason, at: place.path) }
        set(Name(name), nil)
      }
      guard place.attributes?.kind == .link else { return }
      if pending.isEmpty, following == .never || following == .withSlash && !place.isDirectory {
        return
      }
      try follow(Name(name))
    }
  }

  private mutating func set(_ name: Name?, _ attributes: stat?) {
    place.name = name
    place.attributes = attributes
  }

  /// Goes into the directory that was found last.
  private mutating func enter() throws(FilesError) {
    guard let name = place.name else { return }
    let directory = place.directory
    let inner = try place.calling(try directory.directory(name))
    // Another may be there now.
    let found = try place.calling(try inner.attributes("."))
    place.directory = inner
    place.ancestors.append(Identity(found))
    set(nil, found)
  }

  /// Goes to the directory above, if that is the one that was passed. Above the root there is none, and another process may
  /// have moved this one.
  private mutating func ascend() throws(FilesError) {
    let directory = place.directory
    let outer = try place.calling(try directory.directory(".."))
    let attributes = try place.calling(try outer.attributes("."))
    place.ancestors.removeLast()
    guard Identity(attributes) == place.ancestors.last else {
      throw FilesError(.outsideRoot, at: place.path)
    }
    place.directory = outer
    set(nil, attributes)
  }

  private mutating func follow(_ name: Name) throws(FilesError) {
    links += 1
    if links > Self.mostLinks { throw FilesError(.tooManyLinks, at: place.path) }
    let directory = place.directory
    let content = try place.calling(try directory.target(name))
    guard let target = content.text else {
      throw FilesError(.invalidName, at: place.path)
    }
    let parts = try PathParts(target: target, at: place.path)
    if pending.isEmpty { place.isDirectory = place.isDirectory || parts.isDirectory }
    pending += parts.names.reversed()
    let attributes = try place.calling(try directory.attributes("."))
    set(nil, attributes)
  }
}
