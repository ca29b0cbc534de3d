import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var request: [Saboteur<TransportFixture>] {
    flawed(
      "patch-as-post", "sends POST instead of PATCH", caughtBy: "methods", saying: "PATCH"
    ) {
      $0.request = { request, _, _ in if request.method == .patch { request.method = .post } }
    }
    flawed("upper-case-methods", "converts methods to upper case", caughtBy: "custom-method") {
      $0.request = { request, _, _ in
        request.method = .init(request.method.rawValue.uppercased())
      }
    }
    flawed(
      "any-method", "sends GET instead of a method that is not a token",
      caughtBy: "method-token", saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in
        if !request.method.isValid { request.method = .get }
      }
    }
    flawed("cleans-values", "removes control characters from values", caughtBy: "value-controls") {
      $0.request = { request, _, _ in
        request.headerFields = HTTPFields(
          request.headerFields.map { field in
            HTTPField(name: field.name, bytes: field.bytes.filter { $0 >= 0x20 })
          })
      }
    }
    flawed("connects-first", "connects before it validates a request", caughtBy: "value-controls") {
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
    flawed("drops-bad-names", "drops fields whose name is not a token", caughtBy: "name-token") {
      $0.request = { request, _, _ in
        request.headerFields.removeAll { !$0.name.isValid }
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
    flawed("fixed-host", "replaces the caller's Host", caughtBy: "host") {
      $0.request = { request, _, _ in request.headerFields[.host] = nil }
    }
    flawed(
      "corrects-length", "corrects the caller's Content-Length",
      caughtBy: "length-mismatch", saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in request.headerFields[.contentLength] = nil }
    }
    flawed("decodes-query", "replaces %20 in the query with +", caughtBy: "query-verbatim") {
      $0.request = { request, _, _ in
        request.path = request.path?.replacing("%20", with: "+")
      }
    }
    flawed("removes-dots", "removes dot segments", caughtBy: "query-verbatim") {
      $0.request = { request, _, _ in request.path = request.path?.replacing("b/../", with: "") }
    }
    flawed("escapes-fragment", "escapes # and sends the fragment", caughtBy: "fragment") {
      $0.request = { request, _, _ in
        guard let path = request.path, path.hasPrefix("/") else { return }
        request.path = path.replacing("#", with: "%23")
      }
    }
    flawed("basic-userinfo", "sends the userinfo as Basic credentials", caughtBy: "userinfo") {
      $0.request = { request, _, _ in
        guard request.authority?.contains("@") == true else { return }
        request.headerFields[.authorization] = "Basic YWxpY2U6c2VjcmV0"
      }
    }
    flawed(
      "bare-literal", "sends an IPv6 literal in Host without brackets", caughtBy: "ipv6-literal"
    ) {
      $0.sentRequest = { seen in
        var seen = seen
        let host = seen.head.headerFields[.host]?.filter { $0 != "[" && $0 != "]" }
        seen.head.headerFields[.host] = host
        return seen
      }
    }
    flawed(
      "file-as-path", "sends the path of any URL over HTTP", caughtBy: "schemes",
      saying: "expected unsupportedScheme"
    ) {
      $0.request = { request, _, _ in
        guard let scheme = request.scheme, scheme != "https" else { return }
        request.scheme = "http"
      }
    }
    flawed(
      "local-default", "sends a request without a host to localhost", caughtBy: "missing-host"
    ) {
      $0.request = { request, _, _ in
        if request.authority?.hasPrefix(":") == true {
          request.authority = "localhost" + (request.authority ?? "")
        }
      }
    }
    flawed("short-target", "truncates the target to 8,190 bytes", caughtBy: "long-target") {
      $0.request = { request, _, _ in request.path = request.path.map { String($0.prefix(8190)) } }
    }
    flawed(
      "numeric-hosts", "treats a decimal number as an IPv4 address", caughtBy: "host-numbers",
      saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in
        request.authority = request.authority?.replacing("2130706433", with: "127.0.0.1")
      }
    }
    flawed(
      "sends-connect", "sends CONNECT as a request", caughtBy: "connect-method",
      saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in if request.method == .connect { request.method = .get } }
    }
    flawed(
      "first-host", "sends the first of two Host fields", caughtBy: "own-framing",
      saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in
        if let host = request.headerFields[.host] { request.headerFields[.host] = host }
      }
    }
    flawed(
      "escapes-spaces", "percent-encodes a space in the path", caughtBy: "target-syntax",
      saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in request.path = request.path?.replacing(" ", with: "%20") }
    }
    flawed(
      "cuts-labels", "cuts labels after 63 bytes", caughtBy: "host-syntax",
      saying: "expected invalidRequest"
    ) {
      let label = String(repeating: "a", count: 63)
      $0.request = { request, _, _ in
        request.authority = request.authority?.replacing(label + "a", with: label)
      }
    }
    flawed(
      "short-labels", "rejects labels of 63 bytes", caughtBy: "host-syntax",
      saying: "invalidRequest"
    ) {
      let label = String(repeating: "a", count: 63)
      $0.request = { request, _, _ in
        request.authority = request.authority?.replacing(label, with: label + "a")
      }
    }
    flawed(
      "cuts-authority", "ends the authority at a backslash, as browsers do",
      caughtBy: "authority-bytes", saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in
        request.authority = request.authority.map { String($0.prefix { $0 != "\\" }) }
      }
    }
    flawed(
      "wraps-port", "takes a port modulo 65536", caughtBy: "port-range",
      saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in
        request.authority = request.authority?.replacing(":99999", with: ":34463")
      }
    }
    flawed(
      "ignores-zone", "ignores the zone of an IPv6 literal", caughtBy: "ipv6-syntax",
      saying: "expected invalidRequest"
    ) {
      $0.request = { request, _, _ in
        request.authority = request.authority?.replacing("%25lo", with: "")
      }
    }
    flawed("drops-head-body", "sends HEAD without its body", caughtBy: "head-body") {
      $0.request = { request, body, _ in if request.method == .head { body = .none } }
    }
    flawed("short-values", "truncates long field values", caughtBy: "request-head-limit") {
      $0.request = { request, _, _ in
        request.headerFields = HTTPFields(
          request.headerFields.map { HTTPField(name: $0.name, bytes: Array($0.bytes.prefix(9))) })
      }
    }
    flawed("drops-trace-body", "sends TRACE without its body", caughtBy: "trace-body") {
      $0.request = { request, body, _ in if request.method == .trace { body = .none } }
    }
  }
}
