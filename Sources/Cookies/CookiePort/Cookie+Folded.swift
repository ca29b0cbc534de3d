extension Cookie {
  /// Splits several `Set-Cookie` fields that were joined by commas, as `allHeaderFields` of Foundation
  /// and some proxies do.
  ///
  /// Such a text is ambiguous, because cookies may contain commas (RFC 9110 §5.3 forbids to join these
  /// fields). A comma separates two cookies if a name and `=` follow it; the comma of an `Expires` date
  /// does not. Store fields that have not been joined as they are: a value like `a,b=c` would be split.
  ///
  /// - Parameter fields: The joined values.
  /// - Returns: The value of each field, for ``CookieStore/store(_:from:)-(String,_)``.
  public static func lines(ofJoined fields: String) -> [String] {
    let bytes = Array(fields.utf8)
    var lines: [String] = []
    var start = 0
    for comma in bytes.indices where bytes[comma] == UInt8(ascii: ",") {
      guard bytes[(comma + 1)...].beginsWithNameAndSign else { continue }
      lines.append(String(decoding: bytes[start..<comma].trimmingSpaces, as: UTF8.self))
      start = comma + 1
    }
    lines.append(String(decoding: bytes[start...].trimmingSpaces, as: UTF8.self))
    return lines.filter { !$0.isEmpty }
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes begin with spaces, a token (RFC 9110 §5.6.2) and `=`.
  fileprivate var beginsWithNameAndSign: Bool {
    let rest = drop(while: \.isCookieSpace)
    let name = rest.prefix(while: \.isTokenCharacter)
    return !name.isEmpty
      && rest.dropFirst(name.count).first(where: { !$0.isCookieSpace }) == UInt8(ascii: "=")
  }

  /// The bytes without leading and trailing spaces and TABs.
  fileprivate var trimmingSpaces: Self {
    let rest = drop(while: \.isCookieSpace)
    return rest[..<(rest.lastIndex { !$0.isCookieSpace }.map { $0 + 1 } ?? rest.startIndex)]
  }
}

extension UInt8 {
  /// Whether the byte may be part of a token (RFC 9110 §5.6.2).
  fileprivate var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
