extension HTTPRequest {
  /// A request method: case-sensitive, and open to methods of your own.
  ///
  /// Any string can be a value of this type; one that is no token is refused when the request is
  /// sent. Source: RFC 9110 §9.
  public struct Method: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method as it goes to the wire.
    public let rawValue: String

    /// A method by its name.
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

    /// Whether the method is a token: the only methods that may go to the wire.
    public var isValid: Bool { rawValue.isToken }

    /// Whether sending the request twice has the effect of sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
      switch self {
      case .get, .head, .put, .delete, .options, .trace: true
      default: false
      }
    }

    public var description: String { rawValue }
  }
}
