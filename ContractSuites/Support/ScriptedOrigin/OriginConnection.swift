import TransportPort

/// Plays the plan on one accepted connection. Only the connection's thread uses it.
final class OriginConnection {
  let id: Int
  let stream: OriginStream
  let shared: Shared
  private var request: (body: RequestBodyReader, index: Int)?

  /// The values that all connections of one origin share.
  struct Shared: Sendable {
    var plan: OriginPlan
    var tls: OriginTLS?
    var tunnels: @Sendable (OriginRequest) -> Bool
    var log: OriginLog
    /// A descriptor that becomes readable when the origin is closed.
    var stop: Int32
  }

  /// Whether the connection is still open after a script.
  private enum Outcome {
    case open
    case ended
  }

  init(id: Int, socket: Int32, shared: Shared) {
    self.id = id
    self.stream = OriginStream(socket: socket, stop: shared.stop)
    self.shared = shared
  }

  /// Plays until the connection ends.
  func run() {
    record(.accepted)
    do throws(OriginStream.Ending) {
      if let tls = shared.tls {
        try stream.secure(with: tls.context)
        record(.secured)
      }
      if try play(shared.plan.onConnect(id)) == .ended { return }
      if stream.speaksHTTP2 {
        return try HTTP2Connection(id: id, stream: stream, shared: shared).run()
      }
      var ordinal = 0
      while true {
        ordinal += 1
        let head = try readHead(ordinal: ordinal)
        if head.method == .connect, shared.tunnels(head) { return try tunnel(to: head.target) }
        if try play(shared.plan.onRequest(head)) == .ended { return }
        try readBody()
        if head.asksToClose {
          return try stream.close(announcing: true) { record(.closed) }
        }
      }
    } catch {
      switch error {
      case .closedByPeer: record(.closedByPeer)
      case .resetByPeer: record(.resetByPeer)
      case .handshakeFailed(let reason):
        record(.handshakeFailed(reason))
        // A RST could destroy the alert before the client reads it.
        try? stream.close(announcing: false)
      case .malformed(let reason):
        record(.malformed(reason))
        stream.reset()
      case .stopped: break
      }
    }
    stream.release()
  }

  private func record(_ kind: OriginLog.Event.Kind) {
    shared.log.record(kind, on: id)
  }

  private func readHead(ordinal: Int) throws(OriginStream.Ending) -> OriginRequest {
    let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
    var searched = 0
    while true {
      let unread = stream.unread
      // The last 3 bytes searched may begin the end of the head.
      let from = unread.startIndex + max(0, searched - 3)
      if let range = unread[from...].firstRange(of: end) {
        let bytes = stream.take(range.upperBound - unread.startIndex)
        let head = OriginRequest(bytes, connection: id, ordinal: ordinal)
        let index = shared.log.record(OriginLog.Request(head: head, rawHead: bytes))
        let body = RequestBodyReader(head)
        request = (body, index)
        if body.isAtEnd { shared.log.record(trailers: [:], ofRequest: index) }
        return head
      }
      searched = unread.count
      try stream.receive()
    }
  }

  private func play(_ script: OriginScript) throws(OriginStream.Ending) -> Outcome {
    for step in script.steps {
      switch step {
      case .send(let bytes):
        try send(bytes)
      case .sendRepeatedly(let bytes, let count):
        guard !bytes.isEmpty, count ?? 1 > 0 else { continue }
        // Send blocks of up to 64 KiB: one system call per repetition would make floods slow.
        let batch = max(1, min(count ?? .max, 65_536 / bytes.count))
        var block = bytes
        block.reserveCapacity(batch * bytes.count)
        while block.count < batch * bytes.count {
          block += block.prefix(batch * bytes.count - block.count)
        }
        var left = count ?? .max
        while left >= batch {
          try send(block)
          if count != nil { left -= batch }
        }
        try send(block.prefix(left * bytes.count))
      case .pause(let duration):
        try stream.pause(duration)
      case .readBody:
        try readBody()
      case .readBodyBytes(let count):
        var left = count
        while left > 0, let piece = try readPiece(upTo: left) { left -= piece.count }
      case .echoBody:
        while let piece = try readPiece(upTo: 65_536) {
          try send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0D, 0x0A])
        }
      case .close:
        try stream.close(announcing: true) { record(.closed) }
        return .ended
      case .closeWithoutNotify:
        try stream.close(announcing: false) { record(.closed) }
        return .ended
      case .reset, .resetStream:
        stream.reset()
        record(.reset)
        return .ended
      case .stall:
        try stream.pause(nil)
      case .goAway:
        break
      }
    }
    return .open
  }

  private func send(_ bytes: some Collection<UInt8>) throws(OriginStream.Ending) {
    guard !bytes.isEmpty else { return }
    try stream.send(bytes)
    record(.sent(bytes.count))
  }

  private func readBody() throws(OriginStream.Ending) {
    while try readPiece(upTo: 65_536) != nil {}
  }

  private func readPiece(upTo limit: Int) throws(OriginStream.Ending) -> [UInt8]? {
    guard var current = request else { return nil }
    let wasAtEnd = current.body.isAtEnd
    let piece = try current.body.next(upTo: limit, from: stream)
    request = current
    if let piece { shared.log.record(body: piece, ofRequest: current.index) }
    if !wasAtEnd, current.body.isAtEnd {
      shared.log.record(trailers: current.body.trailers, ofRequest: current.index)
    }
    return piece
  }
}

extension OriginRequest {
  /// Whether the client expects the origin to end the connection after the response.
  fileprivate var asksToClose: Bool { headerFields.list(.connection).contains("close") }

  /// Parses the bytes of a head leniently: tests of the wire format read the raw bytes.
  init(_ bytes: [UInt8], connection: Int, ordinal: Int) {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let first = lines.isEmpty ? [] : lines.removeFirst()
    let words = String(decoding: first, as: UTF8.self).split(separator: " ")
    var fields: HTTPFields = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: 0x3A) else { continue }
      fields.append(
        HTTPField(
          name: HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)),
          bytes: Array(line[(colon + 1)...].filter { $0 != 0x0D }[...].trimmingSpaces())))
    }
    self.init(
      connection: connection, ordinal: ordinal, method: .init(String(words.first ?? "")),
      target: words.count > 1 ? String(words[1]) : "", headerFields: fields)
  }
}
