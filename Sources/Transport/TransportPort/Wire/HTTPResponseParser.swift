/// An incremental parser for HTTP/1.1 responses: heads, framing, chunks and trailers.
///
/// The parser does no input or output. Pass it the received bytes in pieces of any size, take the
/// events, and call ``finish(_:into:)`` when the connection ends. ``HTTPHeadParser`` has the rules
/// for heads and ``HTTPBodyFraming`` those for lengths. In the chunked coding (RFC 9112 §7.1) each
/// line must end in CR LF, a chunk size has 1 to 15 hexadecimal digits, and a chunk-size line with
/// its extensions has at most 4,096 bytes. All extensions together have at most 64 KiB and 64 times
/// as many bytes as the content before them.
public struct HTTPResponseParser: Sendable {
  /// A parsed part of a response.
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
    /// With FIN, and with `close_notify` under TLS.
    case orderly
    /// With FIN but without `close_notify` under TLS, so an attacker may have caused the end.
    case unannounced
    /// With RST or another error.
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
  private var isPersistent = false
  private var hasSurplus = false
  /// The number of bytes of chunk extensions, and of content in chunks.
  private var chunked = (extensions: 0, content: 0)

  /// Creates a parser for the response to one request.
  public init(method: HTTPRequest.Method, limits: HTTPHeadLimits = HTTPHeadLimits()) {
    self.method = method
    self.limits = limits
    self.state = .head(HTTPHeadParser(limits: limits))
  }

  /// Whether the response is complete.
  public var isComplete: Bool { if case .complete = state { true } else { false } }

  /// Whether the connection can be used for another request: the response is complete, its fields
  /// allow it, and no byte followed it.
  public var isReusable: Bool { isComplete && isPersistent && !hasSurplus }

  /// Parses the next bytes of the connection.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes, split at any position. The parser discards bytes after the end
  ///     of the response and then reports the connection as not reusable.
  ///   - events: The array to which the parser appends; on an error it contains the events before
  ///     it.
  /// - Throws: ``TransportError``; close the connection then.
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
        chunked.extensions += line.drop(while: \.isHexDigit).count
        guard chunked.extensions <= 65_536 + 64 * chunked.content else {
          throw .badChunk("the chunk extensions are 64 times as large as the content, or larger")
        }
        state = size == 0 ? .trailers(HTTPFieldSection(limits: limits)) : .chunk(remaining: size)
      case .chunk(let remaining):
        let piece = rest.prefix(remaining)
        rest = rest.dropFirst(remaining)
        events.append(.body(Array(piece)))
        chunked.content += piece.count
        state = piece.count == remaining ? .chunkEnd : .chunk(remaining: remaining - piece.count)
      case .chunkEnd:
        // `line` holds the CR while the LF has not arrived.
        let expected: UInt8 = line.isEmpty ? 0x0D : 0x0A
        let byte = rest.removeFirst()
        guard byte == expected else { throw .badChunk("a chunk does not end in CR LF") }
        line = line.isEmpty ? [byte] : []
        if line.isEmpty { state = .chunkSize }
      case .trailers(var section):
        do throws(TransportError) {
          guard let line = try takeLine(from: &rest, isFirst: false) else {
            guard !self.line.dropLast().contains(0x0D) else {
              throw .badChunk("a trailer line contains a CR before its end")
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

  /// Handles the end of the connection.
  ///
  /// - Parameters:
  ///   - ending: How the connection ended.
  ///   - events: Receives the end of the response if the body ends with the connection.
  /// - Throws: ``TransportError`` if the response is not complete.
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
          ? "the connection ended before the status line was complete"
          : "the connection ended inside the head of the response")
    default:
      throw failure(
        ending, .truncatedBody, phase: .receivingBody,
        detail: ending == .unannounced
          ? "the connection ended without close_notify, so the body may be truncated"
          : "the connection ended inside the body of the response")
    }
  }

  private func failure(
    _ ending: Ending, _ kind: TransportError.Kind, phase: TransportError.Phase, detail: String
  ) -> TransportError {
    let isReset = ending == .reset
    return TransportError(
      isReset ? .connectionReset : kind, phase: phase, method: method, bytesSent: true,
      detail: isReset ? "the connection was reset" : detail)
  }

  private mutating func finishHead(
    _ head: HTTPResponse, version: HTTPHeadParser.Version?, into events: inout [Event]
  ) throws(TransportError) {
    if head.status.isInformational {
      informational += 1
      guard informational <= limits.informational else {
        throw TransportError(
          .tooManyInformational, phase: .awaitingHead, bytesSent: true,
          detail: "the server sent more than \(limits.informational) interim responses")
      }
      state = .head(HTTPHeadParser(limits: limits))
      events.append(.informational(head))
      return
    }
    let framing = try HTTPBodyFraming(of: head, to: method)
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
  /// Removes and returns a line including its line end, or buffers an incomplete line.
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
    // A peer that speaks another protocol may never send a line end, so the prefix is checked
    // early.
    if isFirst, !zip(line, "HTTP/".utf8).allSatisfy({ $0 == $1 }) {
      throw .badHead("the peer does not send an HTTP response", line[...])
    }
    guard line.count <= limits.bytes else {
      throw .largeHead("a line is longer than \(limits.bytes) bytes")
    }
    return nil
  }

  /// Removes and returns a chunk-size line without its line end, or buffers an incomplete line.
  private mutating func takeChunkLine(
    from rest: inout ArraySlice<UInt8>
  ) throws(TransportError) -> ArraySlice<UInt8>? {
    let end = rest.firstIndex(of: 0x0A).map { $0 + 1 }
    line += rest[..<(end ?? rest.endIndex)]
    rest = rest[(end ?? rest.endIndex)...]
    guard line.count <= 4096 else { throw .badChunk("a chunk-size line is longer than 4096 bytes") }
    guard end != nil else {
      // The end may never come, so what has arrived is checked early.
      _ = try Self.chunkSize(line.last == 0x0D ? line.dropLast() : line[...])
      return nil
    }
    let whole = line
    line = []
    guard whole.suffix(2).first == 0x0D else {
      throw .badChunk("a chunk-size line does not end in CR LF")
    }
    return whole.dropLast(2)
  }

  /// Parses a chunk-size line: hexadecimal digits, optionally followed by extensions.
  private static func chunkSize(_ line: ArraySlice<UInt8>) throws(TransportError) -> Int {
    let digits = line.prefix(while: \.isHexDigit)
    let rest = line[digits.endIndex...].trimmingSpaces()
    let text = String(decoding: digits, as: Unicode.UTF8.self)
    guard digits.count <= 15, let size = Int(text, radix: 16),
      rest.isEmpty || rest.first == UInt8(ascii: ";"),
      rest.allSatisfy(\.isFieldValueByte)
    else {
      let excerpt = String(fieldBytes: line.prefix(80)).debugDescription
      throw .badChunk("a chunk size is not 1 to 15 hexadecimal digits: \(excerpt)")
    }
    return size
  }
}

extension TransportError {
  /// Creates the error for invalid chunked framing.
  fileprivate static func badChunk(_ detail: String) -> TransportError {
    TransportError(.badChunk, phase: .receivingBody, bytesSent: true, detail: detail)
  }

  /// The same error for field lines after the body, where they belong to the framing.
  fileprivate var inTrailers: TransportError {
    var error = self
    error.phase = .receivingBody
    if error.kind == .malformedHead { error.kind = .badChunk }
    return error
  }
}
