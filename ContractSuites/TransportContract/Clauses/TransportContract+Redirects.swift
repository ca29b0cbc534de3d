import ContractTesting
import Testing
import TransportPort

extension TransportWorld {
  /// The same world with redirects followed.
  fileprivate func following(_ policy: RedirectPolicy = RedirectPolicy()) -> TransportWorld {
    through { $0.followingRedirects(policy) }
  }
}

extension OriginPlan {
  /// Redirects everything from `/start` and answers everything else.
  fileprivate static func redirecting(_ status: Int, to location: String) -> OriginPlan {
    OriginPlan { request in
      request.path == "/start" ? .redirect(status, to: location) : .respond(text: "there")
    }
  }
}

extension TransportFixture {
  /// A world in which `/start` redirects, and redirects are followed.
  fileprivate func redirects(_ status: Int, to location: String = "/end") async throws
    -> TransportWorld
  { try await world(.redirecting(status, to: location)).following() }

  /// Two peers, of which the first redirects `/start` to the second, and redirects are followed.
  fileprivate func crossing(
    _ status: Int = 307, _ policy: RedirectPolicy = RedirectPolicy()
  ) async throws -> TransportWorld {
    let far = try peer(.respond(text: "far"))
    let near = try peer(.redirecting(status, to: far.url + "/end"))
    return try await world([near, far]).following(policy)
  }
}

