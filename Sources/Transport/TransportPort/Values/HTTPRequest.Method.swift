extension HTTPRequest {
  /// A request method, case-sensitive; any token is allowed.
  ///
  /// Any string is a value of this type. Sending a request whose method is not a token fails with
  /// ``TransportError/Kind-swift.enum/invalidRequest(_:)``. Source: RFC 9110 §9.
  public struct Method: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method as sent.
    public let rawValue: String

    /// Creates a method from its name.
    public init(_ rawValue: String) {
      self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
      self.init(value)
    }

    public static let get: Self = "GET"
    public static let head: Self = "HEAD"
    public static let post: Self = "POST"
    public static let put: Self = "PUT"
    public static let delete: Self = "DELETE"
    public static let options: Self = "OPTIONS"
    public static let patch: Self = "PATCH"
    public static let trace: Self = "TRACE"
    public static let connect: Self = "CONNECT"

    /// Whether the method is a token; only such methods can be sent.
    public var isValid: Bool { rawValue.isToken }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
      switch self {
      case .get, .head, .put, .delete, .options, .trace: true
      default: false
      }
    }

    public var description: String { rawValue }
  }
}
