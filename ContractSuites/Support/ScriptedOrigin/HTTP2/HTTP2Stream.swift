import TransportPort

/// One exchange of a connection that speaks HTTP/2: its script and what is under way of it.
///
/// A script says what it sends in the bytes of HTTP/1.1; they are taken apart and sent as frames.
struct HTTP2Stream {
  /// Something that is to be sent.
  enum Output {
    case fields([HPACKDecoder.Field], endsStream: Bool)
    case data(ArraySlice<UInt8>)
  }

  let id: UInt32
  let head: OriginRequest
  /// The place of the request in the log.
  let index: Int
  var steps: ArraySlice<ScriptStep>
  private var parser: HTTPResponseParser

  /// How much more data the client takes.
  var window: Int
  var output: [Output] = []
  /// Content that came and was not read by the script.
  var unread: ArraySlice<UInt8> = []
  /// Whether the request came to its end.
  var isReceived = false
  var trailers: HTTPFields = [:]
  /// Whether the end of the request was read by the script.
  var isRead = false
  /// Whether the response was sent, or put into the output, as a whole.
  private(set) var isAnswered = false
  /// When a pause is over.
  var waitsUntil: ContinuousClock.Instant?

  init(id: UInt32, head: OriginRequest, index: Int, script: OriginScript, window: Int) {
    self.id = id
    self.head = head
    self.index = index
    self.steps = script.steps[...]
    self.parser = HTTPResponseParser(method: head.method)
    self.window = window
  }

  /// Whether nothing more will happen.
  var isOver: Bool { isAnswered && output.isEmpty && isRead && steps.isEmpty }

  /// Puts what bytes of HTTP/1.1 stand for into the output; what they break off with is lost.
  mutating func answer(_ bytes: [UInt8]) {
    var events: [HTTPResponseParser.Event] = []
    try? parser.consume(bytes, into: &events)
    put(events)
  }

  /// Puts the end of a response that ends with its connection into the output.
  mutating func endAnswer() {
    var events: [HTTPResponseParser.Event] = []
    try? parser.finish(.orderly, into: &events)
    put(events)
  }

  private mutating func put(_ events: [HTTPResponseParser.Event]) {
    for event in events where !isAnswered {
      switch event {
      case .informational(let response), .head(let response):
        let status = HPACKDecoder.Field(
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

  /// The fields of a message without those that only say something of a connection (RFC 9113 §8.2.2).
  private static func fields(_ fields: HTTPFields) -> [HPACKDecoder.Field] {
    fields.filter { !$0.name.isOfConnection }.map {
      HPACKDecoder.Field(name: Array($0.name.canonicalName.utf8), value: $0.bytes)
    }
  }
}

extension OriginLog.Request {
  /// A request whose head came as fields of HTTP/2, shown as a head in text.
  init(http2 head: OriginRequest) {
    let text = "\(head.method) \(head.target) HTTP/2\r\n"
    self.init(head: head, rawHead: Array(text.utf8) + head.headerFields.wireBytes + [0x0D, 0x0A])
  }
}

extension OriginRequest {
  /// A head from the fields of a field block; `nil` where those that it needs are missing.
  init?(_ fields: [HPACKDecoder.Field], connection: Int, ordinal: Int) {
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
