import SystemLocks

/// Files in memory, for tests and previews.
///
/// It behaves like a disk that belongs to an ordinary user: permissions hold, and a directory's changes change
/// its time. Copies of the reference share the files.
public final class InMemoryFiles: Files {
  /// Which names are the same.
  public enum Names: Sendable, Hashable {
    /// Names with the same bytes, as on Linux.
    case exact
    /// Names that differ only in case or in Unicode normalisation are the same too, as on most disks of Apple's
    /// systems. A name keeps the form in which it was created.
    case folded
  }

  private let tree: Mutex<FileTree>
  private let now: @Sendable () -> FileTime

  /// Creates an empty root.
  ///
  /// - Parameters:
  ///   - names: Which names are the same.
  ///   - capacity: The most bytes in all files together, or `nil` for no limit.
  ///   - umask: The permissions that new files and directories do not get.
  ///   - now: The clock for modification times.
  public init(
    names: Names = .exact, capacity: Int? = nil, umask: Permissions = 0o022,
    now: @escaping @Sendable () -> FileTime = { .now }
  ) {
    tree = Mutex(FileTree(names: names, capacity: capacity, umask: umask, now: now()))
    self.now = now
  }

  /// Whether every change fails with ``FilesError/Reason/readOnly``, as on a disk that is mounted so.
  public var isReadOnly: Bool {
    get { tree.withLock(\.isReadOnly) }
    set { tree.withLock { $0.isReadOnly = newValue } }
  }

  /// The number of nodes in memory, with the root.
  package var nodeCount: Int { tree.withLock(\.count) }

  public func kind(of path: String, followingLinks: Bool) throws(FilesError) -> FileKind {
    try use { tree throws(FilesError) in try tree.kind(of: path, followingLinks: followingLinks) }
  }

  public func read(_ path: String) throws(FilesError) -> [UInt8] {
    try use { tree throws(FilesError) in try tree.read(path) }
  }

  public func write(_ bytes: [UInt8], to path: String, _ mode: WriteMode) throws(FilesError) {
    try use { tree throws(FilesError) in try tree.write(bytes, to: path, mode) }
  }

  public func createDirectory(_ path: String, withParents: Bool) throws(FilesError) {
    try use { tree throws(FilesError) in try tree.createDirectory(path, withParents: withParents) }
  }

  public func list(_ path: String) throws(FilesError) -> [String] {
    try use { tree throws(FilesError) in try tree.list(path) }
  }

  public func copy(_ source: String, to destination: String) throws(FilesError) {
    try use { tree throws(FilesError) in try tree.copy(source, to: destination) }
  }

  public func move(_ source: String, to destination: String) throws(FilesError) {
    try use { tree throws(FilesError) in try tree.move(source, to: destination) }
  }

  public func remove(_ path: String) throws(FilesError) {
    try use { tree throws(FilesError) in try tree.remove(path) }
  }

  public func removeTree(_ path: String) throws(FilesError) {
    try use { tree throws(FilesError) in try tree.removeTree(path) }
  }

  public func createLink(_ path: String, to target: String) throws(FilesError) {
    try use { tree throws(FilesError) in try tree.createLink(path, to: target) }
  }

  public func target(ofLink path: String) throws(FilesError) -> String {
    try use { tree throws(FilesError) in try tree.target(ofLink: path) }
  }

  public func permissions(of path: String) throws(FilesError) -> Permissions {
    try use { tree throws(FilesError) in try tree.node(path).permissions }
  }

  public func setPermissions(_ permissions: Permissions, of path: String) throws(FilesError) {
    try use { tree throws(FilesError) in
      try tree.change(path) { $0.permissions = permissions }
    }
  }

  public func modificationTime(of path: String) throws(FilesError) -> FileTime {
    try use { tree throws(FilesError) in try tree.node(path).time }
  }

  public func setModificationTime(_ time: FileTime, of path: String) throws(FilesError) {
    try use { tree throws(FilesError) in try tree.change(path) { $0.time = time } }
  }

  public func createTemporaryDirectory(
    in directory: String, prefix: String
  ) throws(FilesError) -> String {
    try use { tree throws(FilesError) in
      try tree.createTemporaryDirectory(in: directory, prefix: prefix)
    }
  }

  private func use<Value: Sendable>(
    _ body: (inout FileTree) throws(FilesError) -> Value
  ) throws(FilesError) -> Value {
    let now = now()
    return try tree.withLock { tree -> Result<Value, FilesError> in
      tree.now = now
      do throws(FilesError) { return .success(try body(&tree)) } catch { return .failure(error) }
    }.get()
  }
}
