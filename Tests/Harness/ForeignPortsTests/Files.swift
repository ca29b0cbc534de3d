/// The part of a file system that an app uses. Paths are relative to a root folder.
protocol Files: Sendable {
  /// Writes a file, through links. The folder must exist.
  func write(_ bytes: [UInt8], to path: String) throws(FilesError)
  /// Reads a file, through links.
  func read(_ path: String) throws(FilesError) -> [UInt8]
  /// Creates a folder in an existing one.
  func makeFolder(_ path: String) throws(FilesError)
  /// Creates a link to a path, which is relative to the link's folder.
  func link(_ path: String, to target: String) throws(FilesError)
  /// Where a link leads.
  func target(_ path: String) throws(FilesError) -> String
  /// Removes a file, a link or an empty folder.
  func remove(_ path: String) throws(FilesError)
  /// Moves whatever is at a path, and replaces a file, a link or an empty folder.
  func move(_ from: String, to path: String) throws(FilesError)
  /// Copies a file, or the tree of a folder, with links as links. The destination must not exist.
  func copy(_ from: String, to path: String) throws(FilesError)
  /// The names in a folder, sorted.
  func list(_ path: String) throws(FilesError) -> [String]
  /// Makes a file read-only, or writable again, through links.
  func setReadOnly(_ isReadOnly: Bool, at path: String) throws(FilesError)
  func isReadOnly(_ path: String) throws(FilesError) -> Bool
}

enum FilesError: Error, Hashable {
  case missing
  case exists
  case notFolder
  case isFolder
  case notEmpty
  case notLink
  case loop
  case intoItself
  case notAllowed
  case busy
}
