import TransportPort

/// Parses response heads and reuses an earlier result if a head is identical.
///
/// Servers often send identical heads. While the lines equal those of an earlier head, they are
/// only compared ("64 concurrent, 1 KiB"). At the first difference, all lines up to it are parsed,
/// so the result never depends on earlier heads.
struct HeadCache {
  /// A complete head.
  ///
  /// A class, because copying a struct of this size takes longer than comparing the lines.
  final class Head: Sendable {
    let response: HTTPResponse
    let version: HTTPHeadParser.Version?
    let framing: HTTPBodyFraming
    /// The status code.
    let status: Int
    /// Whether this is the head of an interim response, which another follows.
    let isInformational: Bool
    /// Whether the connection can be used for another request.
    let keepsConnectionAlive: Bool
    /// Whether Content-Length precedes a transfer coding other than chunked.
    let isLengthFirst: Bool
    let announcesTrailers: Bool
    fileprivate let rules: Rules
    fileprivate let lines: Lines

    fileprivate init(
      _ response: HTTPResponse, version: HTTPHeadParser.Version?, framing: HTTPBodyFraming,
      rules: Rules, lines: Lines
    ) {
      self.response = response
      self.version = version
      self.framing = framing
      self.rules = rules
      self.lines = lines
      status = response.status.code
      isInformational = response.status.isInformational
      keepsConnectionAlive = framing.keepsConnectionAlive(
        after: response, version: version ?? .http10)
      isLengthFirst = framing == .untilClose && response.headerFields.isLengthFirst
      announcesTrailers = response.headerFields.contains(.trailer)
    }
  }

  /// The parameters that influence how a head is parsed.
  struct Rules: Equatable {
    var method = HTTPRequest.Method.get
    var limits = HTTPHeadLimits()
    var allowsMultiplexed = false
  }

  /// The lines of a head, and the ends of each.
  fileprivate struct Lines {
    var bytes: [UInt8] = []
    var ends: [Int] = []

    mutating func append(_ line: UnsafeRawBufferPointer) {
      bytes.append(contentsOf: line)
      ends.append(bytes.count)
    }
  }

  private var rules = Rules()

  /// An earlier head of the same rules, with which the current one is compared.
  private var known: Head?
  /// The number of bytes of the current head that equal those of the known one.
  private var matched = 0
  // The current head, once it differs.
  private var parser: HTTPHeadParser?
  private var lines = Lines()

  /// Whether no line of the current head was received.
  var isEmpty: Bool { matched == 0 && parser?.isEmpty != false }

  /// Starts a head.
  ///
  /// - Parameter known: A head to compare it with; ignored if that was parsed by different rules.
  mutating func begin(_ rules: Rules, known: Head?) {
    self.rules = rules
    begin(known: known)
  }

  /// Starts a head with the rules of the previous one.
  mutating func begin(known other: Head?) {
    known = other?.rules == rules ? other : nil
    beginNext()
  }

  /// Starts the head that follows an interim response.
  mutating func beginNext() {
    matched = 0
    parser = nil
  }

  /// Consumes the next line if it equals that of the known head and is neither first nor last.
  ///
  /// A line after the head, such as one of the trailers, is never consumed.
  ///
  /// - Returns: Whether the line was consumed; otherwise call ``consume(_:)``.
  mutating func consumeIfCached(_ line: UnsafeRawBufferPointer) -> Bool {
    guard matched != 0, parser == nil, let known,
      matched + line.count < known.lines.bytes.count, matches(line, known)
    else { return false }
    matched += line.count
    return true
  }

  /// Consumes the next line of a head.
  ///
  /// - Returns: The head if this was its last line.
  mutating func consume(_ line: UnsafeRawBufferPointer) throws(TransportError) -> Head? {
    if parser == nil, let known, matches(line, known) {
      matched += line.count
      return matched == known.lines.bytes.count ? known : nil
    }
    return try parse(line)
  }

  private func matches(_ line: UnsafeRawBufferPointer, _ known: Head) -> Bool {
    known.lines.bytes.withUnsafeBytes {
      UnsafeRawBufferPointer(rebasing: $0[matched...]).starts(with: line)
    }
  }

  private mutating func parse(_ line: UnsafeRawBufferPointer) throws(TransportError) -> Head? {
    if parser == nil { parser = try parserForMatchedLines() }
    lines.append(line)
    let response = try parser?.consume(line: lines.bytes[(lines.bytes.count - line.count)...])
    guard let response else { return nil }
    let framing = try HTTPBodyFraming(of: response, to: rules.method)
    known = Head(
      response, version: parser?.version, framing: framing, rules: rules, lines: lines)
    return known
  }

  /// Creates a parser and feeds it the lines that were only compared.
  private mutating func parserForMatchedLines() throws(TransportError) -> HTTPHeadParser {
    lines = known?.lines ?? Lines()
    lines.bytes.removeLast(lines.bytes.count - matched)
    lines.ends.removeAll { $0 > matched }
    var parser = HTTPHeadParser(limits: rules.limits, allowsMultiplexed: rules.allowsMultiplexed)
    var start = 0
    for end in lines.ends {
      _ = try parser.consume(line: lines.bytes[start..<end])
      start = end
    }
    return parser
  }
}

extension HTTPFields {
  /// Whether the first Content-Length precedes the first Transfer-Encoding.
  fileprivate var isLengthFirst: Bool {
    first { $0.name == .contentLength || $0.name == .transferEncoding }?.name == .contentLength
  }
}
