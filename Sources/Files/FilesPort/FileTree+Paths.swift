/// How paths lead to nodes.
///
/// Source: IEEE Std 1003.1-2024, 4.16 Pathname Resolution.
extension FileTree {
  /// Where a path leads.
  struct Place {
    var directory: Int
    /// The last name, or `nil` if the path ends with `.` or `..`.
    var name: String?
    /// What is there.
    var node: Int?
    /// Whether the path has a slash at its end.
    var isDirectory: Bool
    /// The path, as the caller gave it.
    var path: String

    /// What is there.
    ///
    /// - Throws: `notFound` if nothing is.
    func found() throws(FilesError) -> Int {
      guard let node else { throw FilesError(.notFound, at: path) }
      return node
    }
  }

  /// Which links at the end of a path are followed.
  enum Following {
    case always
    /// Only if a slash follows.
    case withSlash
    case never
  }

  /// The most links that are followed for a path, as on Linux.
  ///
  /// Source: path_resolution(7).
  private static var mostLinks: Int { 40 }

  func place(_ path: String, _ following: Following) throws(FilesError) -> Place {
    var parts = try PathParts(path)
    var place = Place(
      directory: Self.root, name: nil, node: Self.root, isDirectory: parts.isDirectory, path: path)
    var pending = Array(parts.names.reversed())
    var links = 0
    while let name = pending.popLast() {
      let directory = try directory(at: place)
      switch name {
      case ".":
        place = Place(
          directory: directory, name: nil, node: directory, isDirectory: place.isDirectory,
          path: path)
      case "..":
        if directory == Self.root { throw FilesError(.outsideRoot, at: path) }
        let parent = self[directory].parent
        place = Place(
          directory: parent, name: nil, node: parent, isDirectory: place.isDirectory, path: path)
      default:
        let node = self[directory].entries[key(name)]?.node
        place = Place(
          directory: directory, name: name, node: node, isDirectory: place.isDirectory, path: path)
        guard let node, case .link(let target) = self[node].content else { continue }
        if pending.isEmpty, following == .never || following == .withSlash && !place.isDirectory {
          continue
        }
        links += 1
        if links > Self.mostLinks { throw FilesError(.tooManyLinks, at: path) }
        parts = try PathParts(target: target, at: path)
        if pending.isEmpty { place.isDirectory = place.isDirectory || parts.isDirectory }
        pending += parts.names.reversed()
        place.node = directory
      }
    }
    if following != .never, place.isDirectory, let node = place.node, self[node].kind != .directory
    {
      throw FilesError(.notDirectory, at: path)
    }
    return place
  }

  /// The directory in which the next name of a path is sought.
  func directory(at place: Place) throws(FilesError) -> Int {
    let node = try place.found()
    guard self[node].kind == .directory else { throw FilesError(.notDirectory, at: place.path) }
    guard self[node].allows(1) else { throw FilesError(.notPermitted, at: place.path) }
    return node
  }

  /// Fails if entries of a directory may not change.
  func checkChanges(in directory: Int, at path: String) throws(FilesError) {
    if isReadOnly { throw FilesError(.readOnly, at: path) }
    if !self[directory].allows(3) { throw FilesError(.notPermitted, at: path) }
  }

  /// Where a new node can be added, if the directory may change.
  func vacancy(
    _ path: String, _ following: Following = .never
  ) throws(FilesError) -> (place: Place, name: String) {
    let place = try place(path, following)
    guard place.node == nil, let name = place.name else { throw FilesError(.exists, at: path) }
    return (place, name)
  }

  /// A node that can be moved or removed, if its directory may change.
  func occupant(_ path: String) throws(FilesError) -> (place: Place, name: String, node: Int) {
    let place = try place(path, .never)
    let node = try place.found()
    guard let name = place.name else { throw FilesError(.invalidPath, at: path) }
    if place.isDirectory, self[node].kind != .directory {
      throw FilesError(.notDirectory, at: path)
    }
    return (place, name, node)
  }
}
