/// Reads the HTTP/2 frames that a server sends.
///
/// Source: RFC 9113 §4.1 and §6.
struct HTTP2FrameReader {
  /// What a frame says about its stream.
  enum Event {
    /// A complete field block, compressed with HPACK.
    case fields([UInt8], stream: Int)
    /// A part of the content; the memory is that of the bytes read.
    case content(UnsafeRawBufferPointer, stream: Int)
    /// The server ended its side of the stream with END_STREAM.
    case ended(stream: Int)
    /// The server reset the stream.
    case reset(stream: Int, code: Int)
    /// The settings of the server, which are the first that it sends (RFC 9113 §6.5).
    case settings
    /// The server processes no stream after the given one (RFC 9113 §6.8).
    case goAway(lastStream: Int, code: Int)
    /// The bytes are no valid frames, so nothing is known of those that follow.
    case invalid
  }

  private struct Frame {
    var kind: UInt8
    var flags: UInt8
    var stream: Int
    /// The number of payload bytes that were not received.
    var missing: Int
    /// The number of bytes of padding at the end; `nil` before the byte that declares it, or without one.
    var padding: Int?

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
  }

  private static let maximumBlock = 1 << 20
  private static let data: UInt8 = 0
  private static let headers: UInt8 = 1
  private static let reset: UInt8 = 3
  private static let settings: UInt8 = 4
  private static let goAway: UInt8 = 7
  private static let continuation: UInt8 = 9

  private var header: [UInt8] = []
  private var frame: Frame?
  /// The payload of RST_STREAM or GOAWAY, or a field block and the flags of its HEADERS.
  private var gathered: [UInt8] = []
  private var headersFlags: UInt8 = 0
  private var isFirst = true
  private var isInvalid = false

  /// The number of bytes of the last field block, as far as they were received.
  var blockSize: Int { gathered.count }

  /// Reads bytes, which may begin or end within a frame.
  mutating func read(_ bytes: UnsafeRawBufferPointer, _ report: (Event) -> Void) {
    var start = 0
    while !isInvalid, start < bytes.count {
      let wanted = frame.map(\.missing) ?? 9 - header.count
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + wanted)])
      start += part.count
      if frame != nil {
        take(part, report)
      } else {
        header += part
        if header.count == 9 { begin() }
      }
      if isInvalid {
        report(.invalid)
      } else if frame?.missing == 0 {
        finish(report)
      }
    }
  }

  private mutating func begin() {
    let frame = Frame(
      kind: header[3], flags: header[4],
      // not mutated (4): the mask removes the byte before
      stream: Self.number(header[5...]) & 0x7FFF_FFFF, missing: Self.number(header[..<3]))
    header = []
    isInvalid = isFirst && frame.kind != Self.settings
    isFirst = false
    if frame.kind == Self.headers { headersFlags = frame.flags }
    if frame.kind != Self.continuation { gathered = [] }
    self.frame = frame
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer, _ report: (Event) -> Void) {
    guard var frame else { return }
    let left = frame.missing - bytes.count
    switch frame.kind {
    case Self.data:
      var range = 0..<bytes.count
      if frame.has(0x8), frame.padding == nil {
        frame.padding = Int(bytes[0])
        range = 1..<bytes.count
      }
      // Padding ends the frame, of which some bytes may not have come.
      if let padding = frame.padding { range = range.dropLast(max(0, padding - left)) }
      if !range.isEmpty {
        report(.content(UnsafeRawBufferPointer(rebasing: bytes[range]), stream: frame.stream))
      }
    case Self.headers, Self.continuation, Self.reset, Self.goAway:
      gathered += bytes
      if gathered.count > Self.maximumBlock { isInvalid = true }
    default: break
    }
    frame.missing = left
    self.frame = frame
  }

  private mutating func finish(_ report: (Event) -> Void) {
    guard let frame else { return }
    self.frame = nil
    switch frame.kind {
    case Self.data:
      if frame.has(0x1) { report(.ended(stream: frame.stream)) }
    case Self.headers, Self.continuation:
      if frame.kind == Self.headers { removePaddingAndPriority() }
      guard frame.has(0x4) else { return }
      report(.fields(gathered, stream: frame.stream))
      if headersFlags & 0x1 != 0 { report(.ended(stream: frame.stream)) }
    case Self.reset:
      report(.reset(stream: frame.stream, code: Self.number(gathered)))
    case Self.settings:
      // With ACK, the frame only confirms the client's.
      if !frame.has(0x1) { report(.settings) }
    case Self.goAway where gathered.count >= 8:
      report(
        .goAway(
          lastStream: Self.number(gathered[..<4]) & 0x7FFF_FFFF, code: Self.number(gathered[4..<8]))
      )
    default: break
    }
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func removePaddingAndPriority() {
    var block = gathered[...]
    let padding = headersFlags & 0x8 != 0 ? block.popFirst().map(Int.init) ?? 0 : 0
    block = block.dropFirst(headersFlags & 0x20 != 0 ? 5 : 0).dropLast(padding)
    gathered = Array(block)
  }
}
