/// Reads field lines up to the empty line: those of a head, or trailers.
///
/// Source: RFC 9112 §5 and §7.1.2; ``HTTPHeadParser`` lists the rules.
public struct HTTPFieldSection: Sendable {
  private let limits: HTTPHeadLimits
  private var count = 0

  /// The fields read so far.
  public private(set) var fields: HTTPFields = [:]

  /// An empty section.
  public init(limits: HTTPHeadLimits = HTTPHeadLimits()) {
    self.limits = limits
  }

  /// Takes the next line.
  ///
  /// - Parameter line: The bytes of the line with its line end, CR LF or LF.
  /// - Returns: Whether this was the empty line at the end.
  /// - Throws: ``TransportError`` of kind `malformedHead` or `headTooLarge`.
  public mutating func consume(line: ArraySlice<UInt8>) throws(TransportError) -> Bool {
    let text = try text(of: line)
    guard let first = text.first else { return true }
    if first.isSpace {
      try fold(text)
      return false
    }
    guard let colon = text.firstIndex(of: 0x3A) else {
      throw .badHead("a field line has no colon", text)
    }
    let name = text[..<colon]
    guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else {
      throw .badHead("a field name is not a token", text)
    }
    guard fields.count < limits.fields else {
      throw .largeHead("the head has more than \(limits.fields) fields")
    }
    fields.append(
      HTTPField(
        name: HTTPField.Name(String(decoding: name, as: Unicode.UTF8.self)),
        bytes: Array(text[(colon + 1)...].trimmingSpaces())))
    return false
  }

  /// Joins a continuation to the line before.
  private mutating func fold(_ text: ArraySlice<UInt8>) throws(TransportError) {
    guard let last = fields.last else {
      throw .badHead("the first field line starts with a space", text)
    }
    let more = text.trimmingSpaces()
    guard !more.isEmpty else { return }
    fields.replaceLast(by: last.bytes.isEmpty ? Array(more) : last.bytes + [0x20] + more)
  }

  /// The line without its end, counted against the limit.
  mutating func text(of line: ArraySlice<UInt8>) throws(TransportError) -> ArraySlice<UInt8> {
    try count(line.count)
    var text = line
    if text.last == 0x0A { text.removeLast() }
    if text.last == 0x0D { text.removeLast() }
    guard !text.contains(where: { $0 == 0 || $0 == 0x0D || $0 == 0x0A }) else {
      throw .badHead("a line holds NUL, or CR or LF that do not end it", text)
    }
    return text
  }

  /// Counts bytes of a line against the limit.
  private mutating func count(_ bytes: Int) throws(TransportError) {
    count += bytes
    guard count <= limits.bytes else {
      throw .largeHead("the head is larger than \(limits.bytes) bytes")
    }
  }
}

extension TransportError {
  /// What came is not the head of an HTTP response.
  static func badHead(_ detail: String, _ line: ArraySlice<UInt8>) -> TransportError {
    let excerpt = String(fieldBytes: line.prefix(80)).debugDescription
    return TransportError(
      .malformedHead, phase: .awaitingHead, bytesSent: true, detail: "\(detail): \(excerpt)")
  }

  /// The head exceeds its limits.
  static func largeHead(_ detail: String) -> TransportError {
    TransportError(.headTooLarge, phase: .awaitingHead, bytesSent: true, detail: detail)
  }
}
