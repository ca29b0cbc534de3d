import Testing
import TransportPort

@Suite struct HTTPDataTaskTests {
  @Test func `a task sends nothing until it runs`() async throws {
    let fake = FakeTransport { _ in
      [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n")]
    }
    let task = HTTPDataTask(request: HTTPRequest(url: "http://h/"), transport: fake)
    #expect(task.request.url == "http://h/")
    #expect(fake.requests.isEmpty)
    let response = try await task.run()
    #expect(response.text == "hi")
    #expect(response.trailers == ["X": "y"])
    #expect(fake.requests.count == 1)
  }

  @Test func `a task throws the error of its transport`() async throws {
    let fake = FakeTransport { _ in [.reset] }
    let error = try await #require(throws: TransportError.self) {
      try await HTTPDataTask(request: HTTPRequest(url: "http://h/"), transport: fake).run()
    }
    #expect(error.kind == .connectionReset)
  }

  @Test func `cancelling the caller cancels the task`() async throws {
    let received = AsyncStream.makeStream(of: Void.self)
    let fake = FakeTransport { _ in
      received.continuation.finish()
      return [.stall]
    }
    let running = Task {
      try await HTTPDataTask(request: HTTPRequest(url: "http://h/"), transport: fake).run()
    }
    for await _ in received.stream {}
    running.cancel()
    let result = await running.result
    #expect(throws: TransportError.self) { try result.get() }
    #expect(fake.connectionCount == 0)
  }
}
