import CCurl
import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlOptionsTests {
  /// CURLE_NOT_BUILT_IN and CURLE_UNKNOWN_OPTION.
  private static let codes: [UInt32] = [4, 48]

  private static let always = [
    "CURLOPT_PROTOCOLS", "CURLOPT_REDIR_PROTOCOLS", "CURLOPT_FOLLOWLOCATION", "CURLOPT_NETRC",
    "CURLOPT_SUPPRESS_CONNECT_HEADERS", "CURLOPT_PREREQFUNCTION", "CURLOPT_SSL_VERIFYPEER",
    "CURLOPT_SSL_VERIFYHOST", "CURLOPT_SSLVERSION",
  ]
  private static let pinned = ["CURLOPT_CAINFO_BLOB", "CURLOPT_SSL_OPTIONS"]
  private static let unproxied = ["CURLOPT_PROXY", "CURLOPT_NOPROXY"]
  private static let proxied = [
    "CURLOPT_PROXY", "CURLOPT_NOPROXY", "CURLOPT_PROXY_SSL_VERIFYPEER",
    "CURLOPT_PROXY_SSL_VERIFYHOST", "CURLOPT_PROXY_SSLVERSION",
  ]
  private static let pinnedProxy = ["CURLOPT_PROXY_CAINFO_BLOB", "CURLOPT_PROXY_SSL_OPTIONS"]

  private func configuration(
    isPinned: Bool = false, isProxied: Bool = false, refusing refusals: [String: UInt32] = [:]
  ) -> CurlTransport.Configuration {
    var configuration = CurlTransport.Configuration()
    if isPinned { configuration.authorities = .pem("") }
    if isProxied { configuration.proxy = .url("http://127.0.0.1:1") }
    configuration.simulatedRefusals = refusals
    return configuration
  }

  private func expectRefusal(
    of option: String, code: UInt32, _ configuration: CurlTransport.Configuration,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: TransportError.self, sourceLocation: sourceLocation) {
      try CurlTransport(configuration)
    }
    guard let error else { return }
    #expect(error.kind == .unsupportedOption(option), sourceLocation: sourceLocation)
    #expect(error.code == Int(code), sourceLocation: sourceLocation)
    #expect(error.phase == .preparing && !error.bytesSent, sourceLocation: sourceLocation)
    for part in [option, CurlLibrary.current.description, "install libcurl"] {
      #expect(error.detail.contains(part), sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: always, codes)
  func `a rejected option fails the initializer`(_ option: String, _ code: UInt32) {
    // The bit mask options are set only if the newer ones are unknown.
    var refusals = [option: code]
    if option.hasSuffix("PROTOCOLS") { refusals[option + "_STR"] = 48 }
    expectRefusal(of: option, code: code, configuration(refusing: refusals))
  }

  @Test(arguments: ["CURLOPT_PROTOCOLS_STR", "CURLOPT_REDIR_PROTOCOLS_STR"])
  func `the initializer fails if the protocols cannot be restricted`(_ option: String) {
    expectRefusal(of: option, code: 4, configuration(refusing: [option: 4]))
  }

  @Test(arguments: pinned, codes)
  func `a rejected option fails the initializer if certificates are pinned`(
    _ option: String, _ code: UInt32
  ) throws {
    _ = try CurlTransport(configuration(refusing: [option: code]))
    expectRefusal(of: option, code: code, configuration(isPinned: true, refusing: [option: code]))
  }

  @Test(arguments: unproxied, codes)
  func `a rejected option fails the initializer if no proxy is configured`(
    _ option: String, _ code: UInt32
  ) {
    expectRefusal(of: option, code: code, configuration(refusing: [option: code]))
  }

  @Test(arguments: proxied, codes)
  func `a rejected option fails the initializer if a proxy is configured`(
    _ option: String, _ code: UInt32
  ) {
    expectRefusal(of: option, code: code, configuration(isProxied: true, refusing: [option: code]))
  }

  @Test(arguments: pinnedProxy, codes)
  func `a rejected option fails the initializer if a proxy's certificates are pinned`(
    _ option: String, _ code: UInt32
  ) throws {
    _ = try CurlTransport(configuration(isProxied: true, refusing: [option: code]))
    _ = try CurlTransport(configuration(isPinned: true, refusing: [option: code]))
    expectRefusal(
      of: option, code: code,
      configuration(isPinned: true, isProxied: true, refusing: [option: code]))
  }

  @Test(arguments: ["CURLOPT_CAPATH", "CURLOPT_PROXY_CAPATH"])
  func `the initializer fails if the directory of authorities cannot be removed`(
    _ option: String
  ) throws {
    expectRefusal(
      of: option, code: 27, configuration(isPinned: true, isProxied: true, refusing: [option: 27]))
    // A TLS library without support for a directory of authorities trusts none.
    _ = try CurlTransport(configuration(isPinned: true, isProxied: true, refusing: [option: 4]))
  }

  @Test func `the error for pinned certificates names the package to install`() {
    let error = #expect(throws: TransportError.self) {
      try CurlTransport(configuration(isPinned: true, refusing: ["CURLOPT_CAINFO_BLOB": 4]))
    }
    #expect(error?.detail.contains("libcurl4-openssl-dev") == true)
  }

  @Test(.enabled(if: !CurlLibrary.current.pinsAuthorities))
  func `the initializer fails if libcurl cannot pin certificates`() {
    expectRefusal(of: "CURLOPT_CAINFO_BLOB", code: 4, configuration(isPinned: true))
  }

  @Test func `the bit mask options restrict the protocols before libcurl 7.85`() async throws {
    let world = try CurlWorld(.respond(text: "hi")) {
      $0.simulatedRefusals = ["CURLOPT_PROTOCOLS_STR": 48, "CURLOPT_REDIR_PROTOCOLS_STR": 48]
    }
    #expect(try await world.answer().text == "hi")
  }

  @Test(arguments: [[:], ["CURLOPT_PROTOCOLS_STR": 48, "CURLOPT_REDIR_PROTOCOLS_STR": 48]])
  func `libcurl rejects file URLs`(_ refusals: [String: UInt32]) throws {
    let easy = try CurlOptions.makeHandle()
    defer { curl_easy_cleanup(easy) }
    try CurlOptions(easy, configuration(refusing: refusals)).setSecurity()
    ccurl_set_string(easy, CURLOPT_URL, "file:///etc/passwd")
    ccurl_set_prerequest(easy) { _, _, _, _, _ in CURL_PREREQFUNC_OK }
    #expect(curl_easy_perform(easy) == CURLE_UNSUPPORTED_PROTOCOL)
  }

  @Test(arguments: ["", "no certificate"])
  func `no origin is trusted if the text contains no certificate`(_ text: String) async throws {
    let world = try CurlWorld(.respond(), scheme: .https) { $0.authorities = .pem(text) }
    let error = try await world.failure()
    #expect(!error.bytesSent, "\(error)")
    #expect(world.log.requests.isEmpty)
  }

  @Test func `a proxy over TLS must match the pinned certificates`() async throws {
    let proxy = try ScriptedOrigin(
      OriginPlan { _ in .respond(text: "from the proxy") }, scheme: .https)
    let authority = try ScriptedOrigin.trustedAuthority
    let world = try CurlWorld(.respond()) {
      $0.proxy = .url(proxy.url)
      $0.authorities = .pem(authority)
    }
    #expect(try await world.answer().text == "from the proxy")
    let other = try CurlWorld(.respond()) { $0.proxy = .url(proxy.url) }
    #expect(try await other.failure().bytesSent == false)
    #expect(proxy.log.requests.count == 1)
  }

  @Test func `a body that ends with the TLS connection fails without OpenSSL`() async throws {
    let world = try CurlWorld(
      .raw("HTTP/1.1 200 OK\r\n\r\nwhole") + [.close], scheme: .https
    ) { $0.queriesOpenSSL = false }
    let exchange = try await world.transport.send(world.request())
    var body = exchange.body.makeAsyncIterator()
    #expect(try await body.next() == Array("whole".utf8))
    let error = await #expect(throws: TransportError.self) { _ = try await body.next() }
    #expect(error?.kind == .truncatedBody)
    #expect(error?.detail.contains(CurlLibrary.current.description) == true)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nwhole",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nwhole\r\n0\r\n\r\n",
  ])
  func `a body with explicit framing needs no OpenSSL`(_ text: String) async throws {
    let world = try CurlWorld(.raw(text) + [.close], scheme: .https) { $0.queriesOpenSSL = false }
    #expect(try await world.answer().text == "whole")
  }

  @Test(arguments: [
    "GOAWAY last_stream=0", "received GOAWAY, error=0, last_stream=0",
    "REFUSED_STREAM, retrying a fresh connect",
  ])
  func `a request field cannot forge an HTTP/2 event`(_ value: String)
    async throws
  {
    let plan = OriginPlan(version: .http2) { request in
      request.target == "/first" ? .respond() : [.readBody, .close]
    }
    let world = try CurlWorld(plan, scheme: .https)
    try await world.answer(.get, "/first")
    let error = try await world.failure(.post, ["X-Notice": value], body: .text("pay"))
    #expect(!error.isRetrySafe, "\(error)")
    #expect(error.bytesSent)
    #expect(world.log.requests.filter { $0.head.method == .post }.count == 1)
  }
}
