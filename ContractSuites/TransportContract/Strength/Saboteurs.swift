import ContractTesting
import SystemLocks
import Testing
import TransportDecoding
import TransportPort

/// The mistakes that no mutant of the fake shows: those of clauses that no mutant reaches, and those
/// that only a library with its own redirects, cookies, codings or retries makes.
extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var transport: [Saboteur<TransportFixture>] {
    flawed("patch-as-post", "sends POST instead of PATCH", caughtBy: "methods", saying: "PATCH") {
      $0.request = { request, _, _ in if request.method == .patch { request.method = .post } }
    }
    flawed("upper-case-methods", "converts methods to upper case", caughtBy: "custom-method") {
      $0.request = { request, _, _ in
        request.method = .init(request.method.rawValue.uppercased())
      }
    }
    flawed("drops-empty", "drops fields with an empty value", caughtBy: "empty-value") {
      $0.request = { request, _, _ in request.headerFields.removeAll { $0.bytes.isEmpty } }
    }
    flawed(
      "joins-request-fields", "joins repeated fields with commas", caughtBy: "repeated-fields",
      saying: "2, 1, 2"
    ) {
      $0.request = { request, _, _ in
        for name in Set(request.headerFields.map(\.name)) {
          request.headerFields[name] = request.headerFields[name]
        }
      }
    }
    flawed(
      "own-user-agent", "adds its User-Agent to the caller's", caughtBy: "override-defaults"
    ) {
      $0.request = { request, _, _ in
        request.headerFields.append(HTTPField(name: .userAgent, value: "flawed/1"))
      }
    }
    flawed("short-target", "truncates the target to 8,190 bytes", caughtBy: "long-target") {
      $0.request = { request, _, _ in request.path = request.path.map { String($0.prefix(8190)) } }
    }
    flawed(
      "invents-reason", "invents a reason phrase", caughtBy: "no-reason",
      saying: "the reason phrase"
    ) {
      $0.response = {
        if $0.response.status.reasonPhrase.isEmpty { $0.response.status.reasonPhrase = "'OK'" }
      }
    }
    flawed("status-to-599", "reports statuses above 599 as 599", caughtBy: "status-999") {
      $0.response = { if $0.response.status.code > 599 { $0.response.status.code = 599 } }
    }
    flawed("recodes-latin-1", "converts values to UTF-8", caughtBy: "latin-1") {
      $0.response = {
        $0.response.headerFields = HTTPFields(
          $0.response.headerFields.map { HTTPField(name: $0.name, value: $0.value) })
      }
    }
    flawed("marks-names", "replaces - in field names with _", caughtBy: "name-case") {
      $0.response = {
        $0.response.headerFields = HTTPFields(
          $0.response.headerFields.map { field in
            field.name.rawName == "x-mIXed" ? HTTPField(name: "x_mixed", bytes: field.bytes) : field
          })
      }
    }
    flawed(
      "blames-the-connection", "reports a malformed head as the end of the connection",
      caughtBy: "version-case", saying: "malformedHead"
    ) { $0.changeErrors { if $0.kind == .malformedHead { $0.kind = .emptyReply } } }
    flawed(
      "repeats-head", "returns the fields of the previous head if the status is the same",
      caughtBy: "similar-heads", saying: "the head after a similar one"
    ) {
      let last = Mutex<HTTPResponse?>(nil)
      $0.response = { exchange in
        last.withLock { last in
          if let last, last.status == exchange.response.status { exchange.response = last }
          last = exchange.response
        }
      }
    }
    flawed("length-of-head", "drops Content-Length of HEAD", caughtBy: "head-length") {
      $0.response = {
        if $0.request.method == .head { $0.response.headerFields[.contentLength] = nil }
      }
    }
    for (kind, clause) in [("content", "truncated-length"), ("chunks", "truncated-chunk")] {
      flawed(
        "takes-short-\(kind)", "returns truncated \(kind) as complete", caughtBy: clause,
        saying: "expected truncatedBody, got status 200"
      ) { $0.response = { $0.body = $0.body.withoutFailure } }
    }
    for (clause, status) in [("refusal-content", 401), ("expectation-content", 417)] {
      flawed(
        "drops-\(clause)", "drops the content of \(status)", caughtBy: clause,
        saying: "the content of \(status)"
      ) {
        $0.response = { if $0.response.status.code == status { $0.body = HTTPResponseBody([]) } }
      }
    }
    flawed(
      "reads-ahead", "reads all content before it sends any", caughtBy: "upload-backpressure",
      saying: "while the peer read none"
    ) {
      $0.send = { base, request, body, options in
        let whole = Task { try await body.collected() }
        _ = Task { _ = try? await base.send(request, body: .none, options: options) }
        return try await base.send(request, body: .bytes(try await whole.value), options: options)
      }
    }
    flawed(
      "storm-hang", "ignores cancellation of an endless response", caughtBy: "cancel-storm",
      timeLimit: .seconds(2)
    ) {
      $0.send = { base, request, body, options in
        try await Task.detached { try await base.send(request, body: body, options: options) }.value
      }
    }
    for (id, clause) in [
      ("one-at-a-time", "silent-first"), ("one-at-a-time-tls", "silent-first-tls"),
    ] {
      flawed(
        id, "has only one connection to an origin", caughtBy: clause, saying: "waits for the first"
      ) { $0.setup = { $0.limits.perOrigin = 1 } }
    }
    flawed(
      "follows-unasked", "follows redirects without the policy", caughtBy: "redirect-manual"
    ) {
      $0.send = { try await $0.followingRedirects().send($1, body: $2, options: $3) }
    }
    flawed(
      "decodes-unasked", "decodes content without the policy", caughtBy: "raw-content",
      saying: "the content"
    ) {
      $0.send = { try await $0.decodingContent().send($1, body: $2, options: $3) }
    }
    flawed(
      "own-cookies", "stores and sends cookies without the policy", caughtBy: "cookies",
      saying: "without"
    ) {
      let hasCookies = Counter()
      $0.request = { request, _, _ in
        if hasCookies.value > 0 { request.headerFields[.cookie] = "a=1; b=2" }
      }
      $0.response = { exchange in
        if exchange.response.headerFields.contains(.setCookie) { hasCookies.increment() }
      }
    }
    flawed(
      "replays-post", "sends a POST again after its connection ends", caughtBy: "sent-once",
      saying: "the number of received POSTs is 2"
    ) {
      $0.send = { base, request, body, options in
        do {
          return try await base.send(request, body: body, options: options)
        } catch let error as TransportError where error.kind == .emptyReply {
          var options = options
          options.reusesConnections = false
          return try await base.send(request, body: body, options: options)
        }
      }
    }
    flawed(
      "tries-without-expect", "sends the request again after 417", caughtBy: "expectation-failed"
    ) {
      $0.send = { base, request, body, options in
        let exchange = try await base.send(request, body: body, options: options)
        guard exchange.response.status.code == 417 else { return exchange }
        var again = request
        again.headerFields[.expect] = nil
        return try await base.send(again, body: body, options: options)
      }
    }
    flawed(
      "connects", "connects to the peer", caughtBy: "lacks-connections", saying: "connections")
    flawed(
      "trusts-as-told", "trusts the authorities of its setup", caughtBy: "lacks-custom-authorities")
    flawed(
      "full-duplex", "returns the response while it sends",
      caughtBy: "lacks-bidirectional-streaming", saying: "before the content was complete")
    proxied
  }

  @SaboteurBuilder<TransportFixture> static var files: [Saboteur<TransportFixture>] {
    flawed("mixes-files", "returns the content of another response", caughtBy: "own-file") {
      let count = Counter()
      $0.response = { exchange in
        if count.increment() == 150 { exchange.body = HTTPResponseBody(Array("other".utf8)) }
      }
    }
    flawed(
      "stalls", "never ends the 90th concurrent download", caughtBy: "burst",
      timeLimit: .seconds(2)
    ) {
      let count = Counter()
      $0.response = { exchange in
        guard count.increment() == 90 else { return }
        exchange.body = HTTPResponseBody(
          next: { () async throws(TransportError) in
            try? await waitForCancellation()
            return .end(trailers: [:])
          }, cancel: {})
      }
    }
    flawed(
      "one-download", "uses one connection for one request at a time",
      caughtBy: "unread-download", timeLimit: .milliseconds(500)
    ) { $0.setup = { $0.limits.perOrigin = 1 } }
  }

  @SaboteurBuilder<TransportFixture> static var http2: [Saboteur<TransportFixture>] {
    for clause in ["multiplex", "first-requests", "go-away", "go-away-crowd"] {
      flawed(
        "opens-for-each-\(clause)", "opens a connection for each request", caughtBy: clause,
        timeLimit: .seconds(1)
      ) { $0.request = { _, _, options in options.reusesConnections = false } }
    }
    for clause in ["refused-stream", "go-away-unprocessed"] {
      flawed(
        "gives-up-\(clause)", "reports no error as safe to retry", caughtBy: clause
      ) { $0.changeErrors { $0.isRetrySafe = false } }
    }
    flawed(
      "abandons-waiting", "fails the requests that wait for a connection",
      caughtBy: "go-away-at-once"
    ) {
      let count = Counter()
      $0.send = { base, request, body, options in
        if count.increment() > 1 {
          throw TransportError(.connectionReset, phase: .awaitingHead, bytesSent: true)
        }
        return try await base.send(request, body: body, options: options)
      }
    }
    flawed("does-as-told", "connects to a scripted server", caughtBy: "lacks-scripted-server")
    proxied
  }

  private static let proxied: Self = flawed(
    "proxied", "uses the proxy of its setup", caughtBy: "lacks-proxy")
}

extension TransportFlaws {
  /// Changes each error of `send`.
  fileprivate mutating func changeErrors(
    _ change: @escaping @Sendable (inout TransportError) -> Void
  ) {
    send = { base, request, body, options in
      do {
        return try await base.send(request, body: body, options: options)
      } catch var error as TransportError {
        change(&error)
        throw error
      }
    }
  }
}

extension HTTPRequestBody {
  /// Reads all of the content.
  fileprivate func collected() async throws -> [UInt8] {
    let reader = try makeReader()
    var whole: [UInt8] = []
    while let chunk = try await reader.next() { whole += chunk }
    return whole
  }
}

extension HTTPResponseBody {
  /// The same content, which ends normally where it would fail.
  fileprivate var withoutFailure: HTTPResponseBody {
    HTTPResponseBody(
      next: { () async throws(TransportError) in
        var iterator = self.makeAsyncIterator()
        guard let bytes = try? await iterator.next() else { return .end(trailers: [:]) }
        return .bytes(bytes)
      }, cancel: { self.cancel() })
  }
}
