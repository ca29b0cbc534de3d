import ContractTesting
import Testing
import TransportPort

extension TransportClauses {
  /// Clauses about state that one exchange must not leave for the next.
  @ClauseBuilder<TransportFixture>
  static var sequences: [Clause<TransportFixture>] {
    Clause(
      "similar-heads", "each response has its own head, however similar to the previous one",
      from: "RFC 9112 §2.2"
    ) { fixture in
      let names: [HTTPField.Name] = ["A", "B", "C", "D", "E"]
      let known = ["200", "A: 1", "B: 2", "C: 3"]
      for other in [
        ["201", "A: 1", "B: 2", "C: 3"], ["200", "A: 0", "B: 2", "C: 3"],
        ["200", "A: 1", "B: 0", "C: 3"], ["200", "A: 1", "B: 2", "C: 0"],
        ["200", "D: 1", "B: 2", "C: 3"], ["200", "A: 1", "B: 2", "C: 3", "D: 4"],
        ["200", "D: 4", "A: 1", "B: 2", "C: 3"], ["200", "A: 1", "D: 4", "E: 5", "B: 2", "C: 3"],
        ["200", "A: 1", "B: 2"], ["200", "A: 1"], ["200", "A: 1", "B: 22", "C: 3"], ["200"],
      ] {
        let heads = [known, known, other, other, known, other]
        let world = try await fixture.world(
          OriginPlan(
            inTurn: heads.map { lines in
              let text = ["\(lines[0]) OK"] + lines.dropFirst() + ["Content-Length: 0\r\n\r\n"]
              return .raw("HTTP/1.1 " + text.joined(separator: "\r\n"))
            }))
        for head in heads {
          let answer = try await world.answer()
          let fields = names.compactMap { name in answer.fields[name].map { "\(name): \($0)" } }
          checkEqual(
            ["\(answer.status)"] + fields, [head[0]] + head.dropFirst().sorted(),
            "the head after a similar one")
        }
      }
      let good = OriginScript.raw("HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 0\r\n\r\n")
      let bad = OriginScript.raw("HTTP/1.1 200 OK\r\nA: 1\r\nB : 2\r\n\r\n") + [.close]
      let world = try await fixture.world(good, bad, bad, good)
      try await world.answer()
      for _ in 1...2 { await world.expectFailure(.malformedHead) }
      checkEqual(try await world.answer().fields["A"], "1", "A after two invalid heads")
    }
    Clause(
      "similar-methods", "responses with the same head to GET and HEAD have their own content",
      from: "RFC 9110 §9.3.2"
    ) { fixture in
      let head = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
      let world = try await fixture.world(
        OriginPlan { $0.method == .head ? [head] : [head, .send("hello")] })
      for method in [HTTPRequest.Method.get, .head, .head, .get, .get] {
        let answer = try await world.answer(method)
        checkEqual(answer.text, method == .head ? "" : "hello", "the content of \(method)")
      }
      checkEqual(world.log.requests.count, 5, "the number of requests")
    }
    Clause(
      "failed-reconnection",
      "a request on a kept connection that ends counts as sent, although a new one fails",
      from: "RFC 9110 §9.2.2, this project", requires: .proxy, .connections
    ) { fixture in
      for method in [HTTPRequest.Method.put, .post] {
        let far = try fixture.peer(
          OriginPlan { $0.ordinal == 1 ? .respond(text: "hi") : [.readBody, .close] },
          scheme: .https)
        // The proxy opens one tunnel and does not answer the request for another.
        let tunnels = Counter()
        let proxy = try fixture.peer(
          OriginPlan { _ in [.stall] }, tunnels: { _ in tunnels.increment() == 1 })
        let world = try await fixture.world([far, proxy]) { $0.proxy = proxy.url }
        checkEqual(try await world.answer().text, "hi", "the first content")
        var options = TransportOptions()
        options.connectTimeout = .milliseconds(100)
        let error = await world.expectFailure(
          .emptyReply, .connectionReset, of: method, body: .text("pay"), options: options)
        checkEqual(error?.phase, .awaitingHead, "the phase of \(method)")
        checkEqual(error?.isRetrySafe, method.isIdempotent, "whether a retry of \(method) is safe")
        checkEqual(far.log.requests.count, 2, "the number of requests")
      }
    }
  }
}
