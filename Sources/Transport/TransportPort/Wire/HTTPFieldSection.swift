/// Parses the field lines of a head or of trailers, up to the empty line.
///
/// Source: RFC 9112 §5 and §7.1.2; ``HTTPHeadParser`` lists the rules.
public struct HTTPFieldSection: Sendable {
  private let limits: HTTPHeadLimits
  private var count = 0

  /// The fields parsed so far.
  public private(set) var fields: HTTPFields = [:]

  /// Creates an empty section.
  public init(limits: HTTPHeadLimits = HTTPHeadLimits()) {
    self.limits = limits
  }

  /// Parses the next line.
  ///
  /// - Parameter line: The line including its line end, CR LF or LF.
  /// - Returns: Whether this was the empty line that ends the section.
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

  /// Appends a continuation line to the previous field (RFC 9112 §5.2).
  private mutating func fold(_ text: ArraySlice<UInt8>) throws(TransportError) {
    guard let last = fields.last else {
      throw .badHead("the first field line starts with a space", text)
    }
    let more = text.trimmingSpaces()
    guard !more.isEmpty else { return }
    fields.replaceLast(by: last.bytes.isEmpty ? Array(more) : last.bytes + [0x20] + more)
  }

  /// Returns the line without its line end and counts it against the limit.
  mutating func text(of line: ArraySlice<UInt8>) throws(TransportError) -> ArraySlice<UInt8> {
    try count(line.count)
    var text = line
    if text.last == 0x0A { text.removeLast() }
    if text.last == 0x0D { text.removeLast() }
    guard !text.contains(where: { $0 == 0 || $0 == 0x0D || $0 == 0x0A }) else {
      throw .badHead("a line contains NUL, or CR or LF before its end", text)
    }
    return text
  }

  /// Counts the bytes of a line against the limit.
  private mutating func count(_ bytes: Int) throws(TransportError) {
    count += bytes
    guard count <= limits.bytes else {
      throw .largeHead("the head is larger than \(limits.bytes) bytes")
    }
  }
}

extension TransportError {
  /// Creates the error for bytes that are not the head of an HTTP response.
  static func badHead(_ detail: String, _ line: ArraySlice<UInt8>) -> TransportError {
    let excerpt = String(fieldBytes: line.prefix(80)).debugDescription
    return TransportError(
      .malformedHead, phase: .awaitingHead, bytesSent: true, detail: "\(detail): \(excerpt)")
  }

  /// Creates the error for a head that exceeds its limits.
  static func largeHead(_ detail: String) -> TransportError {
    TransportError(.headTooLarge, phase: .awaitingHead, bytesSent: true, detail: detail)
  }
}
