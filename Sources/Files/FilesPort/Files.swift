/// The part of a file system that an app uses, below a root directory.
///
/// The functions mean what those of POSIX mean (IEEE Std 1003.1-2024), and every implementation satisfies
/// `Contract.files`.
///
/// - A path is relative to the root: `notes/today.txt`, `.` for the root itself. It has at most 4,095 bytes of
///   UTF-8, and each name in it at most 255. Paths that begin with `/`, and `..` and links that lead out of the
///   root, are errors (``FilesError/Reason/outsideRoot``).
/// - A path with a slash at its end names a directory.
/// - Links in the middle of a path are followed. A link at its end is followed by the functions that say so.
/// - A function that throws has changed nothing, except where it says otherwise, and except the time of a directory in
///   which it has created something and removed it again.
public protocol Files: Sendable {
  /// The kind of node at a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - followsLinks: Whether a link at the end of the path is followed.
  /// - Throws: ``FilesError``, ``FilesError/Reason/notFound`` among others if nothing is there.
  ///
  /// Source: stat(), lstat().
  func kind(of path: String, followingLinks followsLinks: Bool) throws(FilesError) -> FileKind

  /// Reads a whole file. A link at the end of the path is followed.
  ///
  /// Source: open(), read().
  func read(_ path: String) throws(FilesError) -> [UInt8]

  /// Writes a file. A link at the end of the path is followed, and its target is created if it is missing.
  ///
  /// A new file has the permissions 0666 without the bits of the process's umask. A file that exists keeps its
  /// permissions. If a write that is not atomic fails for lack of space, a part may have been written.
  ///
  /// Source: open(), write(), rename().
  func write(_ bytes: [UInt8], to path: String, _ mode: WriteMode) throws(FilesError)

  /// Creates a directory with the permissions 0777 without the bits of the process's umask.
  ///
  /// - Parameters:
  ///   - path: The path. Nothing may be there.
  ///   - parents: Whether missing directories above are created too. A directory at the path is no error then.
  ///
  /// Source: mkdir(), and the utility mkdir with -p.
  func createDirectory(_ path: String, withParents parents: Bool) throws(FilesError)

  /// The names in a directory without `.` and `..`, in the order of their bytes. A link at the end of the path
  /// is followed.
  ///
  /// Source: readdir().
  func list(_ path: String) throws(FilesError) -> [String]

  /// Copies a file, a link as a link, or a directory with all that is in it.
  ///
  /// Copies have the permissions of the originals. Nothing, not even a link, may be at the destination; if the
  /// copy fails, nothing is there afterwards.
  ///
  /// Source: the utility cp with -RPp, without times and owners.
  func copy(_ source: String, to destination: String) throws(FilesError)

  /// Moves a file, a link or a directory.
  ///
  /// A file or a link replaces a file or a link at the destination, and a directory replaces an empty directory.
  /// Somebody who reads the destination meanwhile finds the old or the new node.
  ///
  /// Source: rename().
  func move(_ source: String, to destination: String) throws(FilesError)

  /// Removes a file, a link or an empty directory. A link's target stays.
  ///
  /// Source: unlink(), rmdir().
  func remove(_ path: String) throws(FilesError)

  /// Removes a file, a link, or a directory with all that is in it. Targets of links stay.
  ///
  /// Source: the utility rm with -R.
  func removeTree(_ path: String) throws(FilesError)

  /// Creates a symbolic link.
  ///
  /// - Parameters:
  ///   - path: The path of the link. Nothing may be there.
  ///   - target: What the link contains: a path relative to the link's directory. Nothing need be there.
  ///
  /// Source: symlink().
  func createLink(_ path: String, to target: String) throws(FilesError)

  /// What a symbolic link contains.
  ///
  /// Source: readlink().
  func target(ofLink path: String) throws(FilesError) -> String

  /// The permissions of a file or directory. A link at the end of the path is followed.
  ///
  /// Source: stat().
  func permissions(of path: String) throws(FilesError) -> Permissions

  /// Sets the permissions of a file or directory. A link at the end of the path is followed.
  ///
  /// Source: chmod().
  func setPermissions(_ permissions: Permissions, of path: String) throws(FilesError)

  /// When the content of a file or directory changed last. A link at the end of the path is followed.
  ///
  /// Source: stat().
  func modificationTime(of path: String) throws(FilesError) -> FileTime

  /// Sets the time of the last change. A link at the end of the path is followed.
  ///
  /// Source: utimensat().
  func setModificationTime(_ time: FileTime, of path: String) throws(FilesError)

  /// Creates a directory with a new name and the permissions 0700.
  ///
  /// - Parameters:
  ///   - directory: Where.
  ///   - prefix: What the name begins with.
  /// - Returns: The path.
  ///
  /// Source: mkdtemp().
  func createTemporaryDirectory(in directory: String, prefix: String) throws(FilesError) -> String
}

/// A kind of node.
public enum FileKind: Hashable, Sendable {
  case file
  case directory
  case link
  /// A pipe, a socket or a device. It can be moved and removed.
  case other
}

/// How a file is written.
public enum WriteMode: Hashable, Sendable, CaseIterable {
  /// Creates the file, or replaces the content of an existing one.
  case replacing
  /// Creates the file, or adds to its end.
  case appending
  /// Creates the file. Nothing, not even a link, may be there.
  case creating
  /// As `replacing`, but readers find the old or the new content and never a part, also after a crash of the
  /// process or the system.
  case atomically
}
