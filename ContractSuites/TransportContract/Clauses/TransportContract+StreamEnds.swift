import ContractTesting
import Testing
import TransportPort

extension TransportClauses {
  /// Clauses about how the streams of HTTP/2 end.
  @ClauseBuilder<TransportFixture>
  static var streamEnds: [Clause<TransportFixture>] {
    Clause(
      "incomplete-stream",
      "content without a length is complete only if the server ends the stream",
      from: "RFC 9113 §8.1", requires: .scriptedServer
    ) { fixture in
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      for pause in [[], [ScriptStep.pause(.milliseconds(20))]] {
        for ending in [
          [ScriptStep.resetStream(0)], [.resetStream(8)], [.goAway(isProcessed: false), .close],
          [.close], [.closeWithoutNotify], [.reset],
        ] {
          // GOAWAY lets the origin forget the stream at its next pause.
          let script = OriginScript([.readBody, .send(head + "4\r\nbody\r\n")] + pause + ending)
          let world = try await fixture.world(
            OriginPlan(version: .http2) { _ in script }, scheme: .https)
          for _ in 1...3 {
            await world.expectFailure(
              .truncatedBody, .connectionReset, .emptyReply, .protocolViolation, of: .post)
          }
        }
      }
    }
    Clause(
      "early-response-reset",
      "an early response is complete although the server then resets the stream",
      from: "RFC 9113 §8.1", requires: .scriptedServer
    ) { fixture in
      for isStreamed in [false, true] {
        for fields in [
          "Content-Length: 5\r\n\r\nlarge",
          "Transfer-Encoding: chunked\r\n\r\n5\r\nlarge\r\n0\r\n\r\n",
        ] {
          let answer = ScriptStep.send("HTTP/1.1 413 Too Large\r\nX-Limit: 1\r\n" + fields)
          for read in [0, 1, 65_536] {
            let plan = OriginPlan(version: .http2) { request in
              request.method == .post
                ? [.readBodyBytes(read), answer, .resetStream(0)] : .respond(text: "hi")
            }
            let world = try await fixture.world(plan, scheme: .https)
            for _ in 1...2 {
              let stalled = Chunks { index in
                if index > 0 { try await waitForCancellation() }
                return [UInt8](repeating: 1, count: 65_536)
              }
              let body =
                isStreamed
                ? HTTPRequestBody.stream(stalled) : .bytes([UInt8](repeating: 1, count: 1 << 20))
              let early = try await world.answer(.post, body: body)
              checkEqual(early.status, 413, "the status")
              checkEqual(early.fields["X-Limit"], "1", "X-Limit")
              checkEqual(early.text, "large", "the content")
              checkEqual(try await world.answer().text, "hi", "the next content")
            }
          }
        }
      }
    }
    Clause(
      "early-responses-at-once",
      "early responses to requests that share a connection are complete, also if their content was taken",
      from: "RFC 9113 §8.1", requires: .scriptedServer
    ) { fixture in
      let head = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
      let content = ScriptStep.send("posted")
      let pause = ScriptStep.pause(.milliseconds(2))
      for steps in [
        [head, pause, content, .resetStream(0)], [pause, head, content, .resetStream(0)],
        // The second reset answers content that arrives after the first, as Go's server does.
        [head, content, .resetStream(0), .resetStream(5)],
      ] {
        let plan = OriginPlan(version: .http2) { _ in OriginScript([.readBodyBytes(0)] + steps) }
        let world = try await fixture.world(plan, scheme: .https)
        let answers = (0..<20).map { index in
          Task {
            var texts: Set<String> = []
            for _ in 1...4 {
              // More than the window of a stream, and less than that and a buffer of libcurl.
              let half = [UInt8](repeating: 1, count: 50_000)
              let body =
                index % 2 == 0
                ? HTTPRequestBody.bytes(half + half) : .stream(Chunks { $0 < 2 ? half : nil })
              texts.insert(try await world.answer(.post, body: body).text)
            }
            return texts
          }
        }
        for answer in answers { checkEqual(try await answer.value, ["posted"], "the contents") }
      }
    }
    Clause(
      "trailers-at-end",
      "trailer fields are available although the stream or the connection ends with them",
      from: "RFC 9113 §8.1", requires: .scriptedServer
    ) { fixture in
      for content in ["5\r\nhello\r\n", ""] {
        for end in [ScriptStep.goAway(isProcessed: true), .resetStream(0), .close] {
          let response = OriginScript.raw(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "\(content)0\r\nX-End: yes\r\n\r\n")
          let plan = OriginPlan(version: .http2) { _ in response + [end] }
          let answer = try await fixture.world(plan, scheme: .https).answer()
          checkEqual(answer.content.count, content.isEmpty ? 0 : 5, "the number of bytes")
          checkEqual(answer.exchange.body.trailerFields?["X-End"], "yes", "X-End with \(end)")
        }
      }
    }
    Clause(
      "refused-streams",
      "requests beyond the number of streams that the server allows are sent again, once each",
      from: "RFC 9113 §8.7", requires: .scriptedServer
    ) { fixture in
      for limit in [1, 4] {
        let plan = OriginPlan(version: .http2, maximumStreams: limit) { request in
          [.readBody, .pause(.milliseconds(2))] + .respond(text: request.target)
        }
        for method in [HTTPRequest.Method.post, .get] {
          let world = try await fixture.world(plan, scheme: .https)
          let body = method == .post ? HTTPRequestBody.text("pay") : .none
          let answers = (1...40).map { index in
            Task { try await world.answer(method, "/\(index)", body: body).text }
          }
          for (index, answer) in answers.enumerated() {
            checkEqual(try await answer.value, "/\(index + 1)", "the content")
          }
          checkEqual(
            Set(world.log.requests.map(\.head.target)).count, 40, "the number of processed targets")
          checkEqual(world.log.requests.count, 40, "the number of processed requests")
        }
      }
    }
    Clause(
      "announced-streams",
      "no more requests are open at once than the server announces, also at the start of a connection",
      from: "RFC 9113 §5.1.2, this project", requires: .scriptedServer
    ) { fixture in
      for limit in [1, 4] {
        let plan = OriginPlan(
          version: .http2, maximumStreams: limit, announcesMaximumStreams: true
        ) { request in
          [.readBody, .pause(.milliseconds(2))] + .respond(text: request.target)
        }
        let world = try await fixture.world(plan, scheme: .https)
        let answers = (1...40).map { index in
          Task {
            // A streamed body can't be sent again.
            try await world.answer(.post, "/\(index)", body: .stream(Chunks("pa", "y"))).text
          }
        }
        for (index, answer) in answers.enumerated() {
          checkEqual(try await answer.value, "/\(index + 1)", "the content")
        }
        checkEqual(world.log.requests.count, 40, "the number of processed requests")
      }
    }
    Clause(
      "dead-connection",
      "an idempotent request whose kept connection ends without a response is safe to send again",
      from: "RFC 9110 §9.2.2, RFC 9113 §9.1", requires: .scriptedServer
    ) { fixture in
      for ending in [ScriptStep.close, .closeWithoutNotify, .reset] {
        for pause in [[], [ScriptStep.pause(.milliseconds(5))]] {
          let plan = OriginPlan(version: .http2) {
            $0.ordinal == 1
              ? .respond(text: "\($0.connection)") : OriginScript([.readBody] + pause + [ending])
          }
          let world = try await fixture.world(plan, scheme: .https)
            .through { $0.retryingWhenSafe() }
          for connection in 1...8 {
            checkEqual(try await world.answer().text, "\(connection)", "the connection")
          }
        }
      }
    }
    Clause(
      "dead-while-idle", "a request is not sent on a connection that ended while it was idle",
      from: "RFC 9113 §9.1, RFC 9110 §9.2.2", requires: .scriptedServer
    ) { fixture in
      for ending in [
        [ScriptStep.close], [.closeWithoutNotify], [.reset], [.goAway(isProcessed: true), .close],
        [.goAway(isProcessed: true), .reset],
      ] {
        let world = try await fixture.world(
          OriginPlan(version: .http2) {
            .respond(text: "\($0.connection)")
              + OriginScript([.beforeEnd(ending.last ?? .close)] + ending)
          }, scheme: .https)
        for connection in 1...6 {
          let answer = try await world.answer(.post, body: .text("pay"))
          checkEqual(answer.text, "\(connection)", "the connection")
          try await world.expect("the connection has ended") {
            $0.ended == connection
          }
          for _ in 1...3 { try await fixture.passTime() }
        }
        checkEqual(world.log.requests.count, 6, "the number of requests")
      }
    }
  }
}
