/// Why a store did not do what it was asked to; nothing has changed when it is thrown.
public enum CookieStoreError: Error, Sendable, Hashable {
  /// The cookie is refused by the rules.
  case rejected(CookieRejection)

  /// The medium failed.
  case storage(CookieStorageFailure)
}

/// What went wrong with the medium, to what, and what to do.
public struct CookieStorageFailure: Sendable, Hashable {
  /// What went wrong.
  public var kind: Kind

  /// What it happened to: a file's path, usually.
  public var subject: String

  /// The medium's own words and code, such as SQLite's message.
  public var detail: String

  /// The kinds of failure that a caller can act on.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The file is something else than a cookie store.
    case notACookieStore
    /// The file is damaged.
    case corrupt
    /// The file was written by a newer version of this package.
    case newerVersion
    /// The file or its folder can't be written or read.
    case notPermitted
    /// The medium is full.
    case full
    /// Another handle held the file longer than the time-out.
    case busy
    /// The file was moved or deleted while the store had it open.
    case gone
    /// The store has been closed.
    case closed
    /// Something else; the detail says what.
    case other
  }

  /// A failure of `kind` that happened to `subject`.
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
    case .rejected(let rejection): "cookie refused: \(rejection)"
    case .storage(let failure): "\(failure)"
    }
  }
}

extension CookieStorageFailure: CustomStringConvertible {
  /// What happened, to what, and what to do.
  public var description: String {
    let told = detail.isEmpty ? "" : " (\(detail))"
    return "\(subject): \(kind.sentence)\(told)"
  }
}

extension CookieStorageFailure.Kind {
  /// What it is, and what to do about it.
  fileprivate var sentence: String {
    switch self {
    case .notACookieStore: "this is no cookie store: choose another path"
    case .corrupt: "the file is damaged: restore a copy, or remove it to start afresh"
    case .newerVersion: "a newer version of this package wrote the file: update the package"
    case .notPermitted: "the file or its folder may not be read or written: check permissions"
    case .full: "the medium is full: make room and try again"
    case .busy: "another handle holds the file: try again, or raise the time-out"
    case .gone: "the file is gone from its path: open the store again"
    case .closed: "the store has been closed: open it again"
    case .other: "the medium failed"
    }
  }
}
