/// An HTTP/2 frame as it is on the wire.
///
/// Frames are read and written here and not by libnghttp2, whose sessions enforce the protocol:
/// this origin has to break it on purpose. It withholds window updates, resets the connection
/// within a stream, and sends GOAWAY for streams that it has read. A payload is any bytes, so a
/// field block need not come from ``HPACKCodec``.
///
/// Source: RFC 9113 §4.1 and §6.
struct HTTP2Frame {
  /// The type of a frame.
  enum Kind: UInt8 {
    case data = 0
    case headers = 1
    case priority = 2
    case resetStream = 3
    case settings = 4
    case pushPromise = 5
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
    case continuation = 9
  }

  // The same bit is END_STREAM on DATA and HEADERS, and ACK on SETTINGS and PING.
  static let endsStream: UInt8 = 0x1
  static let acknowledges: UInt8 = 0x1
  static let endsHeaders: UInt8 = 0x4
  static let isPadded: UInt8 = 0x8
  static let hasPriority: UInt8 = 0x20

  /// The bytes that a client sends before its first frame.
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// The size of a frame header in bytes.
  static let headerSize = 9

  /// The type; `nil` for unknown types, which a receiver ignores.
  var kind: Kind?
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  /// Whether a flag is set.
  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  /// The payload of DATA or HEADERS without padding and priority; `nil` if they exceed the payload.
  var content: [UInt8]? {
    var content = payload[...]
    var padding = 0
    if has(Self.isPadded) {
      guard let count = content.popFirst() else { return nil }
      padding = Int(count)
    }
    let priority = kind == .headers && has(Self.hasPriority) ? 5 : 0
    guard content.count >= priority + padding else { return nil }
    return Array(content.dropFirst(priority).dropLast(padding))
  }

  /// The frame's bytes on the wire.
  var bytes: [UInt8] {
    let header =
      Self.bytes(of: UInt32(payload.count)).dropFirst() + [kind?.rawValue ?? 0xFF, flags]
    return header + Self.bytes(of: stream) + payload
  }

  /// A 32-bit integer in network byte order.
  static func bytes(of value: UInt32) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// The integer that bytes in network byte order encode, without the reserved highest bit.
  static func number(of bytes: some Collection<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
  }
}

extension OriginStream {
  /// Removes the next frame from the received bytes; `nil` until the frame is complete.
  func takeFrame() -> HTTP2Frame? {
    let header = unread.prefix(HTTP2Frame.headerSize)
    let size = Int(HTTP2Frame.number(of: header.prefix(3)))
    guard unread.count >= HTTP2Frame.headerSize + size else { return nil }
    let bytes = take(HTTP2Frame.headerSize + size)
    return HTTP2Frame(
      kind: HTTP2Frame.Kind(rawValue: bytes[3]), flags: bytes[4],
      stream: HTTP2Frame.number(of: bytes[5..<9]), payload: Array(bytes[HTTP2Frame.headerSize...]))
  }
}
