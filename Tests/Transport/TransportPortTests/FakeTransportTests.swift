import ManualClocks
import SystemLocks
import Testing
import TransportPort

@Suite struct FakeTransportTests {
  private static let get = HTTPRequest(url: "http://h/")
  private static let post = HTTPRequest(method: .post, url: "http://h/")

  /// An event that is signalled once and can be awaited.
  final class Signal: Sendable {
    private let pipe = AsyncStream.makeStream(of: Void.self)
    func signal() { pipe.continuation.finish() }
    func wait() async { for await _ in pipe.stream {} }
  }

  // MARK: Requests

  @Test func `an invalid request reaches no origin`() async throws {
    let fake = FakeTransport { _ in .respond() }
    for url in ["file:///etc/passwd", "http://", "http://h/ x"] {
      let outcome = await Outcome(of: fake, HTTPRequest(url: url))
      #expect(outcome.error?.phase == .preparing)
      #expect(outcome.error?.bytesSent == false)
    }
    #expect(fake.events.isEmpty)
  }

  @Test func `head, body and trailers are recorded as sent`() async throws {
    let fake = FakeTransport { _ in .respond() }
    let request = HTTPRequest(
      method: "PURGE", url: "http://u@h:81/a?b#c", headerFields: ["X": "1", "x": "2"])
    let outcome = await Outcome(
      of: fake, request, body: .stream(Chunks(["ab", "c"]), trailers: { ["Sum": "3"] }))
    #expect(outcome.status == 200)
    let recorded = try #require(fake.requests.first)
    #expect(recorded.head.method == "PURGE")
    #expect(recorded.head.target == "/a?b")
    #expect(
      recorded.head.headerFields == [
        "Host": "h:81", "X": "1", "x": "2", "Transfer-Encoding": "chunked",
      ])
    #expect(recorded.body.text == "abc")
    #expect(recorded.bodyCount == 3)
    #expect(recorded.trailers == ["Sum": "3"])
    #expect(recorded.isComplete)
  }

  @Test func `a body is recorded up to the limit and counted completely`() async throws {
    let fake = FakeTransport(
      OriginPlan(onRequest: { _ in .respond() }), recordedBodyLimit: 5)
    _ = await Outcome(of: fake, Self.post, body: .bytes(Array(repeating: 7, count: 1000)))
    #expect(fake.requests.first?.body.count == 5)
    #expect(fake.requests.first?.bodyCount == 1000)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a flood without events ends when its exchange is cancelled`() async throws {
    weak var transport: FakeTransport?
    do {
      let asked = Signal()
      let fake = FakeTransport { _ in
        asked.signal()
        return [.send("HTTP/1.1 200 OK\r\n"), .sendRepeatedly(Array("A: b\r\n".utf8), count: nil)]
      }
      transport = fake
      var options = TransportOptions()
      options.headLimits = HTTPHeadLimits(bytes: .max, fields: .max)
      let task = Task { [options] in
        try await fake.send(Self.get, body: .none, options: options)
      }
      await asked.wait()
      task.cancel()
      await #expect(throws: TransportError.self) { try await task.value }
    }
    // A running flood would retain its transport.
    while transport != nil { await Task.yield() }
  }

  @Test func `the body is pulled as fast as the origin reads`() async throws {
    let sent = Mutex(0)
    let body = HTTPRequestBody.stream(Chunks(["aa", "bb", "cc"]))
      .reportingProgress { count in sent.withLock { $0 = count } }
    let fake = FakeTransport { _ in
      [.readBodyBytes(3), .send("HTTP/1.1 200 OK\r\n\r\n"), .readBody, .close]
    }
    let exchange = try await fake.send(Self.post, body: body)
    #expect(sent.withLock { $0 } == 4)
    #expect(fake.requests.first?.bodyCount == 3)
    #expect(try await exchange.body.collect(upTo: 9) == [])
    #expect(sent.withLock { $0 } == 6)
    #expect(fake.requests.first?.body.text == "aabbcc")
  }

  @Test func `an echo alternates with the upload`() async throws {
    let fake = FakeTransport { _ in
      [
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .echoBody,
        .send("0\r\n\r\n"),
      ]
    }
    let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
    let exchange = try await fake.send(Self.post, body: .stream(stream))
    var iterator = exchange.body.makeAsyncIterator()
    for piece: [UInt8] in [[1], [2, 3]] {
      pieces.yield(piece)
      #expect(try await iterator.next() == piece)
    }
    pieces.finish()
    #expect(try await iterator.next() == nil)
  }

  @Test func `an error of the producer fails the request and closes the connection`() async throws {
    let fake = FakeTransport { _ in .respond() }
    let outcome = await Outcome(of: fake, Self.post, body: .stream(Chunks(["a"], fails: true)))
    #expect(outcome.error?.kind == .bodyProducerFailed)
    #expect(fake.events.last == .closed(1, by: .client))
  }

  @Test func `a body of the wrong length fails the request`() async throws {
    let fake = FakeTransport { _ in .respond() }
    let outcome = await Outcome(of: fake, Self.post, body: .stream(Chunks(["a"]), length: 2))
    #expect(outcome.error?.kind == .bodyLengthMismatch)
    #expect(fake.connectionCount == 0)
  }

  @Test func `a final response during the upload ends the upload and the connection`() async throws
  {
    let fake = FakeTransport { _ in
      [.readBodyBytes(1), .send("HTTP/1.1 413 \r\nContent-Length: 0\r\n\r\n")]
    }
    let (endless, pieces) = AsyncStream.makeStream(of: [UInt8].self)
    pieces.yield([1, 2, 3])
    let outcome = await Outcome(of: fake, Self.post, body: .stream(endless))
    #expect(outcome.status == 413)
    #expect(fake.connectionCount == 0)
    #expect(fake.requests.first?.isComplete == false)
  }

  @Test func `a body waits for 100 (Continue) until the timeout`() async throws {
    var request = Self.post
    request.headerFields[.expect] = "100-continue"
    let clock = ManualClock()
    let answering = FakeTransport(clock: clock) { _ in
      [.send("HTTP/1.1 100 Continue\r\n\r\n")] + .respond()
    }
    let exchange = try await answering.send(request, body: .text("body"))
    #expect(exchange.informationalResponses.map(\.status.code) == [100])
    #expect(answering.requests.first?.body.text == "body")

    let silent = FakeTransport(clock: clock) { _ in .respond() }
    let final = request
    let sending = Task { await Outcome(of: silent, final, body: .text("body")) }
    await clock.waitForSleepers()
    #expect(silent.requests.first?.bodyCount == 0)
    clock.advance(by: .seconds(1))
    #expect(await sending.value.status == 200)
    #expect(silent.requests.first?.body.text == "body")

    let refusing = FakeTransport(clock: clock) { _ in
      [.send("HTTP/1.1 417 \r\nContent-Length: 0\r\n\r\n")]
    }
    #expect(await Outcome(of: refusing, final, body: .text("body")).status == 417)
    #expect(refusing.requests.first?.bodyCount == 0)
    #expect(refusing.connectionCount == 0)
  }

  // MARK: Responses

  @Test func `the response does not depend on the split of the bytes`() async throws {
    let script = OriginScript.raw(
      "HTTP/1.1 103 \r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3\r\nabc\r\n0\r\nX: y\r\n\r\n")
    for size in [1, 2, 7, 1000] {
      let fake = FakeTransport { _ in script.split(into: size) }
      let exchange = try await fake.send(Self.get)
      #expect(exchange.informationalResponses.map(\.status.code) == [103])
      #expect(try await exchange.body.collect(upTo: 9).text == "abc")
      #expect(exchange.body.trailerFields == ["X": "y"])
      #expect(fake.connectionCount == 1)
    }
  }

  static let faults: [(OriginScript, TransportError.Kind, String)] = [
    ([.close] as OriginScript, TransportError.Kind.emptyReply, ""),
    ([.reset], .connectionReset, ""),
    ([.send("HTTP/1.1 2"), .close], .emptyReply, ""),
    ([.send("HTTP/1.1 200 OK\r\nA"), .close], .truncatedHead, ""),
    ([.send("Http/1.1 200 OK\r\n\r\n")], .malformedHead, ""),
    ([.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close], .truncatedBody, "half"),
    (
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .reset], .connectionReset, "half"
    ),
    ([.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhix")], .badChunk, "hi"),
    ([.sendRepeatedly(Array("HTTP/1.1 100 \r\n\r\n".utf8), count: nil)], .tooManyInformational, ""),
    (
      [.send("HTTP/1.1 200 \r\n"), .sendRepeatedly(Array("A: b\r\n".utf8), count: nil)],
      .headTooLarge, ""
    ),
  ]

  @Test(arguments: faults)
  func `a failure follows the delivered content and closes the connection`(
    script: OriginScript, kind: TransportError.Kind, delivered: String
  ) async throws {
    let fake = FakeTransport { _ in script }
    let outcome = await Outcome(of: fake, Self.get)
    #expect(outcome.error?.kind == kind)
    #expect(outcome.body.text == delivered)
    #expect(outcome.error?.bytesSent == true)
    #expect(fake.connectionCount == 0)
    let byOrigin = script.steps.contains(.close) || script.steps.contains(.reset)
    #expect(fake.events.last == .closed(1, by: byOrigin ? .origin : .client))
  }

  @Test func `an end without close_notify is an error only with TLS`() async throws {
    let fake = FakeTransport { _ in [.send("HTTP/1.1 200 OK\r\n\r\nhi"), .closeWithoutNotify] }
    #expect(await Outcome(of: fake, Self.get).error == nil)
    let outcome = await Outcome(of: fake, HTTPRequest(url: "https://h/"))
    #expect(outcome.error?.kind == .truncatedBody)
  }

  @Test func `the options limit the head`() async throws {
    let fake = FakeTransport { _ in .respond(headerFields: ["A": "1", "B": "2"]) }
    var options = TransportOptions()
    options.headLimits.fields = 3
    #expect(await Outcome(of: fake, Self.get, options: options).status == 200)
    options.headLimits.fields = 2
    #expect(await Outcome(of: fake, Self.get, options: options).error?.kind == .headTooLarge)
  }

  @Test func `a flood is received as fast as it is read`() async throws {
    let fake = FakeTransport { _ in
      [
        .send("HTTP/1.1 200 OK\r\n\r\n"),
        .sendRepeatedly(Array(repeating: 7, count: 1000), count: nil),
      ]
    }
    let body = try await fake.send(Self.get).body
    let error = try await #require(throws: TransportError.self) {
      try await body.collect(upTo: 100_500)
    }
    #expect(error.kind == .responseTooLarge(limit: 100_500))
    #expect(fake.events.last == .closed(1, by: .client))
  }

  @Test func `pauses run on the clock`() async throws {
    let clock = ManualClock()
    let fake = FakeTransport(clock: clock) { _ in [.pause(.seconds(3))] + .respond() }
    let sending = Task { await Outcome(of: fake, Self.get) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await sending.value.status == 200)
  }

  // MARK: Connections

  @Test func `connections are reused`() async throws {
    let fake = FakeTransport { _ in .respond(text: "x") }
    for _ in 0..<3 { _ = await Outcome(of: fake, Self.get) }
    _ = await Outcome(of: fake, HTTPRequest(url: "http://other/"))
    #expect(fake.requests.map(\.head.connection) == [1, 1, 1, 2])
    #expect(fake.requests.map(\.head.ordinal) == [1, 2, 3, 1])
    #expect(fake.connectionCount == 2)
  }

  static let closing: [OriginScript] = [
    .respond(headerFields: ["Connection": "close"]),
    .raw("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
    .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nsurplus"), .respond() + [.close],
    OriginScript.respond() + [.pause(.seconds(9)), .reset], .respond() + [.send("late")],
    .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
  ]

  @Test(arguments: closing)
  func `a connection that cannot be reused is closed`(script: OriginScript) async throws {
    let fake = FakeTransport { _ in script }
    for _ in 0..<2 { #expect(await Outcome(of: fake, Self.get).status == 200) }
    #expect(fake.requests.map(\.head.connection) == [1, 2])
    #expect(fake.connectionCount == 0)
  }

  @Test func `Connection close and reusesConnections are honored`() async throws {
    let fake = FakeTransport { _ in .respond() }
    _ = await Outcome(
      of: fake, HTTPRequest(url: "http://h/", headerFields: ["Connection": "close"]))
    _ = await Outcome(of: fake, Self.get)
    var options = TransportOptions()
    options.reusesConnections = false
    _ = await Outcome(of: fake, Self.get, options: options)
    #expect(fake.requests.map(\.head.connection) == [1, 2, 3])
  }

  @Test func `releasing a response closes its connection`() async throws {
    let fake = FakeTransport { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .stall]
    }
    do {
      let exchange = try await fake.send(Self.get)
      #expect(exchange.response.status.code == 200)
      #expect(fake.connectionCount == 1)
    }
    #expect(fake.events.last == .closed(1, by: .client))
    #expect(fake.connectionCount == 0)
  }

  @Test func `a response without a body returns its connection with the head`() async throws {
    let fake = FakeTransport { _ in .respond(204) }
    let first = try await fake.send(Self.get)
    let second = try await fake.send(Self.get)
    #expect(fake.requests.map(\.head.connection) == [1, 1])
    #expect(try await first.body.collect(upTo: 0) == [])
    #expect(try await second.body.collect(upTo: 0) == [])
  }

  @Test func `requests beyond the limits wait`() async throws {
    let (total, most) = await withTaskGroup { group in
      let fake = FakeTransport(
        OriginPlan(onRequest: { _ in .respond(text: "x") }),
        limits: ConnectionLimits(perOrigin: 4, total: 6))
      for number in 0..<200 {
        group.addTask {
          let request = HTTPRequest(url: "http://h\(number % 3)/")
          guard let exchange = try? await fake.send(request) else { return (0, 0) }
          await Task.yield()
          let open = fake.connectionCount
          return ((try? await exchange.body.collect(upTo: 1).count) ?? 0, open)
        }
      }
      return await group.reduce((0, 0)) { ($0.0 + $1.0, max($0.1, $1.1)) }
    }
    #expect(total == 200)
    #expect(most <= 6)
  }

  @Test func `connection failures have their kind, and nothing was sent`() async throws {
    let plans: [(OriginPlan.Reachability, TransportError.Kind)] = [
      (.unresolvable, .nameNotResolved), (.refusing, .connectionRefused),
    ]
    for (reachability, kind) in plans {
      let fake = FakeTransport(
        OriginPlan(reachability: reachability, onRequest: { _ in .respond() }))
      let error = await Outcome(of: fake, Self.post).error
      #expect(error?.kind == kind)
      #expect(error?.bytesSent == false)
      #expect(fake.events.isEmpty)
      #expect(fake.connectionCount == 0)
    }
  }

  @Test func `each rejected certificate has its own error`() async throws {
    let kinds: [OriginPlan.Identity: TransportError.TLSFailure] = [
      .expired: .certificateExpired, .wrongHost: .wrongHost, .selfSigned: .selfSigned,
      .unknownAuthority: .unknownAuthority, .obsoleteProtocol: .protocolVersion,
      .notYetValid: .certificateExpired, .demandsCertificate: .certificateRequired,
    ]
    for identity in OriginPlan.Identity.allCases {
      let fake = FakeTransport(OriginPlan(identity: identity, onRequest: { _ in .respond() }))
      let error = await Outcome(of: fake, HTTPRequest(url: "https://h/")).error
      #expect(error?.kind == kinds[identity].map { .tls($0) })
      #expect(error == nil || error?.phase == .securing)
      #expect(await Outcome(of: fake, Self.get).status == 200)
    }
  }

  @Test func `a connection can fail before its first request`() async throws {
    for (steps, kind) in [([.close], .emptyReply), ([.reset], .connectionReset)]
      as [(OriginScript, TransportError.Kind)]
    {
      let fake = FakeTransport(
        OriginPlan(
          onConnect: { $0 == 1 ? steps : [.pause(.zero)] }, onRequest: { _ in .respond() }))
      #expect(await Outcome(of: fake, Self.get).error?.kind == kind)
      #expect(fake.requests.isEmpty)
      #expect(await Outcome(of: fake, Self.get).status == 200)
    }
  }

  // MARK: Cancellation and shutdown

  @Test func `a task that is already cancelled does no input or output`() async throws {
    let fake = FakeTransport { _ in .respond() }
    let sending = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await Outcome(of: fake, Self.get)
    }
    let error = await sending.value.error
    #expect(error?.kind == .cancelled)
    #expect(error?.phase == .preparing)
    #expect(error?.bytesSent == false)
    #expect(fake.events.isEmpty)
  }

  @Test(arguments: [
    [.stall] as OriginScript, [.pause(.seconds(1000))], [],
    [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .stall],
    [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .pause(.seconds(1000))],
  ])
  func `cancellation ends a request in each phase`(script: OriginScript) async throws {
    let received = Signal()
    let fake = FakeTransport { _ in
      received.signal()
      return script
    }
    let sending = Task { await Outcome(of: fake, Self.get) }
    await received.wait()
    sending.cancel()
    #expect(await sending.value.error?.kind == .cancelled)
    #expect(fake.events.last == .closed(1, by: .client))
    #expect(fake.connectionCount == 0)
  }

  @Test func `cancellation ends a request whose producer ignores it`() async throws {
    let asked = Signal()
    let end = Signal()
    let uncancellable = AsyncStream<[UInt8]> {
      asked.signal()
      await Task.detached { await end.wait() }.value
      return nil
    }
    let fake = FakeTransport { _ in .respond() }
    let sending = Task { await Outcome(of: fake, Self.post, body: .stream(uncancellable)) }
    await asked.wait()
    sending.cancel()
    #expect(await sending.value.error?.kind == .cancelled)
    end.signal()
  }

  @Test func `a waiting request can be cancelled`() async throws {
    let received = Signal()
    let fake = FakeTransport(
      OriginPlan(onRequest: { request in
        received.signal()
        return request.connection == 1 ? [.stall] : .respond()
      }), limits: ConnectionLimits(perOrigin: 1))
    let first = Task { await Outcome(of: fake, Self.get) }
    await received.wait()
    let second = Task { await Outcome(of: fake, Self.get) }
    let third = Task { await Outcome(of: fake, Self.get) }
    second.cancel()
    #expect(await second.value.error?.kind == .cancelled)
    first.cancel()
    #expect(await first.value.error?.kind == .cancelled)
    #expect(await third.value.status == 200)
  }

  @Test func `shutdown ends all requests and rejects new ones`() async throws {
    let received = Signal()
    let fake = FakeTransport(
      OriginPlan(onRequest: { _ in
        received.signal()
        return [.stall]
      }), limits: ConnectionLimits(perOrigin: 1))
    let running = Task { await Outcome(of: fake, Self.get) }
    await received.wait()
    let queued = Task { await Outcome(of: fake, Self.get) }
    fake.shutDown()
    #expect(await running.value.error?.kind == .shutDown)
    #expect(await queued.value.error?.kind == .shutDown)
    let late = await Outcome(of: fake, Self.get).error
    #expect(late?.kind == .shutDown)
    #expect(late?.bytesSent == false)
    #expect(fake.connectionCount == 0)
  }

  @Test func `1,000 cancelled requests leak no connection`() async throws {
    let fake = FakeTransport(
      OriginPlan(onRequest: { $0.target.hasSuffix("0") ? [.stall] : .respond(text: "x") }),
      limits: ConnectionLimits(perOrigin: 8))
    await withTaskGroup { group in
      for number in 0..<1000 {
        let task = Task { await Outcome(of: fake, HTTPRequest(url: "http://h/\(number)")) }
        group.addTask {
          for _ in 0..<(number % 7) { await Task.yield() }
          task.cancel()
          let outcome = await task.value
          return outcome.error == nil || outcome.error?.kind == .cancelled
        }
      }
      #expect(await group.allSatisfy(\.self))
    }
    #expect(fake.connectionCount <= 8)
    #expect(await Outcome(of: fake, HTTPRequest(url: "http://h/1")).status == 200)
  }

  @Test func `a plan in turn plays the scripts in order and repeats the last one`()
    async throws
  {
    let client = HTTPClient(
      transport: FakeTransport(OriginPlan(inTurn: [.respond(503), .respond(text: "done")])))
    #expect(try await client.get("http://h/").response.status.code == 503)
    #expect(try await client.get("http://h/").text == "done")
    #expect(try await client.get("http://h/").text == "done")
    let silent = HTTPClient(transport: FakeTransport(OriginPlan(inTurn: [])))
    #expect(try await silent.get("http://h/").response.status.code == 200)
  }

  @Test func `a deadline in virtual time ends a stalled response`() async throws {
    let clock = ManualClock()
    let fake = FakeTransport(clock: clock) { _ in
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        + [.pause(.seconds(60)), .send("defghi")]
    }
    let transport = fake.enforcing(Deadlines(overall: .seconds(5)), clock: clock)
    let task = Task { try await HTTPClient(transport: transport).get("http://h/") }
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: TransportError.self) { try await task.value }
    #expect(error?.kind == .deadlineExceeded)
    #expect(error?.phase == .receivingBody)
  }
}
