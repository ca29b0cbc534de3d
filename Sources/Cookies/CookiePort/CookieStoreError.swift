/// An error of a cookie store; the store is unchanged when it is thrown.
public enum CookieStoreError: Error, Sendable, Hashable {
  /// A rule rejects the cookie.
  case rejected(CookieRejection)

  /// The storage failed.
  case storage(CookieStorageFailure)
}

/// A failure of a store's storage, such as its file.
public struct CookieStorageFailure: Sendable, Hashable {
  /// The kind of failure.
  public var kind: Kind

  /// What failed, usually a file's path.
  public var subject: String

  /// The storage's message and code, such as SQLite's.
  public var detail: String

  /// The kinds of failure that a caller can act on.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The file is not a cookie store.
    case notACookieStore
    /// The file is damaged.
    case corrupt
    /// The file was written by a newer version of this package.
    case newerVersion
    /// The file or its directory can't be read or written.
    case notPermitted
    /// The file's directory doesn't exist.
    case missingDirectory
    /// The disk is full.
    case full
    /// Another handle locked the file for longer than the timeout.
    case busy
    /// The file was moved or deleted while the store was open.
    case gone
    /// The store has been closed.
    case closed
    /// The clock shows a time before the year 1 or after the year 9999.
    case clockOutOfRange
    /// Another failure; see the detail.
    case other
  }

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - kind: The kind of failure.
  ///   - subject: What failed, usually a file's path.
  ///   - detail: The storage's message and code.
  public init(_ kind: Kind, subject: String, detail: String) {
    self.kind = kind
    self.subject = subject
    self.detail = detail
  }
}

extension CookieStoreError: CustomStringConvertible {
  /// What happened, to what, and what to do.
  public var description: String {
    switch self {
    case .rejected(let rejection): "cookie rejected: \(rejection)"
    case .storage(let failure): "\(failure)"
    }
  }
}

extension CookieStorageFailure: CustomStringConvertible {
  /// What happened, to what, and what to do.
  public var description: String {
    let suffix = detail.isEmpty ? "" : " (\(detail))"
    return "\(subject): \(kind.message)\(suffix)"
  }
}

extension CookieStorageFailure.Kind {
  /// What failed, and what to do.
  fileprivate var message: String {
    switch self {
    case .notACookieStore: "not a cookie store: choose another path"
    case .corrupt: "the file is damaged: salvage it, restore a backup, or remove it"
    case .newerVersion: "a newer version of this package wrote the file: update the package"
    case .notPermitted: "the file or its directory can't be read or written: check permissions"
    case .missingDirectory: "the file's directory doesn't exist: create it"
    case .full: "the disk is full: free some space and try again"
    case .busy: "another handle has locked the file: try again, or increase the timeout"
    case .gone: "the file was moved or deleted: open the store again"
    case .closed: "the store has been closed: open it again"
    case .clockOutOfRange: "the clock is not within the years 1 to 9999: set it"
    case .other: "the storage failed"
    }
  }
}
