/// A URL or relative reference split into its five parts, without validation.
///
/// Source: RFC 3986 appendix B and §5.2.
package struct URLReference: Sendable, Hashable {
  package var scheme: String?
  package var authority: String?
  package var path: String
  package var query: String?
  package var fragment: String?

  /// Splits a text; any text is a valid input.
  package init(_ text: String) {
    var rest = Substring(text)
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
      fragment = String(rest[rest.utf8.index(after: hash)...])
      rest = rest[..<hash]
    }
    if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), rest[..<colon].isScheme {
      scheme = rest[..<colon].asciiLowercased()
      rest = rest[rest.utf8.index(after: colon)...]
    }
    if rest.utf8.starts(with: "//".utf8) {
      let start = rest.utf8.index(rest.startIndex, offsetBy: 2)
      let end =
        rest[start...].utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        ?? rest.endIndex
      authority = String(rest[start..<end])
      rest = rest[end...]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(rest[rest.utf8.index(after: mark)...])
      rest = rest[..<mark]
    }
    path = String(rest)
  }

  /// The path and the query.
  package var pathAndQuery: String { path + (query.map { "?" + $0 } ?? "") }

  /// The whole reference as text.
  package var text: String {
    Self.text(scheme, authority, pathAndQuery) + (fragment.map { "#" + $0 } ?? "")
  }

  /// Returns the text of a reference without a fragment.
  static func text(_ scheme: String?, _ authority: String?, _ pathAndQuery: String) -> String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + pathAndQuery
  }

  /// Resolves this reference against an absolute URL.
  package func resolved(against base: URLReference) -> URLReference {
    var target = self
    if scheme != nil {
      target.path = path.withoutDotSegments
      return target
    }
    target.scheme = base.scheme
    if authority != nil {
      target.path = path.withoutDotSegments
      return target
    }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else if path.utf8.first == UInt8(ascii: "/") {
      target.path = path.withoutDotSegments
    } else {
      target.path = base.merging(path).withoutDotSegments
    }
    return target
  }

  private func merging(_ relative: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" + relative }
    return path[...slash] + relative
  }
}

extension Substring {
  fileprivate var isScheme: Bool {
    guard let first = utf8.first, first.isLetter else { return false }
    return utf8.allSatisfy {
      $0.isLetter || $0.isDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
    }
  }
}

extension String {
  /// The path, which starts with a slash, without `.` and `..` segments (RFC 3986 §5.2.4).
  fileprivate var withoutDotSegments: String {
    var output: [Substring] = []
    let segments = split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".":
        if isLast { output.append("") }
      case "..":
        // The first is the empty one before the slash.
        if output.count > 1 { output.removeLast() }
        if isLast { output.append("") }
      default:
        output.append(segment)
      }
    }
    return output.joined(separator: "/")
  }
}
