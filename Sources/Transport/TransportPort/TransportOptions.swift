/// Settings of one exchange that only the transport itself can carry out.
public struct TransportOptions: Sendable, Hashable {
  /// The longest time to resolve, connect and secure; `nil` leaves it to the transport.
  public var connectTimeout: Duration?

  /// How long the body waits for `100 Continue` when the request has `Expect: 100-continue`.
  public var continueTimeout: Duration = .seconds(1)

  /// Whether an open connection may be used; `false` for a retry after a stale one.
  public var reusesConnections: Bool = true

  /// How large the head of a response may be.
  public var headLimits: HTTPHeadLimits = HTTPHeadLimits()

  /// The defaults.
  public init() {}
}

/// How large the head of a response, or its trailers, may be.
public struct HTTPHeadLimits: Sendable, Hashable {
  /// The most bytes of one head, from the status line to the empty line.
  public var bytes: Int

  /// The most field lines of one head.
  public var fields: Int

  /// The most interim responses before the final one.
  public var informational: Int

  /// Limits; the defaults are 64 KiB, 256 fields and 32 interim responses.
  public init(bytes: Int = 65_536, fields: Int = 256, informational: Int = 32) {
    self.bytes = bytes
    self.fields = fields
    self.informational = informational
  }
}
