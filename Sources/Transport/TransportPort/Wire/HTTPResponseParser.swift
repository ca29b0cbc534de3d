/// Reads HTTP/1.1 responses from bytes in any split: heads, framing, chunks and trailers.
///
/// A value: it does no input or output. Feed it what came, take the events, and tell it when the
/// connection ends. ``HTTPHeadParser`` states the rules for heads, ``HTTPBodyFraming`` those for
/// lengths. In the chunked coding (RFC 9112 §7.1) each line must end in CR LF, a size has 1 to 15
/// hexadecimal digits, and a size line with its extensions at most 4,096 bytes.
public struct HTTPResponseParser: Sendable {
  /// What was read.
  public enum Event: Sendable, Hashable {
    /// The head of an interim response (1xx).
    case informational(HTTPResponse)
    /// The head of the final response.
    case head(HTTPResponse)
    /// Bytes of the body, never empty.
    case body([UInt8])
    /// The end of the response, with the trailer fields.
    case end(trailers: HTTPFields)
  }

  /// How a connection ended.
  public enum Ending: Sendable, Hashable {
    /// In order: FIN, and `close_notify` under TLS.
    case orderly
    /// With a FIN but without `close_notify`: the end cannot be trusted.
    case unannounced
    /// With a RST or another error.
    case reset
  }

  private enum State: Sendable {
    case head(HTTPHeadParser)
    case body(remaining: Int)
    case chunkSize
    case chunk(remaining: Int)
    case chunkEnd
    case trailers(HTTPFieldSection)
    case untilClose
    case complete
  }

  private let method: HTTPRequest.Method
  private let limits: HTTPHeadLimits
  private var state: State
  private var line: [UInt8] = []
  private var informational = 0
  private var framing = HTTPBodyFraming.none
  private var isPersistent = false
  private var hasSurplus = false

  /// A parser for the response to one request.
  public init(method: HTTPRequest.Method, limits: HTTPHeadLimits = HTTPHeadLimits()) {
    self.method = method
    self.limits = limits
    self.state = .head(HTTPHeadParser(limits: limits))
  }

  /// Whether the response was read to its end.
  public var isComplete: Bool { if case .complete = state { true } else { false } }

  /// Whether the connection can carry another request: the response is complete, its framing
  /// allows it, and nothing came after it.
  public var isReusable: Bool { isComplete && isPersistent && !hasSurplus }

  /// Takes the next bytes of the connection.
  ///
  /// - Parameters:
  ///   - bytes: What came, in any split. Bytes after the end of the response are dropped, and the
  ///     connection is no longer reusable.
  ///   - events: Where the events go; it holds those before the fault when the call throws.
  /// - Throws: ``TransportError``; the connection is then of no more use.
  public mutating func consume(
    _ bytes: [UInt8], into events: inout [Event]
  ) throws(TransportError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch state {
      case .head(var parser):
        guard let line = try takeLine(from: &rest, isFirst: parser.isEmpty) else { return }
        let head = try parser.consume(line: line)
        state = .head(parser)
        if let head { try finishHead(head, version: parser.version, into: &events) }
      case .body(let remaining):
        let piece = rest.prefix(remaining)
        rest = rest.dropFirst(remaining)
        events.append(.body(Array(piece)))
        state = .body(remaining: remaining - piece.count)
        if piece.count == remaining { end(trailers: [:], into: &events) }
      case .chunkSize:
        guard let line = try takeChunkLine(from: &rest) else { return }
        let size = try Self.chunkSize(line)
        state = size == 0 ? .trailers(HTTPFieldSection(limits: limits)) : .chunk(remaining: size)
      case .chunk(let remaining):
        let piece = rest.prefix(remaining)
        rest = rest.dropFirst(remaining)
        events.append(.body(Array(piece)))
        state = piece.count == remaining ? .chunkEnd : .chunk(remaining: remaining - piece.count)
      case .chunkEnd:
        let expected: UInt8 = line.isEmpty ? 0x0D : 0x0A
        let byte = rest.removeFirst()
        guard byte == expected else { throw .badChunk("a chunk does not end in CR LF") }
        line = line.isEmpty ? [byte] : []
        if line.isEmpty { state = .chunkSize }
      case .trailers(var section):
        do throws(TransportError) {
          guard let line = try takeLine(from: &rest, isFirst: false) else {
            guard !self.line.dropLast().contains(0x0D) else {
              throw .badChunk("a trailer holds a CR that does not end it")
            }
            return
          }
          let isEnd = try section.consume(line: line)
          state = .trailers(section)
          if isEnd { end(trailers: section.fields, into: &events) }
        } catch {
          throw error.inTrailers
        }
      case .untilClose:
        events.append(.body(Array(rest)))
        return
      case .complete:
        hasSurplus = true
        return
      }
    }
  }

  /// Tells that the connection ended.
  ///
  /// - Parameters:
  ///   - ending: How it ended.
  ///   - events: Where the end goes, when the body ends with the connection.
  /// - Throws: ``TransportError`` when the response is not complete.
  public mutating func finish(
    _ ending: Ending, into events: inout [Event]
  ) throws(TransportError) {
    isPersistent = false
    switch state {
    case .complete:
      return
    case .untilClose where ending == .orderly:
      end(trailers: [:], into: &events)
    case .head(let parser):
      let isUntouched = parser.isEmpty && informational == 0
      throw failure(
        ending, isUntouched ? .emptyReply : .truncatedHead, phase: .awaitingHead,
        detail: isUntouched
          ? "the connection ended before the first line of a response"
          : "the connection ended within the response's head")
    default:
      throw failure(
        ending, .truncatedBody, phase: .receivingBody,
        detail: ending == .unannounced
          ? "the connection ended without close_notify, so the body may be cut short"
          : "the connection ended within the response's body")
    }
  }

  private func failure(
    _ ending: Ending, _ kind: TransportError.Kind, phase: TransportError.Phase, detail: String
  ) -> TransportError {
    TransportError(
      ending == .reset ? .connectionReset : kind, phase: phase, method: method, bytesSent: true,
      detail: ending == .reset ? "the connection was reset" : detail)
  }

  private mutating func finishHead(
    _ head: HTTPResponse, version: HTTPHeadParser.Version?, into events: inout [Event]
  ) throws(TransportError) {
    if head.status.isInformational {
      informational += 1
      guard informational <= limits.informational else {
        throw TransportError(
          .tooManyInformational, phase: .awaitingHead, bytesSent: true,
          detail: "more than \(limits.informational) interim responses came")
      }
      state = .head(HTTPHeadParser(limits: limits))
      events.append(.informational(head))
      return
    }
    framing = try HTTPBodyFraming(of: head, to: method)
    isPersistent = framing.keepsConnectionAlive(after: head, version: version ?? .http10)
    events.append(.head(head))
    switch framing {
    case .none, .length(0): end(trailers: [:], into: &events)
    case .length(let length): state = .body(remaining: length)
    case .chunked: state = .chunkSize
    case .untilClose: state = .untilClose
    }
  }

  private mutating func end(trailers: HTTPFields, into events: inout [Event]) {
    state = .complete
    events.append(.end(trailers: trailers))
  }
}

