/// A validated request with its framing and all fields that will be sent.
///
/// Every adapter starts with `try WireRequest(request, body: body)` and sends exactly these values.
/// Validation is here and nowhere else, so that all transports reject the same requests.
public struct WireRequest: Sendable, Hashable {
  /// How the end of the body is indicated.
  public enum Framing: Sendable, Hashable {
    /// There is no body.
    case none
    /// Content-Length, in bytes.
    case length(Int)
    /// The chunked coding.
    case chunked
  }

  /// The maximum size of a head in bytes: 1,000,000, slightly below what libcurl can send.
  public static let headLimit = 1_000_000

  /// The method.
  public let method: HTTPRequest.Method

  /// The origin to connect to.
  public let origin: HTTPOrigin

  /// The path and query, as sent in the request line.
  public let target: String

  /// All fields in order: Host, the caller's fields, then Content-Length or Transfer-Encoding.
  ///
  /// A Connection field without a value is left out (RFC 9110 §7.6.1).
  public let headerFields: HTTPFields

  /// How the body is framed.
  public let framing: Framing

  /// The value of Content-Length; `nil` if there is no body or it is chunked.
  package var contentLength: Int? {
    if case .length(let length) = framing { length } else { nil }
  }

  /// Creates a variant of a validated request, such as the form that a proxy receives.
  init(
    method: HTTPRequest.Method, origin: HTTPOrigin, target: String, headerFields: HTTPFields,
    framing: Framing
  ) {
    self.method = method
    self.origin = origin
    self.target = target
    self.headerFields = headerFields
    self.framing = framing
  }

  /// Validates a request and determines its framing. Nothing is read from the body.
  ///
  /// - Throws: ``TransportError`` of kind `invalidRequest` or `unsupportedScheme`, in phase
  ///   `preparing`, with nothing sent.
  public init(_ request: borrowing HTTPRequest, body: borrowing HTTPRequestBody)
    throws(TransportError)
  {
    guard request.method.isValid else {
      throw .invalid(
        .method, "the method \(request.method.rawValue.debugDescription) is not a token")
    }
    guard request.method != .connect else {
      throw .invalid(.method, "CONNECT is reserved for proxy tunnels and cannot be sent")
    }
    let origin = try HTTPOrigin(request)
    self.method = request.method
    self.origin = origin
    self.target = try Self.target(of: request)
    (self.headerFields, self.framing) = try Self.fields(of: request, body: body, origin: origin)
    guard framing == .none || (method != .head && method != .trace) else {
      throw .invalid(.body, "\(method) must not have a body, nor a Content-Length")
    }
    guard headSize <= Self.headLimit else {
      throw .invalid(.headTooLarge, "the head is larger than \(Self.headLimit) bytes")
    }
  }

  /// The URL without userinfo and fragment.
  public var url: String { origin.description + target }

  /// The bytes of an HTTP/1.1 head: request line, fields, empty line.
  public var head: [UInt8] {
    Array("\(method) \(target) HTTP/1.1\r\n".utf8) + headerFields.wireBytes + [0x0D, 0x0A]
  }

  /// The size of ``head`` in bytes.
  package var headSize: Int {
    let line = method.rawValue.utf8.count + target.utf8.count + 12
    return headerFields.reduce(line + 2) { $0 + $1.name.rawName.utf8.count + $1.bytes.count + 4 }
  }

  /// Whether both requests are sent to the same origin as the same bytes; `==` ignores the case of
  /// field names.
  package func isSpelled(like other: WireRequest) -> Bool {
    framing == other.framing && target == other.target && origin == other.origin
      && method == other.method && headerFields.isSpelled(like: other.headerFields)
  }

  /// Creates an error about this request; its method determines whether a retry is safe.
  public func error(
    _ kind: TransportError.Kind, phase: TransportError.Phase, bytesSent: Bool, code: Int? = nil,
    detail: String = "",
    underlying: (any Error)? = nil
  ) -> TransportError {
    TransportError(
      kind, phase: phase, method: method, bytesSent: bytesSent, code: code, detail: detail,
      underlying: underlying)
  }
}

extension WireRequest {
  /// Checks that the current task is not cancelled, before any input or output.
  ///
  /// - Throws: ``TransportError`` of kind `cancelled`, in phase `preparing`, with nothing sent.
  package func checkCancellation() throws(TransportError) {
    guard Task.isCancelled else { return }
    throw error(
      .cancelled, phase: .preparing, bytesSent: false,
      detail: "the task was cancelled before the request was sent")
  }
}

