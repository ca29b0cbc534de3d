/// Parses the head of a response line by line.
///
/// Every adapter uses this parser, so that all accept the same heads. Its rules, from RFC 9112
/// unless stated otherwise:
/// - The version is `HTTP/1.` and a digit, in capitals. A minor version above 1 is processed as
///   `HTTP/1.1` (RFC 9110 §2.5). The status is three digits, 100 to 999.
///   The reason phrase and the space before it are optional (§4).
/// - A line may end in a bare LF (§2.2). A CR that is not followed by LF is an error, and so is
///   NUL.
/// - No space is allowed between name and colon; spaces around the value are trimmed (§5.1).
/// - A line that starts with a space continues the previous one, joined by one space (§5.2). For
///   Content-Length and Transfer-Encoding it is an error, because parsers disagree on the result.
/// - Bytes above 127 are kept (RFC 9110 §5.5).
/// - 101 is an error, because no request asks for an upgrade.
public struct HTTPHeadParser: Sendable {
  /// The version in a status line.
  public enum Version: Sendable, Hashable {
    /// `HTTP/1.0`: the connection closes unless the response has `Connection: keep-alive`.
    case http10
    /// `HTTP/1.1`, or a higher minor version.
    case http11
    /// `HTTP/2` or `HTTP/3`, as libraries render it; accepted only with `allowsMultiplexed`.
    case multiplexed
  }

  private let limits: HTTPHeadLimits
  private let allowsMultiplexed: Bool
  private var status: HTTPResponse.Status?
  private var section: HTTPFieldSection

  /// The version; `nil` before the status line.
  public private(set) var version: Version?

  /// Whether no line was parsed yet.
  public var isEmpty: Bool { status == nil }

  /// Creates a parser for one head.
  ///
  /// - Parameters:
  ///   - limits: The limits on the head.
  ///   - allowsMultiplexed: Whether `HTTP/2 200` is a valid status line, as libcurl renders the
  ///     head of an HTTP/2 response.
  public init(limits: HTTPHeadLimits = HTTPHeadLimits(), allowsMultiplexed: Bool = false) {
    self.limits = limits
    self.allowsMultiplexed = allowsMultiplexed
    self.section = HTTPFieldSection(limits: limits)
  }

  /// Parses the next line.
  ///
  /// - Parameter line: The line including its line end, CR LF or LF.
  /// - Returns: The head if this was the empty line at its end, otherwise `nil`.
  /// - Throws: ``TransportError`` of kind `malformedHead`, `headTooLarge`, `invalidLength` or
  ///   `unsupportedTransferCoding`.
  public mutating func consume(
    line: ArraySlice<UInt8>
  ) throws(TransportError) -> HTTPResponse? {
    guard let status else {
      // Checked before the size, so that long garbage is a malformed head and not a large one.
      guard line.starts(with: "HTTP/".utf8) else { throw .badHead(Self.noVersion, line) }
      (status, version) = try statusLine(section.text(of: line))
      return nil
    }
    if line.first?.isSpace == true, let folded = section.fields.last, folded.name.framesBody {
      throw TransportError(
        folded.name == .contentLength ? .invalidLength : .unsupportedTransferCoding,
        phase: .awaitingHead, bytesSent: true, detail: "\(folded.name) continues on a second line")
    }
    guard try section.consume(line: line) else { return nil }
    return HTTPResponse(status: status, headerFields: section.fields)
  }

  private static let noVersion = "the status line does not start with HTTP/1.1 or HTTP/1.0"

  private func statusLine(
    _ line: ArraySlice<UInt8>
  ) throws(TransportError) -> (HTTPResponse.Status, Version) {
    guard let space = line.firstIndex(of: 0x20), let version = version(line[..<space]) else {
      throw .badHead(Self.noVersion, line)
    }
    let rest = line[(space + 1)...]
    let digits = rest.prefix(3)
    let code = digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    let reason = rest.dropFirst(3)
    // Fewer than three digits are less than 100.
    guard digits.allSatisfy(\.isDigit), code >= 100,
      reason.isEmpty || reason.first == 0x20
    else {
      throw .badHead("the status is not three digits from 100 to 999", line)
    }
    guard code != 101 else {
      throw .badHead("the server switches protocols, but the request asked for no upgrade", line)
    }
    let phrase = reason.dropFirst()
    guard phrase.allSatisfy(\.isFieldValueByte) else {
      throw .badHead("the reason phrase contains a control character", line)
    }
    let status = HTTPResponse.Status(code: code, reasonPhrase: String(fieldBytes: phrase))
    return (status, version)
  }

  private func version(_ bytes: ArraySlice<UInt8>) -> Version? {
    if bytes.elementsEqual("HTTP/1.0".utf8) { return .http10 }
    if bytes.dropLast().elementsEqual("HTTP/1.".utf8), bytes.last?.isDigit == true {
      return .http11
    }
    let isMultiplexed = ["HTTP/2", "HTTP/2.0", "HTTP/3"].contains { bytes.elementsEqual($0.utf8) }
    return allowsMultiplexed && isMultiplexed ? .multiplexed : nil
  }
}

extension HTTPField.Name {
  /// Whether the field determines where the body ends.
  fileprivate var framesBody: Bool { self == .contentLength || self == .transferEncoding }
}
