/// A value of a recording that is a secret, or may be one. The value itself is not kept.
public struct SecretFinding: Sendable, Hashable {
  /// Where the value is, such as `log.entries[0].request.url, item 'k'`.
  public var place: String

  /// The rule that found it, such as `a GitHub token`.
  public var rule: String

  /// The name of the value; empty if it has none.
  public var name: String

  /// Whether the value only looks random, so that a recording does not replace it.
  public var isSuspected: Bool
}

extension SecretFinding: CustomStringConvertible {
  public var description: String {
    guard isSuspected else { return "\(place): \(rule)" }
    let remedy =
      name.isEmpty
      ? "name what surrounds it in Redaction.paths or Redaction.texts, or the value in allowedValues if it"
        + " is not secret"
      : "add \(name.debugDescription) to Redaction.names, or to allowedNames if it is not secret"
    return "\(place): \(rule); \(remedy)"
  }
}
