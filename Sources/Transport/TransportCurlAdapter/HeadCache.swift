import Foundation
import TransportPort

/// Parses response heads and reuses the previous result if a head is identical.
///
/// Servers often send identical heads. While the lines equal those of the previous head, they are
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
    /// Whether the connection can be used for another request.
    let keepsConnectionAlive: Bool

    init(_ response: HTTPResponse, version: HTTPHeadParser.Version?, framing: HTTPBodyFraming) {
      self.response = response
      self.version = version
      self.framing = framing
      keepsConnectionAlive = framing.keepsConnectionAlive(
        after: response, version: version ?? .http10)
    }
  }

  /// The parameters that influence how a head is parsed.
  struct Rules: Equatable {
    var method = HTTPRequest.Method.get
    var limits = HTTPHeadLimits()
    var allowsMultiplexed = false
  }

  private var rules = Rules()

  // The lines of the previous head, or of the current one once it differs.
  private var bytes: [UInt8] = []
  private var lineEnds: [Int] = []
  private var head: Head?

  // The current head: the number of bytes that match the previous one, or the parser.
  private var matched = 0
  private var parser: HTTPHeadParser?

  /// Whether no line of the current head was received.
  var isEmpty: Bool { matched == 0 && parser?.isEmpty != false }

  /// Starts a head and discards the previous one if that was parsed by different rules.
  mutating func begin(_ rules: Rules) {
    if rules != self.rules {
      self.rules = rules
      head = nil
    }
    beginNext()
  }

  /// Starts the head that follows an interim response.
  mutating func beginNext() {
    matched = 0
    parser = nil
  }

  /// Consumes the next line if it equals that of the previous head and is neither first nor last.
  ///
  /// - Returns: Whether the line was consumed; otherwise call ``consume(_:)``.
  mutating func consumeIfCached(_ line: UnsafeRawBufferPointer) -> Bool {
    guard matched > 0, parser == nil, matched + line.count < bytes.count, matches(line) else {
      return false
    }
    matched += line.count
    return true
  }

  /// Consumes the next line of a head.
  ///
  /// - Returns: The head if this was its last line.
  mutating func consume(_ line: UnsafeRawBufferPointer) throws(TransportError) -> Head? {
    if parser == nil, head != nil, matches(line) {
      matched += line.count
      return matched == bytes.count ? head : nil
    }
    return try parse(line)
  }

  private func matches(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count <= bytes.count - matched else { return false }
    return bytes.withUnsafeBytes { cached in
      guard let start = cached.baseAddress, let other = line.baseAddress else {
        return line.isEmpty
      }
      return memcmp(start + matched, other, line.count) == 0
    }
  }

  private mutating func parse(_ line: UnsafeRawBufferPointer) throws(TransportError) -> Head? {
    if parser == nil { parser = try parserForMatchedLines() }
    bytes.append(contentsOf: line)
    lineEnds.append(bytes.count)
    let response = try parser?.consume(line: bytes[(bytes.count - line.count)...])
    guard let response else { return nil }
    let framing = try HTTPBodyFraming(of: response, to: rules.method)
    head = Head(response, version: parser?.version, framing: framing)
    return head
  }

  /// Creates a parser and feeds it the lines that were only compared.
  private mutating func parserForMatchedLines() throws(TransportError) -> HTTPHeadParser {
    head = nil
    bytes.removeLast(bytes.count - matched)
    lineEnds.removeAll { $0 > matched }
    var parser = HTTPHeadParser(limits: rules.limits, allowsMultiplexed: rules.allowsMultiplexed)
    var start = 0
    for end in lineEnds {
      _ = try parser.consume(line: bytes[start..<end])
      start = end
    }
    return parser
  }
}