extension WireRequest {
  private static func target(of request: HTTPRequest) throws(TransportError) -> String {
    let path = request.path ?? ""
    var target = path.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(path[..<$0]) } ?? path
    if target.utf8.first != UInt8(ascii: "/") {
      guard target.isEmpty || target.utf8.first == UInt8(ascii: "?") else {
        throw .invalid(.url, "the path \(target.debugDescription) must start with a slash")
      }
      target = "/" + target
    }
    guard !target.hasByte(where: { !(0x21...0x7E).contains($0) }) else {
      throw .invalid(
        .url, "the path contains a space, control or non-ASCII character; percent-encode it")
    }
    return target
  }

  private static func fields(
    of request: HTTPRequest, body: HTTPRequestBody, origin: HTTPOrigin
  ) throws(TransportError) -> (HTTPFields, Framing) {
    for field in request.headerFields {
      guard field.name.isValid else {
        throw .invalid(
          .fieldName, "the field name \(field.name.rawName.debugDescription) is not a token")
      }
      guard field.hasValidValue else {
        throw .invalid(
          .fieldValue,
          "the value of \(field.name) contains CR, LF, NUL or another control character")
      }
    }
    guard !request.headerFields.contains(.transferEncoding) else {
      throw .invalid(.framing, "the transport sets Transfer-Encoding; remove it from the request")
    }
    var host: [UInt8]?
    for field in request.headerFields where field.name == .host {
      guard host == nil else {
        throw .invalid(.framing, "the request has more than one Host field")
      }
      host = field.bytes.withoutOuterSpaces
    }
    let framing = try framing(of: request, body: body)
    var fields: [HTTPField] = []
    fields.reserveCapacity(request.headerFields.count + 2)
    fields.append(HTTPField(name: .host, bytes: host ?? origin.authorityBytes))
    for field in request.headerFields where field.name != .host && field.name != .contentLength {
      let value = field.bytes.withoutOuterSpaces
      // It names no option, and libcurl 8.23 leaves it out, while 7.88 sends it.
      if field.name == .connection, value.isEmpty { continue }
      fields.append(HTTPField(name: field.name, bytes: value))
    }
    switch framing {
    case .none: break
    case .length(let length): fields.append(HTTPField(name: .contentLength, value: "\(length)"))
    case .chunked: fields.append(HTTPField(name: .transferEncoding, value: "chunked"))
    }
    return (HTTPFields(fields), framing)
  }

  private static func framing(
    of request: HTTPRequest, body: HTTPRequestBody
  ) throws(TransportError) -> Framing {
    let values = request.headerFields[values: .contentLength]
    var declared: Int?
    for value in values {
      guard value.utf8.allSatisfy(\.isDigit), let number = Int(value), values.count == 1 else {
        throw .invalid(.contentLength, "Content-Length must be a single number, not \(values)")
      }
      declared = number
    }
    if let length = body.length, length < 0 {
      throw .invalid(.contentLength, "the length of the body is negative: \(length)")
    }
    if let declared, let length = body.length, declared != length {
      throw .invalid(
        .contentLength, "Content-Length is \(declared), but the body has \(length) bytes")
    }
    if body.hasTrailers {
      guard declared == nil else {
        throw .invalid(
          .contentLength, "a body with trailers is sent chunked; remove Content-Length")
      }
      return .chunked
    }
    guard let length = declared ?? body.length else { return .chunked }
    let method = request.method
    let expectsContent = method == .post || method == .put || method == .patch
    return body.isNone && declared == nil && !expectsContent ? .none : .length(length)
  }
}

extension HTTPOrigin {
  /// Parses the scheme, host and port of a request, without userinfo.
  init(_ request: borrowing HTTPRequest) throws(TransportError) {
    guard let name = request.scheme, !name.isEmpty else {
      throw .invalid(.url, "the URL \(request.url.debugDescription) has no scheme")
    }
    guard let scheme = Scheme(rawValue: name.asciiLowercased()) else {
      throw TransportError(
        .unsupportedScheme(name), phase: .preparing, bytesSent: false,
        detail: "the scheme \(name.debugDescription) is neither http nor https")
    }
    var text = request.authority ?? ""
    let parsed = text.withUTF8 { bytes in
      Result { () throws(Authority.Failure) in try Authority(bytes) }
    }
    do {
      let authority = try parsed.get()
      self.init(scheme: scheme, host: authority.host, port: authority.port ?? scheme.defaultPort)
    } catch {
      throw .invalid(error, of: request)
    }
  }
}

/// The host and port in the authority of a URL.
private struct Authority {
  /// The part of an authority that is invalid.
  enum Failure: Error {
    case byte(of: String)
    case missingHost
    case address(String)
    case name(String)
    case number(String)
    case port(String)
  }

  var host: String
  var port: Int?

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(Failure) {
    var start = 0
    var colon: Int?
    for (index, byte) in bytes.enumerated() {
      // Parsers disagree on where the host begins after one of the other characters, which would
      // let a URL name one host to a validator and another to the transport.
      guard byte.isAuthorityByte else {
        throw .byte(of: String(decoding: bytes, as: Unicode.UTF8.self))
      }
      switch byte {
      case UInt8(ascii: "@"): (start, colon) = (index + 1, nil)
      case UInt8(ascii: ":"): colon = index
      // A colon in brackets belongs to the IPv6 address.
      case UInt8(ascii: "]"): colon = nil
      default: break
      }
    }
    host = try Self.host(bytes[start..<(colon ?? bytes.endIndex)])
    port = try colon.flatMap { colon throws(Failure) in try Self.port(bytes[(colon + 1)...]) }
  }

