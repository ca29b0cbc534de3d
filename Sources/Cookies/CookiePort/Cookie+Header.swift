extension Cookie {
  /// The text `name=value`, or the value if the name is empty (RFC 6265bis §5.8.3).
  public var serialized: String { name.isEmpty ? value : name + "=" + value }

  /// Returns the value of a `Cookie` header field (RFC 6265bis §5.8.3).
  ///
  /// - Parameter cookies: The cookies, in the order of the header.
  /// - Returns: The field's value, or `nil` if there are no cookies.
  public static func header(for cookies: [Cookie]) -> String? {
    guard !cookies.isEmpty else { return nil }
    return cookies.map(\.serialized).joined(separator: "; ")
  }
}
