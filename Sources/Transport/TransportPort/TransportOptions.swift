/// Options of one exchange that the transport itself must implement.
public struct TransportOptions: Sendable, Hashable {
  /// The timeout for resolving, connecting and the TLS handshake; `nil` uses the transport's
  /// default.
  public var connectTimeout: Duration?

  /// How long the body waits for 100 (Continue) if the request has `Expect: 100-continue`.
  public var continueTimeout: Duration = .seconds(1)

  /// Whether the exchange may use a kept connection; set `false` to retry after a stale one.
  public var reusesConnections: Bool = true

  /// The limits on the head of the response.
  public var headLimits: HTTPHeadLimits = HTTPHeadLimits()

  /// Creates options with the default values.
  public init() {}
}

/// Limits on the head of a response and on its trailers.
public struct HTTPHeadLimits: Sendable, Hashable {
  /// The maximum number of bytes in one head, from the status line to the empty line.
  public var bytes: Int

  /// The maximum number of field lines in one head.
  public var fields: Int

  /// The maximum number of interim responses before the final one.
  public var informational: Int

  /// Creates limits; the defaults are 64 KiB, 256 fields and 32 interim responses.
  public init(bytes: Int = 65_536, fields: Int = 256, informational: Int = 32) {
    self.bytes = bytes
    self.fields = fields
    self.informational = informational
  }
}
