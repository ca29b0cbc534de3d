import TransportPort

/// Plays the plan on one HTTP/2 connection, where the scripts of several requests run interleaved.
///
/// One thread does all the work: it handles the frames that arrived, advances each script until it
/// blocks, and then polls for more frames or for the end of the nearest pause.
///
/// Source: RFC 9113.
final class HTTP2Connection {
  private static let largestFrame = 16_384

  private let id: Int
  private let stream: OriginStream
  private let shared: OriginConnection.Shared
  private let codec = HPACKCodec()
  private var streams: [HTTP2Stream] = []
  /// The highest stream id that the client has used.
  private var lastStream: UInt32 = 0
  /// The highest stream id that the last GOAWAY accepts; `nil` without a GOAWAY.
  private var lastAccepted: UInt32?
  private var ordinal = 0
  private var window = 65_535
  private var streamWindow = 65_535
  /// The frames to send with the next write: a script can make frames arrive together.
  private var unsent: [UInt8] = []
  /// HEADERS whose END_HEADERS has not been received.
  private var openBlock: HTTP2Frame?

  /// The result of one step of a script.
  private enum Progress {
    case advanced
    case blocked
  }

  init(id: Int, stream: OriginStream, shared: OriginConnection.Shared) {
    self.id = id
    self.stream = stream
    self.shared = shared
  }

  /// Plays until the connection ends.
  func run() throws(OriginStream.Ending) {
    while stream.unread.count < HTTP2Frame.preface.count { try stream.receive() }
    guard stream.take(HTTP2Frame.preface.count) == HTTP2Frame.preface else { return }
    let plan = shared.plan
    // 3 is SETTINGS_MAX_CONCURRENT_STREAMS.
    let limit =
      plan.announcesMaximumStreams
      ? [0, 3] + HTTP2Frame.bytes(of: UInt32(clamping: plan.maximumStreams)) : []
    try send(HTTP2Frame(kind: .settings, payload: limit))
    // With the default window, one upload that its script doesn't read would block all the others.
    try extendWindow(by: 1 << 24, of: 0)
    while true {
      while let frame = stream.takeFrame() {
        guard try handle(frame) else {
          // Error code 1 is PROTOCOL_ERROR.
          try send(.goAway, HTTP2Frame.bytes(of: lastStream) + HTTP2Frame.bytes(of: 1))
          return try write()
        }
      }
      for index in streams.indices where streams.indices.contains(index) {
        while try advance(&streams[index]) == .advanced {}
      }
      streams.removeAll { stream in
        stream.isFinished || lastAccepted.map { stream.id > $0 } ?? false
      }
      try write()
      let next = streams.compactMap(\.pauseEnd).min()
      try stream.receive(within: next.map { max(.zero, $0 - .now) })
    }
  }
}

// Frames from the client.
extension HTTP2Connection {
  /// - Returns: Whether the frame keeps the protocol.
  private func handle(_ frame: HTTP2Frame) throws(OriginStream.Ending) -> Bool {
    if openBlock != nil, frame.kind != .continuation { return false }
    switch frame.kind {
    case .headers:
      guard let content = frame.content else { return false }
      openBlock = HTTP2Frame(
        kind: .headers, flags: frame.flags, stream: frame.stream, payload: content)
      return frame.has(HTTP2Frame.endsHeaders) ? try handleBlock() : true
    case .continuation:
      guard openBlock?.stream == frame.stream else { return false }
      openBlock?.payload += frame.payload
      return frame.has(HTTP2Frame.endsHeaders) ? try handleBlock() : true
    case .data:
      guard let content = frame.content else { return false }
      try extendWindow(by: frame.payload.count - content.count, of: 0)
      guard let index = index(of: frame.stream) else {
        try extendWindow(by: content.count, of: 0)
        return true
      }
      streams[index].unread += content
      if frame.has(HTTP2Frame.endsStream) { streams[index].isReceived = true }
    case .settings where !frame.has(HTTP2Frame.acknowledges):
      for start in stride(from: 0, to: frame.payload.count - 5, by: 6) {
        apply(
          setting: HTTP2Frame.number(of: frame.payload[start..<(start + 2)]),
          Int(HTTP2Frame.number(of: frame.payload[(start + 2)..<(start + 6)])))
      }
      try send(HTTP2Frame(kind: .settings, flags: HTTP2Frame.acknowledges))
    case .ping where !frame.has(HTTP2Frame.acknowledges):
      try send(
        HTTP2Frame(kind: .ping, flags: HTTP2Frame.acknowledges, payload: frame.payload))
    case .windowUpdate:
      let count = Int(HTTP2Frame.number(of: frame.payload))
      if frame.stream == 0 { window += count }
      if let index = index(of: frame.stream) { streams[index].window += count }
    case .resetStream:
      guard let index = index(of: frame.stream) else { return true }
      let removed = streams.remove(at: index)
      try extendWindow(by: removed.unread.count, of: 0)
      record(.streamReset)
    case .priority:
      record(.priority)
    case .settings, .ping, .pushPromise, .goAway, nil:
      break
    }
    return true
  }

