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

  // MARK: Responses

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

  @Test func `a response without a body returns its connection with the head`() async throws {
    let fake = FakeTransport { _ in .respond(204) }
    let first = try await fake.send(Self.get)
    let second = try await fake.send(Self.get)
    #expect(fake.requests.map(\.head.connection) == [1, 1])
    #expect(try await first.body.collect(upTo: 0) == [])
    #expect(try await second.body.collect(upTo: 0) == [])
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

  @Test func `a plan without scripts answers with 200`() async throws {
    let fake = FakeTransport(OriginPlan(inTurn: []))
    #expect(await Outcome(of: fake, Self.get).status == 200)
  }

  @Test func `trailers are produced once, however often the origin reads`() async {
    let asked = Mutex(0)
    let fake = FakeTransport { _ in [.readBody, .readBody] + .respond() }
    let body = HTTPRequestBody.stream(Chunks(["a"])) {
      asked.withLock { $0 += 1 }
      return ["Sum": "1"]
    }
    #expect(await Outcome(of: fake, Self.post, body: body).status == 200)
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func `by default a mebibyte of a body is recorded`() async {
    let fake = FakeTransport { _ in .respond() }
    let body = HTTPRequestBody.bytes(Array(repeating: 7, count: 1 << 20 + 1))
    _ = await Outcome(of: fake, Self.post, body: body)
    #expect(fake.requests.first?.body.count == 1 << 20)
  }

  @Test(.timeLimit(.minutes(1)))
  func `nothing sent repeatedly is nothing sent`() async {
    let fake = FakeTransport { _ in [.sendRepeatedly([], count: nil)] + .respond() }
    #expect(await Outcome(of: fake, Self.get).status == 200)
  }

  @Test func `GOAWAY has no effect over HTTP/1.1`() async {
    let fake = FakeTransport { _ in [.goAway(isProcessed: true)] + .respond() }
    for _ in 1...2 { #expect(await Outcome(of: fake, Self.get).status == 200) }
    #expect(fake.requests.map(\.head.connection) == [1, 1])
  }

  @Test func `the side that ends a connection is recorded`() async throws {
    let head = "HTTP/1.1 200 OK\r\n"
    for (script, side) in [
      ([.readBody, .send("\(head)\r\nhi"), .close], .origin),
      // The client has content left to send, so it can't keep the connection.
      ([.send("\(head)Content-Length: 2\r\n\r\nhi")], .client),
    ] as [(OriginScript, OriginEvent.Side)] {
      let fake = FakeTransport { _ in script }
      let outcome = await Outcome(of: fake, Self.post, body: .stream(Chunks(["a"])))
      #expect(outcome.body.text == "hi")
      #expect(fake.events.last == .closed(1, by: side))
    }
  }

  @Test(
    arguments: [("", .sending), ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh", .receivingBody)]
      as [(String, TransportError.Phase)])
  func `a reset while the client waits to send content names what it did`(
    sent: String, phase: TransportError.Phase
  ) async {
    let fake = FakeTransport { _ in [.send(sent), .reset] }
    let request = HTTPRequest(
      method: .post, url: "http://h/", headerFields: ["Expect": "100-continue"])
    let outcome = await Outcome(of: fake, request, body: .text("content"))
    #expect(outcome.error?.kind == .connectionReset)
    #expect(outcome.error?.phase == phase)
  }
}
