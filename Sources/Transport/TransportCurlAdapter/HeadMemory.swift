import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads heads line by line, and none twice: servers send the same head again and again.
///
/// While the lines are those of the head before, they are compared and not parsed; at the first
/// that differs, the lines up to there are parsed after all. So nothing depends on what was before.
struct HeadMemory {
  /// What a complete head says.
  ///
  /// An object, since a struct of so many parts takes longer to copy than the lines to compare.
  final class Head: Sendable {
    let response: HTTPResponse
    let version: HTTPHeadParser.Version?
    let framing: HTTPBodyFraming
    /// Whether the connection may carry another response after this one.
    let keepsConnectionAlive: Bool

    init(_ response: HTTPResponse, version: HTTPHeadParser.Version?, framing: HTTPBodyFraming) {
      self.response = response
      self.version = version
      self.framing = framing
      keepsConnectionAlive = framing.keepsConnectionAlive(
        after: response, version: version ?? .http10)
    }
  }

  /// What decides how a head is read.
  struct Rules: Equatable {
    var method = HTTPRequest.Method.get
    var limits = HTTPHeadLimits()
    var allowsMultiplexed = false
  }

  private var rules = Rules()

  // The head before, as far as it is that of now.
  private var bytes: [UInt8] = []
  private var lineEnds: [Int] = []
  private var head: Head?

  // The head that is read.
  private var matched = 0
  private var parser: HTTPHeadParser?

  /// Whether nothing of a head was read yet.
  var isEmpty: Bool { matched == 0 && parser?.isEmpty != false }

  /// Begins to read a head; forgets the one before where that was read by other rules.
  mutating func begin(_ rules: Rules) {
    if rules != self.rules {
      self.rules = rules
      head = nil
    }
    beginNext()
  }

  /// Begins to read the head that follows an interim one.
  mutating func beginNext() {
    matched = 0
    parser = nil
  }

  /// Takes the next line of a head where that is as in the head before, and neither its first nor
  /// its last.
  ///
  /// - Returns: Whether it was; if not, nothing was taken.
  mutating func passesOver(_ line: UnsafeRawBufferPointer) -> Bool {
    guard matched > 0, parser == nil, matched + line.count < bytes.count, matches(line) else {
      return false
    }
    matched += line.count
    return true
  }

  /// Takes the next line of a head.
  ///
  /// - Returns: The head, where this was its last line.
  mutating func consume(_ line: UnsafeRawBufferPointer) throws(TransportError) -> Head? {
    if parser == nil, head != nil, matches(line) {
      matched += line.count
      return matched == bytes.count ? head : nil
    }
    return try parse(line)
  }

  private func matches(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count <= bytes.count - matched else { return false }
    return bytes.withUnsafeBytes { known in
      guard let one = known.baseAddress, let other = line.baseAddress else { return line.isEmpty }
      return memcmp(one + matched, other, line.count) == 0
    }
  }

  private mutating func parse(_ line: UnsafeRawBufferPointer) throws(TransportError) -> Head? {
    if parser == nil { parser = try parserOfMatchedLines() }
    bytes.append(contentsOf: line)
    lineEnds.append(bytes.count)
    let response = try parser?.consume(line: bytes[(bytes.count - line.count)...])
    guard let response else { return nil }
    let framing = try HTTPBodyFraming(of: response, to: rules.method)
    head = Head(response, version: parser?.version, framing: framing)
    return head
  }

  /// A parser that has read the lines that were only compared.
  private mutating func parserOfMatchedLines() throws(TransportError) -> HTTPHeadParser {
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
