extension Cookie {
  /// `name=value`, or the bare value where the name is empty (RFC 6265bis §5.8.3).
  public var serialized: String { name.isEmpty ? value : name + "=" + value }

  /// The value of a `Cookie` header field, or `nil` for no cookies (RFC 6265bis §5.8.3).
  ///
  /// - Parameter cookies: The cookies, in the order in which they are to appear.
  public static func header(for cookies: [Cookie]) -> String? {
    guard !cookies.isEmpty else { return nil }
    return cookies.map(\.serialized).joined(separator: "; ")
  }
}
