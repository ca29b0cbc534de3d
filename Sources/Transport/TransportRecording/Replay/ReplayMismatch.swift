public import TransportPort

/// No entry of an archive answers a request; these are the nearest entries and how they differ.
///
/// Values that the recording redacted are redacted here too.
public struct ReplayMismatch: Error, Sendable, Hashable {
  /// One difference between an entry and the request.
  public enum Difference: Sendable, Hashable {
    case method(recorded: String, requested: String)
    /// Scheme, host or port.
    case origin(recorded: String, requested: String)
    case path(recorded: String, requested: String)
    /// An item of the query; `nil` if there is none.
    case queryItem(_ name: String, recorded: String?, requested: String?)
    /// The same items in another order or spelling.
    case query(recorded: String, requested: String)
    /// A field; both `nil` if its values are secrets.
    case field(_ name: HTTPField.Name, recorded: String?, requested: String?)
    /// The content; the text says where it first differs.
    case content(String)
  }

  /// An entry of the archive.
  public struct Candidate: Sendable, Hashable {
    /// Its position, counted from 0.
    public var entry: Int
    public var method: String
    public var url: String
    public var differences: [Difference]
  }

  /// The method of the request.
  public var method: String
  /// The URL of the request.
  public var url: String
  /// The number of recorded answers, all used; 0 if no entry agrees.
  public var recordedAnswers: Int
  /// At most three entries, the nearest first.
  public var candidates: [Candidate]
}

extension ReplayMismatch: CustomStringConvertible {
  public var description: String {
    guard recordedAnswers == 0 else {
      return "\(method) \(url) was recorded \(recordedAnswers) times and asked for once more;"
        + " record it again or replay with afterLast: .repeatsLast"
    }
    let lines = candidates.map { candidate in
      "\n  entry \(candidate.entry), \(candidate.method) \(candidate.url): "
        + candidate.differences.map(\.description).joined(separator: "; ")
    }
    let nearest = lines.isEmpty ? "the archive has no entry" : "the nearest:" + lines.joined()
    return "no recorded exchange agrees with \(method) \(url); record it again; \(nearest)"
  }
}

extension ReplayMismatch.Difference: CustomStringConvertible {
  public var description: String {
    func text(_ value: String?) -> String { value.map(\.debugDescription) ?? "none" }
    return switch self {
    case .method(let recorded, let requested):
      "method recorded \(recorded), requested \(requested)"
    case .origin(let recorded, let requested):
      "origin recorded \(recorded), requested \(requested)"
    case .path(let recorded, let requested): "path recorded \(recorded), requested \(requested)"
    case .queryItem(let name, let recorded, let requested):
      "query item \(name) recorded \(text(recorded)), requested \(text(requested))"
    case .query(let recorded, let requested):
      "query recorded \(recorded), requested \(requested)"
    case .field(let name, nil, nil): "field \(name) differs"
    case .field(let name, let recorded, let requested):
      "field \(name) recorded \(text(recorded)), requested \(text(requested))"
    case .content(let difference): "content differs at \(difference)"
    }
  }
}
