import ContractTesting
import Testing
import TransportPort

extension TransportWorld {
  /// Returns the world with the redirect policy.
  fileprivate func following(_ policy: RedirectPolicy = RedirectPolicy()) -> TransportWorld {
    through { $0.followingRedirects(policy) }
  }
}

extension OriginPlan {
  /// Redirects `/start` and responds "there" to all other paths.
  fileprivate static func redirecting(_ status: Int, to location: String) -> OriginPlan {
    OriginPlan { request in
      request.path == "/start" ? .redirect(status, to: location) : .respond(text: "there")
    }
  }
}

extension TransportFixture {
  /// Opens a world whose peer redirects `/start`, with the redirect policy.
  fileprivate func redirects(_ status: Int, to location: String = "/end") async throws
    -> TransportWorld
  { try await world(.redirecting(status, to: location)).following() }

  /// Opens a world whose first peer redirects `/start` to the second, with a redirect policy.
  fileprivate func crossing(
    _ status: Int = 307, _ policy: RedirectPolicy = RedirectPolicy()
  ) async throws -> TransportWorld {
    let far = try peer(.respond(text: "far"))
    let near = try peer(.redirecting(status, to: far.url + "/end"))
    return try await world([near, far]).following(policy)
  }
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var redirects: [Clause<TransportFixture>] {
    Clause(
      "redirect-post", "301 and 302 change POST to GET and keep other methods",
      from: "Fetch, HTTP-redirect fetch, 12"
    ) { fixture in
      for status in [301, 302] {
        for method in [HTTPRequest.Method.post, .put, .delete, .get, .head, .patch] {
          let world = try await fixture.redirects(status)
          try await world.answer(method, "/start")
          checkEqual(
            world.log.requests.map(\.head.method), [method, method == .post ? .get : method],
            "the list of methods of \(method) with \(status)")
        }
      }
    }
    Clause("redirect-303", "303 changes all methods except HEAD to GET", from: "RFC 9110 §15.4.4") {
      fixture in
      for method in [HTTPRequest.Method.post, .put, .delete, "PURGE", .get, .head] {
        let world = try await fixture.redirects(303)
        try await world.answer(method, "/start")
        checkEqual(
          world.log.requests.map(\.head.method), [method, method == .head ? .head : .get],
          "the list of methods of \(method) with 303")
      }
    }
    Clause(
      "redirect-307", "307 and 308 keep the method and the content",
      from: "RFC 9110 §15.4.8 and §15.4.9"
    ) { fixture in
      for status in [307, 308] {
        let world = try await fixture.redirects(status)
        let fields: HTTPFields = [.contentType: "text/plain", "X-A": "1"]
        try await world.answer(.post, "/start", fields, body: .text("again"))
        let seen = world.log.requests
        checkEqual(seen.map(\.head.method), [.post, .post], "the list of methods with \(status)")
        checkEqual(
          seen.map { String(decoding: $0.body, as: UTF8.self) }, ["again", "again"],
          "the list of contents")
        checkEqual(seen.last?.fields[.contentType], "text/plain", "Content-Type after \(status)")
        checkEqual(seen.last?.fields["X-A"], "1", "X-A after \(status)")
      }
    }
    Clause(
      "redirect-fields", "a redirect that drops the content drops the fields that describe it",
      from: "Fetch, HTTP-redirect fetch, 12; RFC 9110 §15.4"
    ) { fixture in
      let world = try await fixture.redirects(302)
      let fields: HTTPFields = [
        .contentType: "text/plain", "Content-Language": "en", .contentEncoding: "identity",
        "Content-Location": "/x", .trailer: "X-A", "Digest": "md5=x", "Last-Modified": "now",
        "X-A": "1",
      ]
      try await world.answer(.post, "/start", fields, body: .text("gone"))
      let last = try #require(world.log.requests.last)
      checkEqual(last.head.target, "/end", "the target")
      checkEqual(last.bodyCount, 0, "the number of content bytes after the redirect")
      for field in last.fields where field.name.canonicalName.hasPrefix("content-") {
        Issue.record("\(field.name) was sent after the redirect")
      }
      for name in [HTTPField.Name.trailer, "Digest", "Last-Modified"] {
        checkEqual(last.fields[values: name], [], "\(name) after the redirect")
      }
      checkEqual(last.fields["X-A"], "1", "X-A after the redirect")
    }
    Clause(
      "redirect-limit", "more redirects than the limit are an error, and so is a loop",
      from: "RFC 9110 §15.4; Fetch, HTTP-redirect fetch, 7"
    ) { fixture in
      let plan = OriginPlan { request in
        let number = Int(request.path.dropFirst()) ?? 0
        return number == 0 ? .respond(text: "there") : .redirect(to: "/\(number - 1)")
      }
      let world = try await fixture.world(plan).following(RedirectPolicy(limit: 5))
      checkEqual(
        try await world.answer(.get, "/5").text, "there", "the content after five redirects")
      checkEqual(world.log.requests.count, 6, "the number of requests")
      await world.expectFailure(.tooManyRedirects, of: .get, "/6")
      checkEqual(world.log.requests.count, 12, "the number of requests after one redirect too many")
      let loop = try await fixture.world(
        OriginPlan { $0.path == "/a" ? .redirect(to: "/b") : .redirect(to: "/a") }
      ).following()
      await loop.expectFailure(.redirectLoop, of: .get, "/a")
      checkEqual(loop.log.requests.count, 2, "the number of requests in the loop")
    }
    Clause(
      "redirect-location", "a relative Location is resolved against the URL of its request",
      from: "RFC 9110 §10.2.2, RFC 3986 §5.2"
    ) { fixture in
      for (location, target) in [
        ("/end?q=1", "/end?q=1"), ("sub", "/dir/sub"), ("../up", "/up"), ("?q", "/dir/start?q"),
        ("./a/./b/../c", "/dir/a/c"), ("/end#part", "/end"), ("é", "/dir/%C3%A9"),
      ] {
        let world = try await fixture.world(.redirect(to: location), .respond(text: "there"))
          .following()
        let answer = try await world.answer(.get, "/dir/start?old")
        checkEqual(answer.text, "there", "the content at \(location)")
        checkEqual(
          world.log.requests.last?.head.target, target, "the target of Location: \(location)")
        checkEqual(answer.exchange.request.path, target, "the path of the last request")
      }
      let far = try fixture.peer(.respond(text: "far"))
      let near = try fixture.peer(.redirect(to: "//127.0.0.1:\(far.port)/end"))
      let world = try await fixture.world([near, far]).following()
      checkEqual(
        try await world.answer().text, "far", "the content at a Location that starts with //")
      let same = try await fixture.world(.redirect(to: ""), .respond(text: "there")).following()
      await same.expectFailure(.redirectLoop, of: .get, "/dir?q")
      let bare = try await fixture.world(.redirect(to: "sub"), .respond(text: "there")).following()
      try await bare.answer(.get, "")
      checkEqual(bare.log.requests.last?.head.target, "/sub", "the target after a URL without path")
    }
    Clause(
      "redirect-scheme", "a redirect to a scheme other than http and https is an error",
      from: "Fetch, HTTP-redirect fetch, 6"
    ) { fixture in
      for location in [
        "file:///etc/passwd", "ftp://127.0.0.1/", "data:,hello", "javascript:alert(1)", "http://",
        "http://a b/", "file:etc/passwd",
      ] {
        let world = try await fixture.world(.redirect(to: location)).following()
        let error = await world.expectFailure(.invalidRedirect)
        checkEqual(error?.phase, .redirecting, "the phase of a redirect to \(location)")
        checkEqual(world.log.requests.count, 1, "the number of requests")
      }
    }
    Clause(
      "redirect-secrets", "Authorization and Cookie are never sent to another origin",
      from: "Fetch, HTTP-redirect fetch, 13; RFC 9110 §15.4"
    ) { fixture in
      let fields: HTTPFields = [
        .authorization: "Bearer s3cret", .cookie: "a=1", .proxyAuthorization: "Basic eA==",
        "X-A": "1",
      ]
      for status in [301, 302, 303, 307, 308] {
        let world = try await fixture.crossing(status)
        checkEqual(try await world.answer(.get, "/start", fields).text, "far", "the content")
        let seen = try #require(world.peers[1].log.requests.first)
        for name in [HTTPField.Name.authorization, .cookie, .proxyAuthorization] {
          checkEqual(seen.fields[values: name], [], "\(name) at the other origin")
        }
        checkEqual(seen.fields["X-A"], "1", "X-A at the other origin")
        checkEqual(seen.fields[.host], "127.0.0.1:\(world.peers[1].port)", "Host")
      }
      let near = try await fixture.redirects(307)
      try await near.answer(.get, "/start", fields)
      checkEqual(
        near.log.requests.last?.fields[.authorization], "Bearer s3cret",
        "Authorization at the same origin")
    }
    Clause(
      "redirect-named-secrets",
      "fields that the policy names as secret are never sent to another origin",
      from: "this project"
    ) { fixture in
      let world = try await fixture.crossing(307, RedirectPolicy(secrets: ["X-Api-Key"]))
      try await world.answer(.get, "/start", ["x-api-key": "s3cret", "X-A": "1"])
      let seen = try #require(world.peers[1].log.requests.first)
      checkEqual(seen.fields[values: "X-Api-Key"], [], "X-Api-Key at the other origin")
      checkEqual(seen.fields["X-A"], "1", "X-A at the other origin")
      checkEqual(
        world.log.requests.first?.fields["X-Api-Key"], "s3cret", "X-Api-Key at the first origin")
    }
    Clause(
      "redirect-manual", "without the policy, a redirect is returned as a response",
      from: "Fetch, redirect mode 'manual'"
    ) { fixture in
      for status in [301, 302, 303, 307, 308] {
        let world = try await fixture.world(.redirecting(status, to: "/end"))
        let answer = try await world.answer(.get, "/start")
        checkEqual(answer.status, status, "the status")
        checkEqual(answer.fields[.location], "/end", "Location")
        checkEqual(world.log.requests.count, 1, "the number of requests")
      }
    }
    Clause(
      "redirect-one-shot", "a 307 response to content that is not replayable is an error",
      from: "Fetch, HTTP-redirect fetch, 9"
    ) { fixture in
      let world = try await fixture.redirects(307)
      await world.expectFailure(
        .bodyNotReplayable, of: .post, "/start", body: .stream(Chunks("once"), length: 4))
      checkEqual(world.log.requests.count, 1, "the number of requests")
      let again = try await fixture.redirects(307)
      try await again.answer(
        .post, "/start", body: .stream(Chunks("twice"), length: 5, isReplayable: true))
      checkEqual(again.log.requests.map(\.bodyCount), [5, 5], "the list of content sizes")
    }
    Clause(
      "redirect-plaintext", "a redirect from https to http is an error unless the policy allows it",
      from: "RFC 9110 §4.2.2 and §15.4, this project", requires: .customAuthorities
    ) { fixture in
      let plain = try fixture.peer(.respond(text: "plain"))
      let secure = try fixture.peer(.redirect(to: plain.url + "/"), scheme: .https)
      let world = try await fixture.world([secure, plain])
      let error = await world.following().expectFailure(.invalidRedirect)
      checkEqual(error?.phase, .redirecting, "the phase")
      checkEqual(plain.log.counts.connections, 0, "the number of connections over http")
      let allowing = world.following(RedirectPolicy(allowsPlaintext: true))
      checkEqual(try await allowing.answer().text, "plain", "the content over http")
      let away = try fixture.peer(.redirect(to: secure.url + "/"))
      let upwards = try await fixture.world([away, secure, plain])
      checkEqual(
        try await upwards.following(RedirectPolicy(allowsPlaintext: true)).answer().text, "plain",
        "the content by way of https")
    }
  }
}
