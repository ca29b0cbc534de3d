import TransportPort

/// Plays the plan on a connection that speaks HTTP/2: each request's script beside the others.
///
/// One thread does it all: it takes the frames that came, moves each script on as far as it can go,
/// and waits for more frames or for the end of a pause.
///
/// Source: RFC 9113.
final class HTTP2Connection {
  private static let largestFrame = 16_384

  private let id: Int
  private let stream: OriginStream
  private let setting: OriginConnection.Setting
  private var decoder = HPACKDecoder()
  private var streams: [HTTP2Stream] = []
  /// The last stream that was begun.
  private var lastStream: UInt32 = 0
  /// The last stream that is taken on, once a GOAWAY said so.
  private var lastTaken: UInt32?
  private var ordinal = 0
  private var window = 65_535
  private var streamWindow = 65_535
  /// The field block that is not complete yet.
  private var block: HTTP2Frame?

  /// What a script is at.
  private enum Progress {
    case goesOn
    case waits
  }

  init(id: Int, stream: OriginStream, setting: OriginConnection.Setting) {
    self.id = id
    self.stream = stream
    self.setting = setting
  }

  /// Plays until the connection ends.
  func run() throws(OriginStream.Ending) {
    while stream.unread.count < HTTP2Frame.preface.count { try stream.receive() }
    guard stream.take(HTTP2Frame.preface.count) == HTTP2Frame.preface else { return }
    try send(HTTP2Frame(kind: .settings))
    // So that an upload that a script doesn't read holds up no other.
    try giveWindow(1 << 24, to: 0)
    while true {
      while let frame = stream.takeFrame() {
        guard try take(frame) else {
          try send(.goAway, HTTP2Frame.number(lastStream) + HTTP2Frame.number(1))
          return
        }
      }
      for place in streams.indices where streams.indices.contains(place) {
        while try moveOn(&streams[place]) == .goesOn {}
      }
      streams.removeAll { stream in stream.isOver || lastTaken.map { stream.id > $0 } ?? false }
      let next = streams.compactMap(\.waitsUntil).min()
      try stream.receive(within: next.map { max(.zero, $0 - .now) })
    }
  }
}

// What the client sends.
extension HTTP2Connection {
  /// - Returns: Whether the frame keeps the rules.
  private func take(_ frame: HTTP2Frame) throws(OriginStream.Ending) -> Bool {
    if block != nil, frame.kind != .continuation { return false }
    switch frame.kind {
    case .headers:
      guard let content = frame.content else { return false }
      block = HTTP2Frame(
        kind: .headers, flags: frame.flags, stream: frame.stream, payload: content)
      return frame.has(HTTP2Frame.endsHeaders) ? takeBlock() : true
    case .continuation:
      guard block?.stream == frame.stream else { return false }
      block?.payload += frame.payload
      return frame.has(HTTP2Frame.endsHeaders) ? takeBlock() : true
    case .data:
      guard let content = frame.content else { return false }
      try giveWindow(frame.payload.count - content.count, to: 0)
      guard let place = place(of: frame.stream) else {
        try giveWindow(content.count, to: 0)
        return true
      }
      streams[place].unread += content
      if frame.has(HTTP2Frame.endsStream) { streams[place].isReceived = true }
    case .settings where !frame.has(HTTP2Frame.acknowledges):
      for start in stride(from: 0, to: frame.payload.count - 5, by: 6) {
        // SETTINGS_INITIAL_WINDOW_SIZE, which counts for streams that are open as well.
        guard HTTP2Frame.number(of: frame.payload[start..<(start + 2)]) == 4 else { continue }
        let value = Int(HTTP2Frame.number(of: frame.payload[(start + 2)..<(start + 6)]))
        for place in streams.indices { streams[place].window += value - streamWindow }
        streamWindow = value
      }
      try send(HTTP2Frame(kind: .settings, flags: HTTP2Frame.acknowledges))
    case .ping where !frame.has(HTTP2Frame.acknowledges):
      try send(
        HTTP2Frame(kind: .ping, flags: HTTP2Frame.acknowledges, payload: frame.payload))
    case .windowUpdate:
      let count = Int(HTTP2Frame.number(of: frame.payload))
      if frame.stream == 0 { window += count }
      if let place = place(of: frame.stream) { streams[place].window += count }
    case .resetStream:
      guard let place = place(of: frame.stream) else { return true }
      let gone = streams.remove(at: place)
      try giveWindow(gone.unread.count, to: 0)
      record(.streamReset)
    case .settings, .ping, .priority, .pushPromise, .goAway, nil:
      break
    }
    return true
  }

  private func place(of id: UInt32) -> Int? { streams.firstIndex { $0.id == id } }

  /// - Returns: Whether the block keeps the rules.
  private func takeBlock() -> Bool {
    guard let block, let fields = try? decoder.decode(block.payload) else { return false }
    self.block = nil
    let isEnd = block.has(HTTP2Frame.endsStream)
    if let place = place(of: block.stream) {
      streams[place].trailers = HTTPFields(
        fields.map {
          HTTPField(name: .init(String(decoding: $0.name, as: UTF8.self)), bytes: $0.value)
        })
      streams[place].isReceived = isEnd
      return isEnd
    }
    // What is beyond a GOAWAY is passed over, but its fields had to be decoded.
    guard block.stream > lastStream, lastTaken.map({ block.stream <= $0 }) ?? true else {
      return true
    }
    lastStream = block.stream
    ordinal += 1
    guard let head = OriginRequest(fields, connection: id, ordinal: ordinal) else { return false }
    let index = setting.log.record(OriginLog.Request(http2: head))
    var stream = HTTP2Stream(
      id: block.stream, head: head, index: index, script: setting.plan.onRequest(head),
      window: streamWindow)
    stream.isReceived = isEnd
    streams.append(stream)
    return true
  }
}

