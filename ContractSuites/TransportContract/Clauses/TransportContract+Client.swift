import ContractTesting
import Testing
import TransportPort

extension TransportWorld {
  /// Returns a client over the transport.
  fileprivate func client(_ defaultHeaderFields: HTTPFields = [:], bodyLimit: Int = 64)
    -> HTTPClient
  {
    HTTPClient(
      transport: transport, defaultHeaderFields: defaultHeaderFields, bodyLimit: bodyLimit)
  }
}

extension TransportClauses {
  /// Clauses about the calls of `HTTPClient`, over any transport.
  @ClauseBuilder<TransportFixture>
  static var client: [Clause<TransportFixture>] {
    Clause(
      "client-requests", "a client sends GET, POST with its content's type, and any other request",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(
        .respond(404, text: "none"), .respond(404, text: "none"), .respond(410, text: "none"))
      let client = world.client()
      let answers = [
        try await client.get(world.url + "/a?b"),
        try await client.post(.text("one"), to: world.url + "/c", contentType: "text/x-mine"),
        try await client.data(for: world.request(.put, "/d"), body: .text("three")),
      ]
      for answer in answers {
        checkEqual(answer.response.headerFields[.contentLength], "4", "Content-Length")
        checkEqual(answer.text, "none", "the content")
        checkEqual(answer.trailers, [:], "the trailer section")
      }
      checkEqual(
        answers.map(\.response.status.code), [404, 404, 410], "the statuses, which are no errors")
      checkEqual(
        answers.map(\.request.path), ["/a?b", "/c", "/d"], "the paths of the answered requests")
      let seen = world.log.requests
      checkEqual(seen.map(\.head.method), [.get, .post, .put], "the list of methods")
      checkEqual(seen.map(\.head.target), ["/a?b", "/c", "/d"], "the list of targets")
      checkEqual(seen.map(\.bodyCount), [0, 3, 5], "the list of content sizes")
      checkEqual(seen[1].fields[values: .contentType], ["text/x-mine"], "Content-Type of POST")
    }
    Clause(
      "client-defaults", "a client's default fields are sent unless the request has such a field",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let task = world.client(["X-A": "default", "X-B": "default", "X-C": ""])
        .dataTask(with: world.request(.get, "/", ["x-a": "own", "X-D": "own"]))
      checkEqual(world.log.requests.count, 0, "the number of requests before the task runs")
      checkEqual(
        task.request.headerFields, ["x-a": "own", "X-D": "own", "X-B": "default", "X-C": ""],
        "the fields of the task")
      checkEqual(try await task.run().response.status.code, 200, "the status")
      let seen = try #require(world.log.requests.first)
      for (name, value) in [("X-A", "own"), ("X-B", "default"), ("X-C", ""), ("X-D", "own")] {
        checkEqual(seen.fields[values: HTTPField.Name(name)], [value], name)
      }
    }
    Clause(
      "client-limit", "a client returns content up to its limit, which is 16 MiB by default",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world(
        OriginPlan { request in
          guard let count = Int(request.path.dropFirst()) else {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
            return [.send(head + String(repeating: "a", count: 65)), .stall]
          }
          return [
            .readBody, .send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"),
            .sendRepeatedly([UInt8](repeating: 0x61, count: 65_536), count: count / 65_536),
            .send([UInt8](repeating: 0x62, count: count % 65_536)),
          ]
        })
      let unread = try await world.send(.get, "/unread")
      let error = await #expect(throws: TransportError.self) {
        try await unread.body.collect(upTo: 64)
      }
      checkEqual(error?.kind, .responseTooLarge(limit: 64), "the error of a part of the content")
      try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      checkEqual(unread.response.status.code, 200, "the status")
      for (count, limit) in [(64, 64), (65, 64), (1 << 24, 1 << 24), ((1 << 24) + 1, 1 << 24)] {
        let isDefault = limit == 1 << 24
        let client = isDefault ? HTTPClient(transport: world.transport) : world.client()
        let request = world.request(.get, "/\(count)")
        for isBare in isDefault ? [false, true] : [false] {
          let task: HTTPDataTask
          if isBare {
            task = HTTPDataTask(request: request, transport: world.transport)
          } else {
            task = client.dataTask(with: request)
          }
          do throws(TransportError) {
            let content = try await task.run().body
            let size = content.count
            checkEqual(size, count, "the number of bytes")
            checkEqual(content.first, count < 65_536 ? 0x62 : 0x61, "the first byte")
            checkEqual(
              size <= limit, true, "whether \(size) bytes are within the limit of \(limit)")
          } catch {
            checkEqual(error.kind, .responseTooLarge(limit: limit), "the error of \(count) bytes")
            checkEqual(count > limit, true, "whether \(count) bytes exceed the limit of \(limit)")
            checkEqual(error.phase, .receivingBody, "the phase")
            checkEqual(error.bytesSent, true, "whether bytes were sent")
          }
        }
      }
    }
    Clause(
      "client-trailers", "a client returns the trailer fields with the content",
      from: "RFC 9112 §7.1.2"
    ) { fixture in
      let world = try await fixture.world(
        .raw(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n"))
      let answer = try await world.client().get(world.url)
      checkEqual(answer.text, "hi", "the content")
      checkEqual(answer.trailers, ["X-Sum": "1"], "the trailer section")
    }
  }
}
