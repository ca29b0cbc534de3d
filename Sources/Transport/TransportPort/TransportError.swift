/// The failure of an exchange: its kind, its phase, and whether a retry is safe.
public struct TransportError: Error, Sendable {
  /// The cause of the failure.
  public var kind: Kind

  /// The phase in which the exchange failed.
  public var phase: Phase

  /// Whether any byte of the request may have been sent; `true` if unknown.
  public var bytesSent: Bool

  /// Whether the request can be sent again without repeating an effect, and may then succeed.
  ///
  /// True for a transient failure if nothing was sent or the method is idempotent
  /// (RFC 9110 §9.2.2). The body must be replayable as well, see ``HTTPRequestBody/isReplayable``.
  public var isRetrySafe: Bool

  /// The code of the underlying library or system call: a `CURLcode`, an `errno`, a
  /// `URLError.Code`.
  public var code: Int?

  /// A description for people: what happened, to what, and what to do.
  public var detail: String

  /// The error of the body's producer, the cookie store or the session, if one caused the failure.
  public var underlying: (any Error)?

  /// Creates an error and derives ``isRetrySafe`` from the kind, the method and `bytesSent`.
  ///
  /// - Parameters:
  ///   - kind: The cause of the failure.
  ///   - phase: The phase in which the exchange failed.
  ///   - method: The method of the request, or `nil` if it has no valid one.
  ///   - bytesSent: Whether any byte of the request may have been sent.
  ///   - code: The code of the underlying library or system call.
  ///   - detail: What happened, to what, and what to do.
  ///   - underlying: The error that caused this one.
  public init(
    _ kind: Kind, phase: Phase, method: HTTPRequest.Method? = nil, bytesSent: Bool,
    code: Int? = nil, detail: String = "",
    underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.phase = phase
    self.bytesSent = bytesSent
    self.isRetrySafe = kind.isTransient && (!bytesSent || method?.isIdempotent == true)
    self.code = code
    self.detail = detail
    self.underlying = underlying
  }
}

extension TransportError {
  /// A phase of an exchange, in chronological order.
  public enum Phase: String, Sendable, Hashable {
    /// Before any input or output: validation, cookies, waiting for a connection.
    case preparing
    /// Resolving the host name.
    case resolving
    /// Connecting to the host or to a proxy.
    case connecting
    /// The TLS handshake.
    case securing
    /// Sending the request's head and body.
    case sending
    /// Waiting for the complete head of the final response.
    case awaitingHead
    /// Receiving the body.
    case receivingBody
    /// Decoding the content.
    case decoding
    /// Evaluating a redirect.
    case redirecting
  }
}

extension TransportError: CustomStringConvertible {
  public var description: String {
    var text = "\(kind) while \(phase.rawValue)"
    if !detail.isEmpty { text += ": \(detail)" }
    if let code { text += " (code \(code))" }
    text += bytesSent ? "; the request may have been sent" : "; nothing was sent"
    return text + (isRetrySafe ? ", a retry is safe" : "")
  }
}
