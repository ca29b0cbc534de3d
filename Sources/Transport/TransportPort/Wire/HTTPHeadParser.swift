/// Reads a response head line by line: the one place that says what a head may look like.
///
/// The rules, each from RFC 9112 unless said otherwise:
/// - the version is `HTTP/1.0` or `HTTP/1.1`, in capitals, since there is no other 1.x; the status is
///   three digits, 100 to 999; the reason phrase and the space before it may be missing (§4);
/// - a line may end in a bare LF (§2.2), but a CR that is not before an LF is refused, and so is NUL;
/// - nothing may stand between name and colon; spaces around the value are trimmed (§5.1);
/// - a line that starts with a space continues the one before, joined by one space (§5.2), except
///   that of Content-Length or Transfer-Encoding, where readers disagree on what is then said;
/// - bytes above 127 are kept as they are (RFC 9110 §5.5);
/// - 101 is refused, since an upgrade is never asked for.
public struct HTTPHeadParser: Sendable {
  /// The version in the status line.
  public enum Version: Sendable, Hashable {
    /// `HTTP/1.0`: the connection closes unless the response says otherwise.
    case http10
    /// `HTTP/1.1`.
    case http11
    /// `HTTP/2` or `HTTP/3`, as libraries render it; only where it is expected.
    case multiplexed
  }

  private let limits: HTTPHeadLimits
  private let allowsMultiplexed: Bool
  private var status: HTTPResponse.Status?
  private var section: HTTPFieldSection

  /// The version, once the status line was read.
  public private(set) var version: Version?

  /// Whether nothing was read yet.
  public var isEmpty: Bool { status == nil }

  /// A parser for one head.
  ///
  /// - Parameters:
  ///   - limits: How large the head may be.
  ///   - allowsMultiplexed: Whether `HTTP/2 200` is a status line, for libraries that speak HTTP/2
  ///     below and show heads as lines.
  public init(limits: HTTPHeadLimits = HTTPHeadLimits(), allowsMultiplexed: Bool = false) {
    self.limits = limits
    self.allowsMultiplexed = allowsMultiplexed
    self.section = HTTPFieldSection(limits: limits)
  }

  /// Takes the next line.
  ///
  /// - Parameter line: The bytes of the line with its line end, CR LF or LF.
  /// - Returns: The whole head when this was the empty line at its end, else `nil`.
  /// - Throws: ``TransportError`` of kind `malformedHead`, `headTooLarge`, `invalidLength` or
  ///   `unsupportedTransferCoding`.
  public mutating func consume(
    line: ArraySlice<UInt8>
  ) throws(TransportError) -> HTTPResponse? {
    guard let status else {
      // Garbage may be long as well, and is none the less no head.
      guard line.starts(with: "HTTP/".utf8) else { throw .badHead(Self.noVersion, line) }
      (status, version) = try statusLine(section.text(of: line))
      return nil
    }
    if line.first?.isSpace == true, let folded = section.fields.last, folded.name.framesBody {
      throw TransportError(
        folded.name == .contentLength ? .invalidLength : .unsupportedTransferCoding,
        phase: .awaitingHead, bytesSent: true, detail: "\(folded.name) goes on in a second line")
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
    guard digits.count == 3, digits.allSatisfy(\.isDigit), code >= 100,
      reason.isEmpty || reason.first == 0x20
    else {
      throw .badHead("the status is not three digits from 100 to 999", line)
    }
    guard code != 101 else {
      throw .badHead("the server switches protocols, which was not asked for", line)
    }
    let phrase = reason.dropFirst()
    guard phrase.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
      throw .badHead("the reason phrase holds a control", line)
    }
    let status = HTTPResponse.Status(code: code, reasonPhrase: String(fieldBytes: phrase))
    return (status, version)
  }

  private func version(_ bytes: ArraySlice<UInt8>) -> Version? {
    if bytes.elementsEqual("HTTP/1.0".utf8) { return .http10 }
    if bytes.elementsEqual("HTTP/1.1".utf8) { return .http11 }
    let isMultiplexed = ["HTTP/2", "HTTP/2.0", "HTTP/3"].contains { bytes.elementsEqual($0.utf8) }
    return allowsMultiplexed && isMultiplexed ? .multiplexed : nil
  }
}

extension HTTPField.Name {
  /// Whether the field says where a body ends.
  fileprivate var framesBody: Bool { self == .contentLength || self == .transferEncoding }
}