  private func index(of id: UInt32) -> Int? { streams.firstIndex { $0.id == id } }

  private func apply(setting: UInt32, _ value: Int) {
    switch setting {
    // SETTINGS_HEADER_TABLE_SIZE
    case 1:
      codec.setEncoderTableSize(value)
    // SETTINGS_INITIAL_WINDOW_SIZE, which also changes the windows of open streams (§6.9.2).
    case 4:
      for index in streams.indices { streams[index].window += value - streamWindow }
      streamWindow = value
    default:
      break
    }
  }

  /// - Returns: Whether the block keeps the protocol.
  private func handleBlock() throws(OriginStream.Ending) -> Bool {
    guard let block = openBlock, let fields = try? codec.decode(block.payload) else { return false }
    openBlock = nil
    let isEnd = block.has(HTTP2Frame.endsStream)
    if let index = index(of: block.stream) {
      streams[index].trailers = HTTPFields(
        fields.map {
          HTTPField(name: .init(String(decoding: $0.name, as: UTF8.self)), bytes: $0.value)
        })
      streams[index].isReceived = isEnd
      return isEnd
    }
    // Streams beyond a GOAWAY are ignored, but their blocks still had to change the HPACK table.
    guard block.stream > lastStream, lastAccepted.map({ block.stream <= $0 }) ?? true else {
      return true
    }
    lastStream = block.stream
    if streams.count >= shared.plan.maximumStreams {
      if shared.plan.announcesMaximumStreams { return false }
      // 7 is REFUSED_STREAM.
      try send(
        HTTP2Frame(kind: .resetStream, stream: block.stream, payload: HTTP2Frame.bytes(of: 7)))
      return true
    }
    ordinal += 1
    guard let head = OriginRequest(fields, connection: id, ordinal: ordinal) else { return false }
    let index = shared.log.record(OriginLog.Request(http2: head))
    var stream = HTTP2Stream(
      id: block.stream, head: head, index: index, script: shared.plan.onRequest(head),
      window: streamWindow)
    stream.isReceived = isEnd
    streams.append(stream)
    return true
  }
}

