import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var request: [Saboteur<TransportFixture>] {
    flawed(
      "patch-as-post", "it knows no PATCH and sends POST", caughtBy: "methods", saying: "PATCH"
    ) {
      $0.request = { request, _, _ in if request.method == .patch { request.method = .post } }
    }
    flawed("upper-case-methods", "it puts methods in capitals", caughtBy: "custom-method") {
      $0.request = { request, _, _ in
        request.method = .init(request.method.rawValue.uppercased())
      }
    }
    flawed(
      "any-method", "it takes the first word of a method that is no token",
      caughtBy: "method-token", saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in
        if !request.method.isValid { request.method = .get }
      }
    }
    flawed("cleans-values", "it takes controls out of values", caughtBy: "value-controls") {
      $0.request = { request, _, _ in
        request.headerFields = HTTPFields(
          request.headerFields.map { field in
            HTTPField(name: field.name, bytes: field.bytes.filter { $0 >= 0x20 })
          })
      }
    }
    flawed("connects-first", "it connects before it looks at a request", caughtBy: "value-controls")
    {
      $0.send = { base, request, body, options in
        let isSound = request.headerFields.allSatisfy(\.hasValidValue)
        if !isSound {
          var probe = request
          probe.headerFields = [:]
          _ = try await base.send(probe, body: .none, options: options)
        }
        return try await base.send(request, body: body, options: options)
      }
    }
    flawed("drops-bad-names", "it leaves out fields whose name is no token", caughtBy: "name-token")
    {
      $0.request = { request, _, _ in
        request.headerFields.removeAll { !$0.name.isValid }
      }
    }
    flawed("drops-empty", "it leaves out fields without a value", caughtBy: "empty-value") {
      $0.request = { request, _, _ in request.headerFields.removeAll { $0.bytes.isEmpty } }
    }
    flawed(
      "joins-request-fields", "it joins repeated fields by commas", caughtBy: "repeated-fields",
      saying: "2, 1, 2"
    ) {
      $0.request = { request, _, _ in
        for name in Set(request.headerFields.map(\.name)) {
          request.headerFields[name] = request.headerFields[name]
        }
      }
    }
    flawed(
      "own-user-agent", "it adds its User-Agent to the caller's", caughtBy: "override-defaults"
    ) {
      $0.request = { request, _, _ in
        request.headerFields.append(HTTPField(name: .userAgent, value: "flawed/1"))
      }
    }
    flawed("fixed-host", "it goes by the URL whatever Host is given", caughtBy: "host") {
      $0.request = { request, _, _ in request.headerFields[.host] = nil }
    }
    flawed(
      "corrects-length", "it puts the right Content-Length in place of the caller's",
      caughtBy: "length-mismatch", saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in request.headerFields[.contentLength] = nil }
    }
    flawed("decodes-query", "it makes a space of %20", caughtBy: "query-verbatim") {
      $0.request = { request, _, _ in
        request.path = request.path?.replacing("%20", with: "+")
      }
    }
    flawed("removes-dots", "it removes dot segments", caughtBy: "query-verbatim") {
      $0.request = { request, _, _ in request.path = request.path?.replacing("b/../", with: "") }
    }
    flawed("escapes-fragment", "it escapes the mark of a fragment", caughtBy: "fragment") {
      $0.request = { request, _, _ in
        guard let path = request.path, path.hasPrefix("/") else { return }
        request.path = path.replacing("#", with: "%23")
      }
    }
    flawed("basic-userinfo", "it makes Basic credentials of the userinfo", caughtBy: "userinfo") {
      $0.request = { request, _, _ in
        guard request.authority?.contains("@") == true else { return }
        request.headerFields[.authorization] = "Basic YWxpY2U6c2VjcmV0"
      }
    }
    flawed("bare-literal", "it sends an IPv6 literal without brackets", caughtBy: "ipv6-literal") {
      $0.seen = { seen in
        var seen = seen
        let host = seen.head.headerFields[.host]?.filter { $0 != "[" && $0 != "]" }
        seen.head.headerFields[.host] = host
        return seen
      }
    }
    flawed(
      "file-as-path", "it takes the path of any URL to the host it knows", caughtBy: "schemes",
      saying: "expected unsupportedScheme"
    ) {
      $0.request = { request, _, _ in
        guard let scheme = request.scheme, scheme != "https" else { return }
        request.scheme = "http"
      }
    }
    flawed(
      "local-default", "it takes this machine where no host is named", caughtBy: "missing-host"
    ) {
      $0.request = { request, _, _ in
        if request.authority?.hasPrefix(":") == true {
          request.authority = "localhost" + (request.authority ?? "")
        }
      }
    }
    flawed("short-target", "it has room for 8,190 bytes of target", caughtBy: "long-target") {
      $0.request = { request, _, _ in request.path = request.path.map { String($0.prefix(8190)) } }
    }
    flawed(
      "numeric-hosts", "it takes a number for an address", caughtBy: "host-numbers",
      saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in
        request.authority = request.authority?.replacing("2130706433", with: "127.0.0.1")
      }
    }
    flawed("drops-head-body", "it sends HEAD without the body", caughtBy: "head-body") {
      $0.request = { request, body, _ in if request.method == .head { body = .none } }
    }
    flawed("short-values", "it cuts long values", caughtBy: "request-head-limit") {
      $0.request = { request, _, _ in
        request.headerFields = HTTPFields(
          request.headerFields.map { HTTPField(name: $0.name, bytes: Array($0.bytes.prefix(9))) })
      }
    }
    flawed("drops-trace-body", "it sends TRACE without the body", caughtBy: "trace-body") {
      $0.request = { request, body, _ in if request.method == .trace { body = .none } }
    }
  }
}
