/// A frame of HTTP/2 as it is on the wire.
///
/// Source: RFC 9113 §4.1 and §6.
struct HTTP2Frame {
  /// What a frame is for.
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

  // END_STREAM on data and headers, and ACK on settings and ping.
  static let endsStream: UInt8 = 0x1
  static let acknowledges: UInt8 = 0x1
  static let endsHeaders: UInt8 = 0x4
  static let isPadded: UInt8 = 0x8
  static let hasPriority: UInt8 = 0x20

  /// What a client sends before its first frame.
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// The bytes of a frame's own head.
  static let headSize = 9

  /// What the frame is for; `nil` for kinds that are unknown and passed over.
  var kind: Kind?
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  /// Whether a flag is set.
  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  /// The payload of data or headers without padding and priority; `nil` where they don't fit in it.
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

  /// The bytes on the wire.
  var bytes: [UInt8] {
    let head = Self.number(UInt32(payload.count)).dropFirst() + [kind?.rawValue ?? 0xFF, flags]
    return head + Self.number(stream) + payload
  }

  /// A number of 32 bits as it is on the wire.
  static func number(_ value: UInt32) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// The number that bytes stand for, without the reserved first bit.
  static func number(of bytes: some Collection<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
  }
}

extension OriginStream {
  /// Takes the next frame out of what came, once it is complete.
  func takeFrame() -> HTTP2Frame? {
    let head = unread.prefix(HTTP2Frame.headSize)
    let size = Int(HTTP2Frame.number(of: head.prefix(3)))
    guard unread.count >= HTTP2Frame.headSize + size else { return nil }
    let bytes = take(HTTP2Frame.headSize + size)
    return HTTP2Frame(
      kind: HTTP2Frame.Kind(rawValue: bytes[3]), flags: bytes[4],
      stream: HTTP2Frame.number(of: bytes[5..<9]), payload: Array(bytes[HTTP2Frame.headSize...]))
  }
}
