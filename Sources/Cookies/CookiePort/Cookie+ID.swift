extension Cookie {
  /// What a store tells cookies apart by (RFC 6265bis §5.7, step 23); equal by octets.
  public struct ID: Sendable, Hashable, Codable {
    /// The name, possibly empty.
    public var name: String

    /// The canonical host or domain.
    public var domain: String

    /// Whether the cookie goes to `domain` alone.
    public var isHostOnly: Bool

    /// The path, beginning with `/`.
    public var path: String

    /// The identity of these parts.
    public init(name: String, domain: String, isHostOnly: Bool = true, path: String = "/") {
      self.name = name
      self.domain = domain
      self.isHostOnly = isHostOnly
      self.path = path
    }

    /// Whether all parts are equal, strings by octets.
    public static func == (one: ID, other: ID) -> Bool {
      one.isHostOnly == other.isHostOnly
        && one.name.hasSameOctets(as: other.name)
        && one.path.hasSameOctets(as: other.path)
        && one.domain.hasSameOctets(as: other.domain)
    }
  }

  /// The cookie's identity: name, domain, host-only flag and path.
  public var id: ID {
    ID(name: name, domain: domain, isHostOnly: isHostOnly, path: path)
  }
}