extension HTTPResponseParser {
  /// Takes a line with its end out of the bytes, or keeps what there is of it for later.
  private mutating func takeLine(
    from rest: inout ArraySlice<UInt8>, isFirst: Bool
  ) throws(TransportError) -> ArraySlice<UInt8>? {
    if let end = rest.firstIndex(of: 0x0A) {
      let whole = line.isEmpty ? rest[...end] : (line + rest[...end])[...]
      line = []
      rest = rest[(end + 1)...]
      return whole
    }
    line += rest
    rest = []
    // Garbage need not hold a line end, and would otherwise be waited for.
    if isFirst, !zip(line, "HTTP/".utf8).allSatisfy({ $0 == $1 }) {
      throw .badHead("this is no HTTP response", line[...])
    }
    guard line.count <= limits.bytes else {
      throw .largeHead("a line is longer than \(limits.bytes) bytes")
    }
    return nil
  }

  /// Takes a chunk-size line without its end out of the bytes.
  private mutating func takeChunkLine(
    from rest: inout ArraySlice<UInt8>
  ) throws(TransportError) -> ArraySlice<UInt8>? {
    let end = rest.firstIndex(of: 0x0A).map { $0 + 1 }
    line += rest[..<(end ?? rest.endIndex)]
    rest = rest[(end ?? rest.endIndex)...]
    guard line.count <= 4096 else { throw .badChunk("a chunk size line is too long") }
    guard end != nil else { return nil }
    let whole = line
    line = []
    guard whole.count >= 2, whole[whole.count - 2] == 0x0D else {
      throw .badChunk("a chunk size line does not end in CR LF")
    }
    return whole[..<(whole.count - 2)]
  }

  /// Reads a chunk-size line: hexadecimal digits, perhaps followed by extensions.
  private static func chunkSize(_ line: ArraySlice<UInt8>) throws(TransportError) -> Int {
    let digits = line.prefix(while: \.isHexDigit)
    let rest = line[digits.endIndex...].trimmingSpaces()
    let text = String(decoding: digits, as: Unicode.UTF8.self)
    guard digits.count <= 15, let size = Int(text, radix: 16),
      rest.isEmpty || rest.first == UInt8(ascii: ";"),
      rest.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) })
    else {
      let excerpt = String(fieldBytes: line.prefix(80)).debugDescription
      throw .badChunk("a chunk size is not 1 to 15 hexadecimal digits: \(excerpt)")
    }
    return size
  }
}

extension TransportError {
  /// The chunked framing is broken.
  fileprivate static func badChunk(_ detail: String) -> TransportError {
    TransportError(.badChunk, phase: .receivingBody, bytesSent: true, detail: detail)
  }

  /// A fault of field lines that stand after the body: framing, not a head.
  fileprivate var inTrailers: TransportError {
    var error = self
    error.phase = .receivingBody
    if error.kind == .malformedHead { error.kind = .badChunk }
    return error
  }
}
