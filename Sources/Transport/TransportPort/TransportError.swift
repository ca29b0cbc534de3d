/// Why an exchange failed, in which phase, and what that means for trying again.
public struct TransportError: Error, Sendable {
  /// What went wrong.
  public var kind: Kind

  /// What the transport was doing when it went wrong.
  public var phase: Phase

  /// Whether any byte of the request may have reached the wire; `true` where that is unknown.
  public var bytesSent: Bool

  /// Whether sending the request again cannot repeat an effect, and could help.
  ///
  /// True for passing failures of which either nothing was sent or the method is idempotent
  /// (RFC 9110 §9.2.2). The body must also be replayable, see ``HTTPRequestBody/isReplayable``.
  public var isRetrySafe: Bool

  /// The code of the library or system below: a curl code, an errno, a URL error code.
  public var code: Int?

  /// What happened, to what, and what to do, in words.
  public var detail: String

  /// The error below, where there is one: that of the body's producer or of the cookie store.
  public var underlying: (any Error)?

  /// An error, with the safety of a retry worked out from kind, method and bytes sent.
  ///
  /// - Parameters:
  ///   - kind: What went wrong.
  ///   - phase: What the transport was doing.
  ///   - method: The method of the request; `nil` where there is no valid one.
  ///   - bytesSent: Whether any byte of the request may have reached the wire.
  ///   - code: The code of the library or system below.
  ///   - detail: What happened, to what, and what to do.
  ///   - underlying: The error below.
  public init(
    _ kind: Kind, phase: Phase, method: HTTPRequest.Method? = nil, bytesSent: Bool,
    code: Int? = nil, detail: String = "", underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.phase = phase
    self.bytesSent = bytesSent
    self.isRetrySafe = kind.isPassing && (!bytesSent || method?.isIdempotent == true)
    self.code = code
    self.detail = detail
    self.underlying = underlying
  }
}

extension TransportError {
  /// The stages of an exchange, in their order.
  public enum Phase: String, Sendable, Hashable {
    /// Before any input or output: validation, queueing for a connection, cookies.
    case preparing
    /// Looking up the host.
    case resolving
    /// Opening the connection, to the host or to a proxy.
    case connecting
    /// The TLS handshake.
    case securing
    /// Writing the request's head and body.
    case sending
    /// The request is on its way and the final head is not complete.
    case awaitingHead
    /// The head is complete and the body is not.
    case receivingBody
    /// Undoing the content encoding.
    case decoding
    /// Working out where a redirect leads.
    case redirecting
  }
}

extension TransportError: CustomStringConvertible {
  public var description: String {
    var text = "\(kind) while \(phase.rawValue)"
    if !detail.isEmpty { text += ": \(detail)" }
    if let code { text += " (code \(code))" }
    text += bytesSent ? "; the request may have reached the wire" : "; nothing was sent"
    return text + (isRetrySafe ? ", a retry is safe" : "")
  }
}
