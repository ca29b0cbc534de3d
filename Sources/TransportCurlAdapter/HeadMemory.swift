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
  /// A head as it is read.
  struct Reading {
    fileprivate var parser: HTTPHeadParser
    fileprivate var matched = 0
    fileprivate var isParsing = false

    init(_ parser: HTTPHeadParser) {
      self.parser = parser
    }

    /// Whether nothing was read yet.
    var isEmpty: Bool { matched == 0 && parser.isEmpty }
  }

  /// What a complete head says.
  struct Head {
    var response: HTTPResponse
    var version: HTTPHeadParser.Version?
    var framing: HTTPBodyFraming
  }

  private var bytes: [UInt8] = []
  private var lineEnds: [Int] = []
  private var head: Head?

  /// Forgets the head before, because other limits or another method hold from now on.
  mutating func forget() {
    self = HeadMemory()
  }

  /// Takes the next line of a head.
  ///
  /// - Parameter method: The method of the request.
  mutating func consume(
    _ line: UnsafeRawBufferPointer, _ reading: inout Reading, method: HTTPRequest.Method
  ) throws(TransportError) -> Head? {
    if !reading.isParsing {
      if let head, matches(line, at: reading.matched) {
        reading.matched += line.count
        return reading.matched == bytes.count ? head : nil
      }
      try beginParsing(&reading)
    }
    bytes.append(contentsOf: line)
    lineEnds.append(bytes.count)
    guard let response = try reading.parser.consume(line: bytes[(bytes.count - line.count)...])
    else { return nil }
    head = Head(
      response: response, version: reading.parser.version,
      framing: try HTTPBodyFraming(of: response, to: method))
    return head
  }

  private func matches(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard line.count <= bytes.count - start else { return false }
    return bytes.withUnsafeBytes { known in
      guard let one = known.baseAddress, let other = line.baseAddress else { return line.isEmpty }
      return memcmp(one + start, other, line.count) == 0
    }
  }

  private mutating func beginParsing(_ reading: inout Reading) throws(TransportError) {
    reading.isParsing = true
    head = nil
    bytes.removeLast(bytes.count - reading.matched)
    lineEnds.removeAll { $0 > reading.matched }
    var start = 0
    for end in lineEnds {
      _ = try reading.parser.consume(line: bytes[start..<end])
      start = end
    }
  }
}
