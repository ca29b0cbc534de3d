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
        let digits = try Self.line(from: stream).prefix { $0 != 0x3B && $0 != 0x0D && $0 != 0x0A }
        let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
        state = size == 0 ? .trailers(HTTPFieldSection()) : .chunk(size)
      case .trailers(var section):
        let isEnd = (try? section.consume(line: Self.line(from: stream)[...])) ?? true
        state = isEnd ? .ended : .trailers(section)
        trailers = section.fields
      }
    }
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
