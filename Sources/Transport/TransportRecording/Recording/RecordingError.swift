/// The reason why a recording was not written. An existing file is unchanged.
public enum RecordingError: Error, Sendable, Hashable {
  /// A path of ``Redaction/jsonPaths`` cannot be read.
  case invalidJSONPath(String)
  /// This many exchanges have not ended: their callers still wait for the response or read it.
  case exchangesInProgress(Int)
  /// A redacted value would still be in the file. The texts name the places and not the value.
  case secretRemains([String])
  /// Words that no rule knows look like secrets.
  case secretSuspected([SecretFinding])
  /// Content that may hold a secret cannot be searched or redacted; entries count from 0.
  case contentNotReadable(entry: Int, part: String, reason: String)
  /// The archive would be larger than ``HTTPArchive/Limits`` allow.
  case tooLarge(bytes: Int, limit: Int)
  /// The file cannot be written.
  case unwritable(path: String, reason: String)
}

extension RecordingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidJSONPath(let path):
      "\(path.debugDescription) is not a JSON path; write user.password, $.items[*].token or $..secret"
    case .exchangesInProgress(let count):
      "\(count) exchanges have not ended; read each response to its end, cancel it or release it"
    case .secretRemains(let places):
      "nothing was written, because a redacted value remains; name these places in the Redaction"
        + " too, or the value in allowedValues if it is not secret:\n"
        + places.prefix(20).map { "  \($0)" }.joined(separator: "\n")
    case .secretSuspected(let findings):
      "nothing was written, because \(findings.count) values may be secrets:\n"
        + findings.prefix(20).map { "  \($0)" }.joined(separator: "\n")
    case .contentNotReadable(let entry, let part, let reason):
      "nothing was written, because the content of the \(part) in log.entries[\(entry)] may hold a"
        + " secret: \(reason)"
    case .tooLarge(let bytes, let limit):
      "the archive would have \(bytes) bytes, more than the limit of \(limit); record less"
    case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
    }
  }
}
