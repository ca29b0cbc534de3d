extension Cookie {
  /// The identity of a cookie in a store (RFC 6265bis §5.7, step 23), compared byte by byte.
  public struct ID: Sendable, Hashable, Codable {
    /// The name, possibly empty.
    public var name: String

    /// The canonical host or domain.
    public var domain: String

    /// Whether the cookie is sent to `domain` only and not to its subdomains.
    public var isHostOnly: Bool

    /// The path, beginning with `/`.
    public var path: String

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - name: The name, possibly empty.
    ///   - domain: The canonical host or domain.
    ///   - isHostOnly: Whether the cookie is sent to `domain` only.
    ///   - path: The path, beginning with `/`.
    public init(name: String, domain: String, isHostOnly: Bool = true, path: String = "/") {
      self.name = name
      self.domain = domain
      self.isHostOnly = isHostOnly
      self.path = path
    }

    /// Whether all fields are equal, strings byte by byte.
    public static func == (one: ID, other: ID) -> Bool {
      one.isHostOnly == other.isHostOnly
        && one.name.hasSameBytes(as: other.name)
        && one.path.hasSameBytes(as: other.path)
        && one.domain.hasSameBytes(as: other.domain)
    }
  }

  /// The cookie's identity: name, domain, host-only flag and path.
  public var id: ID {
    ID(name: name, domain: domain, isHostOnly: isHostOnly, path: path)
  }
}
