extension HTTPField {
  /// A field name. Comparison and hashing ignore ASCII case.
  ///
  /// Any string is a value of this type. Sending a request with a name that is not a token fails
  /// with ``TransportError/Kind-swift.enum/invalidRequest(_:)``.
  ///
  /// Source: RFC 9110 §5.1.
  public struct Name: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as written; it is sent in this case.
    public let rawName: String

    /// The name in lower case, which comparison and hashing use.
    public let canonicalName: String

    /// Creates a name.
    public init(_ rawName: String) {
      self.rawName = rawName
      self.canonicalName = rawName.asciiLowercased()
    }

    public init(stringLiteral value: String) {
      self.init(value)
    }

    /// Whether the name is a token; only such names can be sent.
    public var isValid: Bool { rawName.isToken }

    /// Whether the field is specific to one connection, and therefore not allowed in HTTP/2.
    ///
    /// Source: RFC 9113 §8.2.2.
    package var isOfConnection: Bool {
      [.connection, .transferEncoding, "Keep-Alive", "Proxy-Connection", "Upgrade"].contains(self)
    }

    public var description: String { rawName }

    public static func == (left: Name, right: Name) -> Bool {
      left.canonicalName == right.canonicalName
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(canonicalName)
    }
  }
}

extension HTTPField.Name {
  public static let accept: Self = "Accept"
  public static let acceptEncoding: Self = "Accept-Encoding"
  public static let authorization: Self = "Authorization"
  public static let connection: Self = "Connection"
  public static let contentEncoding: Self = "Content-Encoding"
  public static let contentLength: Self = "Content-Length"
  public static let contentType: Self = "Content-Type"
  public static let cookie: Self = "Cookie"
  public static let expect: Self = "Expect"
  public static let host: Self = "Host"
  public static let location: Self = "Location"
  public static let proxyAuthorization: Self = "Proxy-Authorization"
  public static let setCookie: Self = "Set-Cookie"
  public static let trailer: Self = "Trailer"
  public static let transferEncoding: Self = "Transfer-Encoding"
  public static let userAgent: Self = "User-Agent"
}
