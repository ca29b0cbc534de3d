import TransportPort

/// One exchange of an HTTP/2 connection: its script and the state of its request and response.
///
/// A script writes responses as HTTP/1.1 bytes. They are parsed and queued as frames.
struct HTTP2Stream {
  /// A part of the response that waits to be sent.
  enum Output {
    case fields([HTTP2Field], endsStream: Bool)
    case data(ArraySlice<UInt8>)
  }

  let id: UInt32
  let head: OriginRequest
  /// The index of the request in the log.
  let index: Int
  var steps: ArraySlice<ScriptStep>
  private var parser: HTTPResponseParser

  /// The bytes of data that the client still accepts on this stream.
  var window: Int
  var output: [Output] = []
  /// Received content that the script has not read.
  var unread: ArraySlice<UInt8> = []
  /// Whether the end of the request has been received.
  var isReceived = false
  var trailers: HTTPFields = [:]
  /// Whether the script has read the request to its end.
  var isRead = false
  /// Whether the whole response has been sent or queued.
  private(set) var isAnswered = false
  /// The end of the current pause.
  var pauseEnd: ContinuousClock.Instant?

  init(id: UInt32, head: OriginRequest, index: Int, script: OriginScript, window: Int) {
    self.id = id
    self.head = head
    self.index = index
    self.steps = script.steps[...]
    self.parser = HTTPResponseParser(
      method: head.method, limits: HTTPHeadLimits(bytes: 1 << 24, fields: 1 << 16))
    self.window = window
  }

  /// Whether the exchange is complete and its script has no more steps.
  var isFinished: Bool { isAnswered && output.isEmpty && isRead && steps.isEmpty }

  /// Ends the exchange without a response.
  mutating func end() {
    (isAnswered, isRead) = (true, true)
    (output, steps) = ([], [])
  }

  /// Queues the part of a response that HTTP/1.1 bytes encode.
  ///
  /// Bytes that the parser refuses are dropped: HTTP/2 has no frames for them.
  mutating func enqueue(_ bytes: [UInt8]) {
    var events: [HTTPResponseParser.Event] = []
    try? parser.consume(bytes, into: &events)
    enqueue(events)
  }

  /// Queues the end of a response whose content ends with its connection.
  mutating func enqueueEnd() {
    var events: [HTTPResponseParser.Event] = []
    try? parser.finish(.orderly, into: &events)
    enqueue(events)
  }

  private mutating func enqueue(_ events: [HTTPResponseParser.Event]) {
    for event in events where !isAnswered {
      switch event {
      case .informational(let response), .head(let response):
        let status = HTTP2Field(
          name: Array(":status".utf8), value: Array("\(response.status.code)".utf8))
        output.append(.fields([status] + Self.fields(response.headerFields), endsStream: false))
      case .body(let bytes):
        output.append(.data(bytes[...]))
      case .end(let trailers):
        output.append(.fields(Self.fields(trailers), endsStream: true))
        isAnswered = true
      }
    }
  }

  private static func fields(_ fields: HTTPFields) -> [HTTP2Field] {
    fields.overHTTP2.map { HTTP2Field(name: Array($0.name.rawName.utf8), value: $0.bytes) }
  }
}

extension OriginLog.Request {
  /// Creates the log entry of an HTTP/2 request, with its head written as text.
  init(http2 head: OriginRequest) {
    let text = "\(head.method) \(head.target) HTTP/2\r\n"
    self.init(head: head, rawHead: Array(text.utf8) + head.headerFields.wireBytes + [0x0D, 0x0A])
  }
}

extension OriginRequest {
  /// Creates a head from a field block; `nil` without `:method` or `:path`.
  init?(_ fields: [HTTP2Field], connection: Int, ordinal: Int) {
    var pseudo: [String: String] = [:]
    var rest: HTTPFields = [:]
    for field in fields {
      let name = String(decoding: field.name, as: UTF8.self)
      if name.hasPrefix(":") {
        pseudo[name] = String(decoding: field.value, as: UTF8.self)
      } else {
        rest.append(HTTPField(name: HTTPField.Name(name), bytes: field.value))
      }
    }
    guard let method = pseudo[":method"], let path = pseudo[":path"] else { return nil }
    let host = pseudo[":authority"].map { [HTTPField(name: .host, value: $0)] } ?? []
    self.init(
      connection: connection, ordinal: ordinal, method: .init(method), target: path,
      headerFields: HTTPFields(host + rest))
  }
}
