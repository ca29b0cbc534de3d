import StubLedger

extension OriginScript {
  /// Notes the response in the ledger of stubs, if one is kept.
  ///
  /// A script without a well-formed response, such as a reset, is a fault and no answer.
  // not mutated: the ledger is no behaviour of the port
  func note(for exchange: FakeExchange) {
    guard let ledger = StubLedger.current, exchange.wire.method != .connect else { return }
    let sent = steps.flatMap { step -> [UInt8] in
      if case .send(let bytes) = step { bytes } else { [] }
    }
    var parser = HTTPResponseParser(
      method: exchange.wire.method, limits: exchange.options.headLimits)
    var events: [HTTPResponseParser.Event] = []
    // What a malformed response says before its fault is noted.
    try? parser.consume(sent, into: &events)
    var response: HTTPResponse?
    var body: [UInt8] = []
    for event in events {
      switch event {
      case .head(let head): response = head
      case .body(let bytes): body += bytes
      case .informational, .end: break
      }
    }
    guard let response else { return }
    let type = response.headerFields[.contentType]?.prefix { $0 != ";" } ?? ""
    let mediaType = type.filter { !$0.isWhitespace }.lowercased()
    ledger.note(
      CannedAnswer(
        port: "http", request: "\(exchange.wire.method) \(exchange.wire.url)",
        answer: mediaType.isEmpty
          ? "\(response.status.code)" : "\(response.status.code) \(mediaType)",
        content: String(validating: body, as: UTF8.self)),
      from: place ?? exchange.transport.place)
  }
}