// Steps of the scripts.
extension HTTP2Connection {
  /// Performs the next step of a stream's script, if it can be performed now.
  private func advance(_ stream: inout HTTP2Stream) throws(OriginStream.Ending) -> Progress {
    if try !flush(&stream) { return .blocked }
    guard let step = stream.steps.first else {
      guard stream.isRead else { return try read(&stream) == nil ? .blocked : .advanced }
      return .blocked
    }
    switch step {
    case .send(let bytes):
      stream.enqueue(bytes)
    case .sendRepeatedly(let bytes, let count):
      guard count ?? 1 > 0, !bytes.isEmpty else { break }
      stream.enqueue(bytes)
      stream.steps[stream.steps.startIndex] = .sendRepeatedly(bytes, count: count.map { $0 - 1 })
      return .advanced
    case .pause(let duration):
      let end = stream.pauseEnd ?? .now + duration
      stream.pauseEnd = end > .now ? end : nil
      if stream.pauseEnd != nil { return .blocked }
    case .readBody:
      while !stream.isRead { guard try read(&stream) != nil else { return .blocked } }
    case .readBodyBytes(let count):
      guard !stream.isRead, count > 0 else { break }
      guard let bytes = try read(&stream, atMost: count) else { return .blocked }
      stream.steps[stream.steps.startIndex] = .readBodyBytes(count - bytes.count)
      return .advanced
    case .echoBody:
      guard !stream.isRead else { break }
      guard let bytes = try read(&stream) else { return .blocked }
      guard !bytes.isEmpty else { break }
      stream.enqueue(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A])
      return .advanced
    case .close, .closeWithoutNotify:
      stream.enqueueEnd()
      guard try flush(&stream) else { return .blocked }
      try write()
      try self.stream.close(announcing: step == .close) { record(.closed) }
      throw .stopped
    case .reset:
      try write()
      self.stream.reset()
      record(.reset)
      throw .stopped
    case .resetStream(let code):
      try send(
        HTTP2Frame(kind: .resetStream, stream: stream.id, payload: HTTP2Frame.bytes(of: code)))
      stream.end()
      return .blocked
    case .stall:
      return .blocked
    case .goAway(let isProcessed):
      // Client stream ids are odd, so the one before has the id minus 2.
      let last = isProcessed ? stream.id : stream.id - min(2, stream.id)
      lastAccepted = min(last, lastAccepted ?? last)
      try send(.goAway, HTTP2Frame.bytes(of: last) + HTTP2Frame.bytes(of: 0))
    }
    stream.steps.removeFirst()
    return .advanced
  }

  /// Reads received content of a request, which lets the client send as much again.
  ///
  /// - Returns: The bytes; empty at the end; `nil` if none have arrived yet.
  private func read(
    _ stream: inout HTTP2Stream, atMost count: Int = .max
  ) throws(OriginStream.Ending) -> [UInt8]? {
    let bytes = Array(stream.unread.prefix(count))
    stream.unread = stream.unread.dropFirst(bytes.count)
    if bytes.isEmpty {
      guard stream.isReceived else { return nil }
      stream.isRead = true
      shared.log.record(trailers: stream.trailers, ofRequest: stream.index)
    } else {
      shared.log.record(body: bytes, ofRequest: stream.index)
      try extendWindow(by: bytes.count, of: 0)
      if !stream.isReceived { try extendWindow(by: bytes.count, of: stream.id) }
    }
    return bytes
  }

  /// Sends a stream's queued output as far as the client's windows allow.
  ///
  /// - Returns: Whether all of it was sent.
  private func flush(_ stream: inout HTTP2Stream) throws(OriginStream.Ending) -> Bool {
    while let output = stream.output.first {
      switch output {
      case .fields([], let endsStream):
        // A response without trailers ends with an empty DATA frame.
        try send(
          HTTP2Frame(
            kind: .data, flags: endsStream ? HTTP2Frame.endsStream : 0, stream: stream.id))
      case .fields(let fields, let endsStream):
        // Encoded here and not when queued: HPACK requires the order in which blocks are sent.
        guard let block = try? codec.encode(fields) else { throw .stopped }
        try send(block, of: stream.id, endsStream ? HTTP2Frame.endsStream : 0)
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

  /// Sends a field block in HEADERS and as many CONTINUATION as it needs.
  private func send(
    _ block: [UInt8], of stream: UInt32, _ flags: UInt8
  ) throws(OriginStream.Ending) {
    for start in stride(from: 0, to: max(1, block.count), by: Self.largestFrame) {
      let piece = Array(block.dropFirst(start).prefix(Self.largestFrame))
      let isLast = start + piece.count == block.count
      try send(
        HTTP2Frame(
          kind: start == 0 ? .headers : .continuation,
          flags: (start == 0 ? flags : 0) | (isLast ? HTTP2Frame.endsHeaders : 0), stream: stream,
          payload: piece))
    }
  }

  /// Sends WINDOW_UPDATE for a stream, or for the connection if the stream is 0.
  private func extendWindow(by count: Int, of stream: UInt32) throws(OriginStream.Ending) {
    guard count > 0 else { return }
    try send(
      HTTP2Frame(
        kind: .windowUpdate, stream: stream, payload: HTTP2Frame.bytes(of: UInt32(count))))
  }

  private func send(
    _ kind: HTTP2Frame.Kind, _ payload: [UInt8]
  ) throws(OriginStream.Ending) {
    try send(HTTP2Frame(kind: kind, payload: payload))
  }

  private func send(_ frame: HTTP2Frame) throws(OriginStream.Ending) {
    unsent += frame.bytes
    if unsent.count > 65_536 { try write() }
  }

  private func write() throws(OriginStream.Ending) {
    guard !unsent.isEmpty else { return }
    try stream.send(unsent)
    record(.sent(unsent.count))
    unsent.removeAll(keepingCapacity: true)
  }

  private func record(_ kind: OriginLog.Event.Kind) {
    shared.log.record(kind, on: id)
  }
}