  private static func port(_ digits: Slice<UnsafeBufferPointer<UInt8>>) throws(Failure) -> Int? {
    guard !digits.isEmpty else { return nil }
    guard digits.count <= 5, digits.allSatisfy(\.isDigit),
      case let port = digits.reduce(0, { $0 * 10 + Int($1 - UInt8(ascii: "0")) }),
      (1...65_535).contains(port)
    else { throw .port(String(decoding: digits, as: Unicode.UTF8.self)) }
    return port
  }

  private static func host(_ name: Slice<UnsafeBufferPointer<UInt8>>) throws(Failure) -> String {
    guard !name.isEmpty else { throw .missingHost }
    let host = String(decoding: name, as: Unicode.UTF8.self).asciiLowercased()
    if name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") {
      let address = String(host.dropFirst().dropLast())
      guard address.isIPv6Literal else { throw .address(host) }
      return address
    }
    guard name.isHostName else { throw .name(host) }
    guard !name.isNumber else { throw .number(host) }
    return host
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// Whether the bytes are labels of 1 to 63 bytes, at most 253 in all, with an optional final dot.
  ///
  /// Source: RFC 1035 §2.3.4.
  fileprivate var isHostName: Bool {
    var label = 0
    let bytes = last == UInt8(ascii: ".") ? dropLast() : self
    for byte in bytes {
      if byte == UInt8(ascii: "."), label > 0 {
        label = 0
      } else if byte.isDigit || byte.isLetter || byte == 0x2D || byte == 0x5F {
        label += 1
        guard label <= 63 else { return false }
      } else {
        return false
      }
    }
    return label > 0 && bytes.count <= 253
  }

  /// Whether a resolver may take the name for a number, although it is not a dotted-decimal
  /// address.
  ///
  /// Some resolvers take `2130706433`, `0x7f.1` and `0177.0.0.1` for 127.0.0.1, others for names.
  fileprivate var isNumber: Bool {
    let name = last == UInt8(ascii: ".") ? dropLast() : self
    let digits = name.lastIndex(of: UInt8(ascii: ".")).map { name[($0 + 1)...] } ?? name
    let isHexadecimal = digits.first == 0x30 && digits.dropFirst().first.map { $0 | 0x20 } == 0x78
    let isNumeric =
      isHexadecimal
      ? digits.dropFirst(2).allSatisfy(\.isHexDigit) : digits.allSatisfy(\.isDigit)
    return isNumeric && !isIPv4Address
  }
}

extension Sequence<UInt8> {
  /// Whether the bytes are four decimal numbers from 0 to 255 without leading zeros.
  fileprivate var isIPv4Address: Bool {
    var dots = 0
    var number: Int?
    for byte in self {
      if byte == UInt8(ascii: "."), number != nil {
        dots += 1
        number = nil
      } else if byte.isDigit, number != 0 {
        let next = (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
        guard next <= 255 else { return false }
        number = next
      } else {
        return false
      }
    }
    return dots == 3 && number != nil
  }
}

extension String {
  /// Whether the text is an IPv6 address without a zone (RFC 4291 §2.2).
  fileprivate var isIPv6Literal: Bool {
    let halves = split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return false }
    var groups = 0
    for (index, half) in halves.enumerated() where !half.isEmpty {
      let parts = half.split(separator: ":", omittingEmptySubsequences: false)
      for (position, part) in parts.enumerated() {
        let isLast = index == halves.count - 1 && position == parts.count - 1
        if isLast, part.contains(".") {
          guard part.utf8.isIPv4Address else { return false }
          groups += 2
        } else {
          guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit) else {
            return false
          }
          groups += 1
        }
      }
    }
    return halves.count == 2 ? groups <= 7 : groups == 8
  }
}

extension UInt8 {
  /// Whether the byte is visible ASCII and allowed in an authority (RFC 3986 §3.2).
  fileprivate var isAuthorityByte: Bool {
    switch self {
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
      UInt8(ascii: "}"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
      false
    case 0x21...0x7E: true
    default: false
    }
  }
}

extension TransportError {
  fileprivate static func invalid(
    _ failure: Authority.Failure, of request: HTTPRequest
  ) -> TransportError {
    switch failure {
    case .byte(let authority):
      .invalid(
        .url, "the authority \(authority.debugDescription) contains an invalid character")
    case .missingHost:
      .invalid(.missingHost, "the URL \(request.url.debugDescription) has no host")
    case .address(let host):
      .invalid(.url, "the host \(host) is not an IPv6 address")
    case .name(let host):
      .invalid(
        .url, "\(host.debugDescription) is not a host name; use Punycode for non-ASCII names")
    case .number(let host):
      .invalid(
        .url, "the host \(host.debugDescription) is a number, but not an IPv4 address")
    case .port(let digits):
      .invalid(.url, "the port \(digits.debugDescription) is not in 1 to 65535")
    }
  }

  /// Creates the error for an invalid request.
  static func invalid(_ reason: InvalidRequest, _ detail: String) -> TransportError {
    TransportError(.invalidRequest(reason), phase: .preparing, bytesSent: false, detail: detail)
  }
}