// What the scripts do.
extension HTTP2Connection {
  /// Does the next thing that a script wants, if that is possible now.
  private func moveOn(
    _ stream: inout HTTP2Stream
  ) throws(OriginStream.Ending) -> Progress {
    if try !flush(&stream) { return .waits }
    guard let step = stream.steps.first else {
      guard stream.isRead else { return try read(&stream) == nil ? .waits : .goesOn }
      return .waits
    }
    switch step {
    case .send(let bytes):
      stream.answer(bytes)
    case .sendRepeatedly(let bytes, let count):
      guard count ?? 1 > 0, !bytes.isEmpty else { break }
      stream.answer(bytes)
      stream.steps[stream.steps.startIndex] = .sendRepeatedly(bytes, count: count.map { $0 - 1 })
      return .goesOn
    case .pause(let duration):
      let end = stream.waitsUntil ?? .now + duration
      stream.waitsUntil = end > .now ? end : nil
      if stream.waitsUntil != nil { return .waits }
    case .readBody:
      while !stream.isRead { guard try read(&stream) != nil else { return .waits } }
    case .readBodyBytes(let count):
      guard !stream.isRead, count > 0 else { break }
      guard let bytes = try read(&stream, atMost: count) else { return .waits }
      stream.steps[stream.steps.startIndex] = .readBodyBytes(count - bytes.count)
      return .goesOn
    case .echoBody:
      guard !stream.isRead else { break }
      guard let bytes = try read(&stream) else { return .waits }
      guard !bytes.isEmpty else { break }
      stream.answer(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A])
      return .goesOn
    case .close, .closeWithoutNotify:
      stream.endAnswer()
      guard try flush(&stream) else { return .waits }
      record(.closed)
      try self.stream.close(announcing: step == .close)
      throw .stopped
    case .reset:
      record(.reset)
      self.stream.reset()
      throw .stopped
    case .stall:
      return .waits
    case .goAway(let isProcessed):
      let last = isProcessed ? stream.id : stream.id - min(2, stream.id)
      lastTaken = min(last, lastTaken ?? last)
      try send(.goAway, HTTP2Frame.number(last) + HTTP2Frame.number(0))
    }
    stream.steps.removeFirst()
    return .goesOn
  }

  /// Reads content of a request, which lets the client send more.
  ///
  /// - Returns: What there was, nothing at the end; `nil` while there is nothing yet.
  private func read(
    _ stream: inout HTTP2Stream, atMost count: Int = .max
  ) throws(OriginStream.Ending) -> [UInt8]? {
    let bytes = Array(stream.unread.prefix(count))
    stream.unread = stream.unread.dropFirst(bytes.count)
    if bytes.isEmpty {
      guard stream.isReceived else { return nil }
      stream.isRead = true
      setting.log.record(trailers: stream.trailers, ofRequest: stream.index)
    } else {
      setting.log.record(body: bytes, ofRequest: stream.index)
      try giveWindow(bytes.count, to: 0)
      if !stream.isReceived { try giveWindow(bytes.count, to: stream.id) }
    }
    return bytes
  }

  /// Sends what a stream has to send, as far as the client takes it.
  ///
  /// - Returns: Whether all was sent.
  private func flush(_ stream: inout HTTP2Stream) throws(OriginStream.Ending) -> Bool {
    while let output = stream.output.first {
      switch output {
      case .fields(let fields, let endsStream):
        let flags = endsStream ? HTTP2Frame.endsStream : 0
        // Fields that end a stream are trailers; without any, empty data says the same.
        try send(
          fields.isEmpty
            ? HTTP2Frame(kind: .data, flags: flags, stream: stream.id)
            : HTTP2Frame(
              kind: .headers, flags: flags | HTTP2Frame.endsHeaders, stream: stream.id,
              payload: fields.flatMap { HPACKDecoder.encode($0.name, $0.value) }))
      case .data(let bytes):
        let room = min(window, stream.window, Self.largestFrame)
        guard room > 0 else { return false }
        let piece = Array(bytes.prefix(room))
        window -= piece.count
        stream.window -= piece.count
        try send(HTTP2Frame(kind: .data, stream: stream.id, payload: piece))
        if piece.count < bytes.count {
          stream.output[0] = .data(bytes.dropFirst(piece.count))
          continue
        }
      }
      stream.output.removeFirst()
    }
    return true
  }

  private func giveWindow(_ count: Int, to stream: UInt32) throws(OriginStream.Ending) {
    guard count > 0 else { return }
    try send(
      HTTP2Frame(
        kind: .windowUpdate, stream: stream, payload: HTTP2Frame.number(UInt32(count))))
  }

  private func send(
    _ kind: HTTP2Frame.Kind, _ payload: [UInt8]
  ) throws(OriginStream.Ending) {
    try send(HTTP2Frame(kind: kind, payload: payload))
  }

  private func send(_ frame: HTTP2Frame) throws(OriginStream.Ending) {
    let bytes = frame.bytes
    try stream.send(bytes)
    record(.sent(bytes.count))
  }

  private func record(_ kind: OriginLog.Event.Kind) {
    setting.log.record(kind, on: id)
  }
}
