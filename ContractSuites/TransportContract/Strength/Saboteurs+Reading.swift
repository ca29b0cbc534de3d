import ContractTesting
import Testing
import TransportPort

extension HTTPResponseBody {
  /// The same content, which has no end but repeats its last error or waits.
  fileprivate func changingErrors(to kind: TransportError.Kind) -> HTTPResponseBody {
    HTTPResponseBody(
      next: { () async throws(TransportError) in
        var iterator = self.makeAsyncIterator()
        do throws(TransportError) {
          return try await iterator.next().map { .bytes($0) } ?? .end(trailers: [:])
        } catch {
          var error = error
          error.kind = kind
          throw error
        }
      }, cancel: { cancel() })
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var reading: [Saboteur<TransportFixture>] {
    flawed(
      "ends-after-error", "reports the end of content in place of an error",
      caughtBy: "read-again", saying: "what follows the content"
    ) { $0.ignoresBodyError = { $0.kind == .truncatedBody } }
    flawed(
      "ends-for-all", "reports a cancelled reader's error as another", caughtBy: "second-reader",
      saying: "the result of the first reader"
    ) { $0.response = { $0.body = $0.body.changingErrors(to: .connectionReset) } }
    flawed(
      "repeats-content", "returns content twice", caughtBy: "body-cancellation",
      saying: "the content"
    ) {
      $0.receivedBytes = {
        $0.replacing("Content-Length: 2\r\n\r\nhi", by: "Content-Length: 1\r\n\r\nh")
      }
    }
    flawed(
      "keeps-observed", "keeps the connection of cancelled content",
      caughtBy: "observed-cancellation", saying: "the connection is closed",
      timeLimit: .seconds(10)
    ) { $0.response = { $0.body = $0.body.withoutCancellation } }
    flawed(
      "loses-observed-trailers", "ignores trailer fields", caughtBy: "observed-trailers",
      saying: "the trailer section"
    ) { $0.receivedBytes = { $0.replacing("X-Sum: 1\r\n", by: "") } }
    flawed(
      "takes-bad-trailers", "ignores a trailer line without a colon", caughtBy: "bad-trailers",
      saying: "got status 200"
    ) { $0.receivedBytes = { $0.replacing("No colon\r\n", by: "") } }
    flawed(
      "takes-any-coding", "ignores transfer codings that it does not know",
      caughtBy: "transfer-coding", saying: "got status 200"
    ) { $0.receivedBytes = { $0.replacing("Transfer-Encoding: gzip\r\n", by: "") } }
    flawed(
      "sends-nothing-again", "sends no content when it was read before", caughtBy: "used-content",
      saying: "expected bodyNotReplayable"
    ) {
      $0.send = { base, request, body, options in
        do {
          return try await base.send(request, body: body, options: options)
        } catch let error as TransportError where error.kind == .bodyNotReplayable {
          return try await base.send(request, body: .none, options: options)
        }
      }
    }
    flawed(
      "hides-upstream", "reports every error of a producer as its own", caughtBy: "piped-content",
      saying: "expected truncatedBody"
    ) {
      $0.error = { error in
        var error = error
        if error.kind == .truncatedBody { error.kind = .bodyProducerFailed }
        return error
      }
    }
    flawed(
      "sends-no-content", "sends no content before a response", caughtBy: "unanswered",
      saying: "the content arrives", timeLimit: .seconds(10)
    ) { $0.request = { _, body, _ in body = .none } }
  }
}
