/// The names of a path, checked.
package struct PathParts: Sendable {
  /// The names, `.` and `..` among them. Slashes that follow each other count as one.
  package var names: [String]
  /// Whether the path must be a directory, as one with a slash at its end.
  package var isDirectory: Bool

  /// Splits a path that a caller gave.
  package init(_ path: String) throws(FilesError) {
    if path.isEmpty { throw FilesError(.notFound, at: path) }
    if path.utf8.contains(0) { throw FilesError(.invalidPath, at: path) }
    if path.utf8.count > 4095 { throw FilesError(.nameTooLong, at: path) }
    try self.init(target: path, at: path)
  }

  /// Splits what a link contains.
  ///
  /// - Parameters:
  ///   - target: The content.
  ///   - path: The path in which the link was found, for errors.
  package init(target: String, at path: String) throws(FilesError) {
    if target.utf8.first == UInt8(ascii: "/") { throw FilesError(.outsideRoot, at: path) }
    names = target.utf8.split(separator: UInt8(ascii: "/")).map {
      String(decoding: $0, as: UTF8.self)
    }
    for name in names where name.utf8.count > 255 { throw FilesError(.nameTooLong, at: path) }
    isDirectory = target.utf8.last == UInt8(ascii: "/")
  }

  /// Creates missing directories of the path, all but the last.
  ///
  /// What exists is found by halves, so that a path of a thousand names is not followed a thousand times.
  ///
  /// - Parameters:
  ///   - finds: Whether a path leads to something.
  ///   - creates: Creates directories below a path, each in the one before.
  package func makeParents(
    finds: (String) throws(FilesError) -> Bool,
    creates: (_ path: String, _ names: ArraySlice<String>) throws(FilesError) -> Void
  ) throws(FilesError) {
    while true {
      var (found, missing) = (0, names.count)
      while missing - found > 1 {
        let middle = (found + missing) / 2
        if try finds(path(of: middle)) { found = middle } else { missing = middle }
      }
      let rest = names[found..<names.count - 1]
      // After `..` it depends on what has been created.
      let new = rest.prefix { $0 != "." && $0 != ".." }
      if new.isEmpty { return }
      try creates(path(of: found), new)
    }
  }

  private func path(of count: Int) -> String {
    count == 0 ? "." : names.prefix(count).joined(separator: "/")
  }
}
