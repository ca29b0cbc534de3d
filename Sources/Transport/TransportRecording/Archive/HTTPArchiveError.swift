/// An archive that cannot be read.
public enum HTTPArchiveError: Error, Sendable, Hashable {
  /// The file cannot be read.
  case unreadable(path: String, reason: String)
  /// The file is larger than ``HTTPArchive/Limits/bytes``.
  case tooLarge(bytes: Int, limit: Int)
  /// The archive has more entries than ``HTTPArchive/Limits/entries``.
  case tooManyEntries(limit: Int)
  /// The content is not JSON, or not an HTTP archive; the text says what is wrong and where.
  case malformed(String)
}

extension HTTPArchiveError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read the archive \(path): \(reason)"
    case .tooLarge(let bytes, let limit):
      "the archive has \(bytes) bytes, more than the limit of \(limit); record less or raise"
        + " HTTPArchive.Limits.bytes"
    case .tooManyEntries(let limit):
      "the archive has more than \(limit) entries; record less or raise"
        + " HTTPArchive.Limits.entries"
    case .malformed(let reason): "the archive is not valid HAR 1.2: \(reason)"
    }
  }
}
