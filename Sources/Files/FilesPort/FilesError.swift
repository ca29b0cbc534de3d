/// Why a function of ``Files`` failed, and at which of its paths.
public struct FilesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, with the name of POSIX's error.
  public enum Reason: Hashable, Sendable {
    /// Nothing is there, or the path is empty (ENOENT).
    case notFound
    /// Something is there already (EEXIST).
    case exists
    /// What must be a directory is none (ENOTDIR).
    case notDirectory
    /// What must not be a directory is one (EISDIR).
    case isDirectory
    /// The directory is not empty (ENOTEMPTY).
    case notEmpty
    /// What must be a link is none (EINVAL).
    case notLink
    /// More links were followed than the system allows (ELOOP).
    case tooManyLinks
    /// A directory cannot be moved or copied into itself (EINVAL).
    case intoItself
    /// The permissions do not allow it (EACCES, EPERM).
    case notPermitted
    /// The file system is read-only (EROFS).
    case readOnly
    /// No space, or no quota, is left (ENOSPC, EDQUOT).
    case noSpace
    /// The path or a name in it is too long (ENAMETOOLONG).
    case nameTooLong
    /// The path contains a NUL, or the path of a node to move or remove ends with `.` or `..` (EINVAL).
    case invalidPath
    /// The path is absolute, or leads out of the root.
    case outsideRoot
    /// A name in the directory is not UTF-8.
    case invalidName
    /// A pipe, a socket or a device has no content to read, write or copy.
    case notSupported
    /// Another error of the system: its number, as in errno.h.
    case system(code: Int32)
  }

  /// What is wrong.
  public var reason: Reason
  /// The path, as the caller gave it.
  public var path: String

  /// Creates an error.
  public init(_ reason: Reason, at path: String) {
    self.reason = reason
    self.path = path
  }

  public var description: String { "'\(path)' \(reason.sentence)" }
}

extension FilesError.Reason {
  fileprivate var sentence: String {
    switch self {
    case .notFound: "does not exist"
    case .exists: "exists already"
    case .notDirectory: "is no directory, or leads through something that is none"
    case .isDirectory: "is a directory, and no file"
    case .notEmpty: "is a directory that is not empty"
    case .notLink: "is no link"
    case .tooManyLinks: "leads through too many links, perhaps in a circle"
    case .intoItself: "is inside the directory that the call moves or copies"
    case .notPermitted: "is not permitted to this user; look at the permissions on the way"
    case .readOnly: "is on a read-only file system"
    case .noSpace: "does not fit: no space is left"
    case .nameTooLong: "has more than 4,095 bytes, or a name of more than 255"
    case .invalidPath: "contains a NUL, or ends with . or .. where a name is needed"
    case .outsideRoot: "leads out of the root"
    case .invalidName: "contains a name that is not UTF-8"
    case .notSupported: "is neither a file, a directory nor a link"
    case .system(let code): "cannot be used: error \(code) of the system"
    }
  }
}