extension ClauseGroup<TransportFixture> {
  static let redirects = ClauseGroup("Redirects") {
    Clause(
      "redirect-post", "301 and 302 turn POST into GET and leave other methods",
      from: "Fetch, HTTP-redirect fetch, 12"
    ) { fixture in
      for status in [301, 302] {
        for method in [HTTPRequest.Method.post, .put, .delete, .get, .head, .patch] {
          let world = try await fixture.redirects(status)
          try await world.answer(method, "/start")
          expectEqual(
            world.log.requests.map(\.head.method), [method, method == .post ? .get : method],
            "the methods of \(method) through \(status)")
        }
      }
    }
    Clause("redirect-303", "303 turns all but GET and HEAD into GET", from: "RFC 9110 §15.4.4") {
      fixture in
      for method in [HTTPRequest.Method.post, .put, .delete, "PURGE", .get, .head] {
        let world = try await fixture.redirects(303)
        try await world.answer(method, "/start")
        expectEqual(
          world.log.requests.map(\.head.method), [method, method == .head ? .head : .get],
          "the methods of \(method) through 303")
      }
    }
    Clause(
      "redirect-307", "307 and 308 keep method and content", from: "RFC 9110 §15.4.8 and §15.4.9"
    ) { fixture in
      for status in [307, 308] {
        let world = try await fixture.redirects(status)
        let fields: HTTPFields = [.contentType: "text/plain", "X-A": "1"]
        try await world.answer(.post, "/start", fields, body: .text("again"))
        let seen = world.log.requests
        expectEqual(seen.map(\.head.method), [.post, .post], "the methods through \(status)")
        expectEqual(seen.map(\.body), [Array("again".utf8), Array("again".utf8)], "the contents")
        expectEqual(seen.last?.fields[.contentType], "text/plain", "Content-Type after \(status)")
        expectEqual(seen.last?.fields["X-A"], "1", "X-A after \(status)")
      }
    }
    Clause(
      "redirect-fields", "with the content go the fields that describe it",
      from: "Fetch, HTTP-redirect fetch, 12; RFC 9110 §15.4"
    ) { fixture in
      let world = try await fixture.redirects(302)
      let fields: HTTPFields = [
        .contentType: "text/plain", "Content-Language": "en", .contentEncoding: "identity",
        "Content-Location": "/x", "X-A": "1",
      ]
      try await world.answer(.post, "/start", fields, body: .text("gone"))
      let last = try #require(world.log.requests.last)
      expectEqual(last.head.target, "/end", "the target")
      expectEqual(last.bodyCount, 0, "the bytes of content after the redirect")
      for field in last.fields where field.name.canonicalName.hasPrefix("content-") {
        Issue.record("\(field.name) was sent after the redirect")
      }
      expectEqual(last.fields["X-A"], "1", "X-A after the redirect")
    }
    Clause(
      "redirect-limit", "redirects are followed up to the limit, and loops are ended",
      from: "RFC 9110 §15.4; Fetch, HTTP-redirect fetch, 7"
    ) { fixture in
      let plan = OriginPlan { request in
        let number = Int(request.path.dropFirst()) ?? 0
        return number == 0 ? .respond(text: "there") : .redirect(to: "/\(number - 1)")
      }
      let world = try await fixture.world(plan).following(RedirectPolicy(limit: 5))
      expectEqual(try await world.answer(.get, "/5").text, "there", "what five redirects lead to")
      expectEqual(world.log.requests.count, 6, "the number of requests")
      await world.expectFailure(.tooManyRedirects, of: .get, "/6")
      expectEqual(world.log.requests.count, 12, "the number of requests with one too many")
      let loop = try await fixture.world(
        OriginPlan { $0.path == "/a" ? .redirect(to: "/b") : .redirect(to: "/a") }
      ).following()
      await loop.expectFailure(.redirectLoop, of: .get, "/a")
      expectEqual(loop.log.requests.count, 2, "the number of requests in a loop of two")
    }
    Clause(
      "redirect-location", "a Location is resolved against the URL that was asked for",
      from: "RFC 9110 §10.2.2, RFC 3986 §5.2"
    ) { fixture in
      for (location, target) in [
        ("/end?q=1", "/end?q=1"), ("sub", "/dir/sub"), ("../up", "/up"), ("?q", "/dir/start?q"),
        ("./a/./b/../c", "/dir/a/c"), ("/end#part", "/end"), ("é", "/dir/%C3%A9"),
      ] {
        let world = try await fixture.world(.redirect(to: location), .respond(text: "there"))
          .following()
        let answer = try await world.answer(.get, "/dir/start?old")
        expectEqual(answer.text, "there", "what \(location) leads to")
        expectEqual(world.log.requests.last?.head.target, target, "where \(location) leads")
        expectEqual(answer.exchange.request.path, target, "the path of the last request")
      }
      let far = try fixture.peer(.respond(text: "far"))
      let near = try fixture.peer(.redirect(to: "//127.0.0.1:\(far.port)/end"))
      let world = try await fixture.world([near, far]).following()
      expectEqual(
        try await world.answer().text, "far", "what a Location that starts with // leads to")
      let same = try await fixture.world(.redirect(to: ""), .respond(text: "there")).following()
      await same.expectFailure(.redirectLoop, of: .get, "/dir")
    }
    Clause(
      "redirect-scheme", "a redirect to anything but http and https is an error",
      from: "Fetch, HTTP-redirect fetch, 6"
    ) { fixture in
      for location in [
        "file:///etc/passwd", "ftp://127.0.0.1/", "data:,hello", "javascript:alert(1)", "http://",
        "http://a b/", "file:etc/passwd",
      ] {
        let world = try await fixture.world(.redirect(to: location)).following()
        let error = await world.expectFailure(.invalidRedirect)
        expectEqual(error?.phase, .redirecting, "the phase of a redirect to \(location)")
        expectEqual(world.log.requests.count, 1, "the number of requests")
      }
    }
    Clause(
      "redirect-secrets", "Authorization and Cookie never go to another origin",
      from: "Fetch, HTTP-redirect fetch, 13; RFC 9110 §15.4"
    ) { fixture in
      let fields: HTTPFields = [
        .authorization: "Bearer s3cret", .cookie: "a=1", .proxyAuthorization: "Basic eA==",
        "X-A": "1",
      ]
      for status in [301, 302, 303, 307, 308] {
        let world = try await fixture.crossing(status)
        expectEqual(try await world.answer(.get, "/start", fields).text, "far", "the answer")
        let seen = try #require(world.peers[1].log.requests.first)
        for name in [HTTPField.Name.authorization, .cookie, .proxyAuthorization] {
          expectEqual(seen.fields[values: name], [], "\(name) at the other origin")
        }
        expectEqual(seen.fields["X-A"], "1", "X-A at the other origin")
        expectEqual(seen.fields[.host], "127.0.0.1:\(world.peers[1].port)", "Host")
      }
      let near = try await fixture.redirects(307)
      try await near.answer(.get, "/start", fields)
      expectEqual(
        near.log.requests.last?.fields[.authorization], "Bearer s3cret",
        "Authorization at the same origin")
    }
    Clause(
      "redirect-named-secrets", "further fields that are named secret never go to another origin",
      from: "this project"
    ) { fixture in
      let world = try await fixture.crossing(307, RedirectPolicy(secrets: ["X-Api-Key"]))
      try await world.answer(.get, "/start", ["x-api-key": "s3cret", "X-A": "1"])
      let seen = try #require(world.peers[1].log.requests.first)
      expectEqual(seen.fields[values: "X-Api-Key"], [], "X-Api-Key at the other origin")
      expectEqual(seen.fields["X-A"], "1", "X-A at the other origin")
      expectEqual(
        world.log.requests.first?.fields["X-Api-Key"], "s3cret", "X-Api-Key at the first origin")
    }
    Clause(
      "redirect-manual", "without the policy a redirect is handed out as it came",
      from: "Fetch, redirect mode 'manual'"
    ) { fixture in
      for status in [301, 302, 303, 307, 308] {
        let world = try await fixture.world(.redirecting(status, to: "/end"))
        let answer = try await world.answer(.get, "/start")
        expectEqual(answer.status, status, "the status")
        expectEqual(answer.fields[.location], "/end", "Location")
        expectEqual(world.log.requests.count, 1, "the number of requests")
      }
    }
    Clause(
      "redirect-one-shot", "307 with content that can't be made again is an error",
      from: "Fetch, HTTP-redirect fetch, 9"
    ) { fixture in
      let world = try await fixture.redirects(307)
      await world.expectFailure(
        .bodyNotReplayable, of: .post, "/start", body: .stream(Chunks("once"), length: 4))
      expectEqual(world.log.requests.count, 1, "the number of requests")
      let again = try await fixture.redirects(307)
      try await again.answer(
        .post, "/start", body: .stream(Chunks("twice"), length: 5, isReplayable: true))
      expectEqual(again.log.requests.map(\.bodyCount), [5, 5], "the bytes of content")
    }
  }
}
