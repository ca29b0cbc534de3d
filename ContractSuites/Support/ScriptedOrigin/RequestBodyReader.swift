import TransportPort

/// Reads the body of one request in the framing that the request declares.
///
/// Written here and not shared with the port's parsers: the origin must read exactly as many bytes
/// as a script asks for, and must not repeat the mistakes of the code that it tests. llhttp passes
/// content to callbacks, so pausing it at a content size would take as much state as this reader
/// has.
struct RequestBodyReader {
  private enum State {
    case counted(Int)
    case chunkSize
    case chunk(Int)
    case trailers(HTTPFieldSection)
    case ended
  }

  private var state: State

  /// The trailer fields, once the body has been read to its end.
  private(set) var trailers: HTTPFields = [:]

  /// Creates a reader for the body that follows a head.
  init(_ head: OriginRequest) {
    if head.headerFields[.transferEncoding]?.lowercased() == "chunked" {
      state = .chunkSize
    } else {
      let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
      state = length > 0 ? .counted(length) : .ended
    }
  }

  /// Whether the body has been read to its end.
  var isAtEnd: Bool { if case .ended = state { true } else { false } }

  /// Reads the next piece of content, at most `limit` bytes; `nil` at the end.
  mutating func next(
    upTo limit: Int = .max, from stream: OriginStream
  ) throws(OriginStream.Ending) -> [UInt8]? {
    while true {
      switch state {
      case .ended:
        return nil
      case .counted(let left):
        let piece = try Self.piece(min(left, limit), from: stream)
        state = piece.count == left ? .ended : .counted(left - piece.count)
        return piece
      case .chunk(0):
        _ = try Self.line(from: stream)
        state = .chunkSize
      case .chunk(let left):
        let piece = try Self.piece(min(left, limit), from: stream)
        state = .chunk(left - piece.count)
        return piece
      case .chunkSize:
        let size = try Self.chunkSize(Self.line(from: stream))
        state = size == 0 ? .trailers(HTTPFieldSection()) : .chunk(size)
      case .trailers(var section):
        let isEnd = (try? section.consume(line: Self.line(from: stream)[...])) ?? true
        state = isEnd ? .ended : .trailers(section)
        trailers = section.fields
      }
    }
  }

  /// Reads a chunk's size, which must be hexadecimal digits (RFC 9112 §7.1).
  private static func chunkSize(_ line: [UInt8]) throws(OriginStream.Ending) -> Int {
    let text = String(decoding: line.prefix { ![0x3B, 0x0D, 0x0A].contains($0) }, as: UTF8.self)
    // `Int` accepts a sign as well.
    guard text.first?.isHexDigit == true, let size = Int(text, radix: 16) else {
      throw .malformed("the chunk size '\(text)' is not a hexadecimal number")
    }
    return size
  }

  private static func piece(
    _ count: Int, from stream: OriginStream
  ) throws(OriginStream.Ending) -> [UInt8] {
    if stream.unread.isEmpty { try stream.receive() }
    return stream.take(count)
  }

  /// Reads a line, including its line break.
  private static func line(
    from stream: OriginStream
  ) throws(OriginStream.Ending) -> [UInt8] {
    while true {
      if let end = stream.unread.firstIndex(of: 0x0A) {
        return stream.take(end - stream.unread.startIndex + 1)
      }
      try stream.receive()
    }
  }
}
