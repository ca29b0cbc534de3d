import COpenSSL
import Foundation
import SystemPlatform
import Testing
import TransportPort

@testable import ScriptedOrigin

@Suite struct ScriptedOriginTests {
  private let get = "GET /a?b HTTP/1.1\r\nHost: here\r\n\r\n"
  private let answer = "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nhi"

  @Test func `a request is answered and logged byte for byte`() async throws {
    let origin = try ScriptedOrigin(.respond(text: "hi"))
    let peer = try TestPeer(origin)
    peer.send(get)
    #expect(peer.read(answer.utf8.count) == answer)
    peer.close()
    try await origin.log.first { $0.kind == .closedByPeer }
    let request = try #require(origin.log.requests.first)
    #expect(request.text == get)
    #expect(request.head.method == .get)
    #expect(request.head.target == "/a?b")
    #expect(request.head.headerFields == [.host: "here"])
    #expect(request.trailers == [:])
    #expect(
      origin.log.events.map(\.kind) == [
        .accepted, .head(Array(get.utf8)), .requestEnd, .sent(answer.utf8.count), .closedByPeer,
      ])
  }

  @Test func `scripts are played in order and the last one repeats`() throws {
    let origin = try ScriptedOrigin(.raw("one"), .raw("two"))
    let peer = try TestPeer(origin)
    for expected in ["one", "two", "two"] {
      peer.send(get)
      #expect(peer.read(3) == expected)
    }
    #expect(origin.log.connectionCount == 1)
    #expect(origin.log.requests.map(\.head.ordinal) == [1, 2, 3])
  }

  @Test func `a chunked body and its trailers are logged`() async throws {
    let origin = try ScriptedOrigin(.respond())
    let peer = try TestPeer(origin)
    peer.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n")
    try await origin.log.first { $0.kind == .body(5) }
    #expect(origin.log.requests.first?.trailers == nil)
    peer.send("3\r\nyou\r\n0\r\nA: b\r\n\r\n")
    try await origin.log.first { $0.kind == .requestEnd }
    let request = try #require(origin.log.requests.first)
    #expect(String(decoding: request.body, as: UTF8.self) == "helloyou")
    #expect(request.bodyCount == 8)
    #expect(request.trailers == ["A": "b"])
  }

  @Test func `only as much of a body is read as the script says`() async throws {
    let origin = try ScriptedOrigin([.readBodyBytes(3), .send("early"), .stall])
    let peer = try TestPeer(origin)
    peer.send("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabcdef")
    #expect(peer.read(5) == "early")
    #expect(origin.log.requests.first?.bodyCount == 3)
  }

  @Test func `a body is echoed in chunks`() throws {
    let origin = try ScriptedOrigin([.echoBody, .send("0\r\n\r\n"), .close])
    let peer = try TestPeer(origin)
    peer.send("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nping")
    #expect(peer.read() == "4\r\nping\r\n0\r\n\r\n")
  }

  @Test func `bytes are repeated exactly the given number of times`() throws {
    let origin = try ScriptedOrigin([.sendRepeatedly(Array("abc".utf8), count: 50_001), .close])
    let peer = try TestPeer(origin)
    peer.send(get)
    let text = peer.read()
    #expect(text.utf8.count == 150_003)
    #expect(text == String(repeating: "abc", count: 50_001))
  }

  @Test func `a reset reaches the peer as a RST`() throws {
    let origin = try ScriptedOrigin([.reset])
    let peer = try TestPeer(origin)
    peer.send(get)
    #expect(peer.readError() == ECONNRESET)
  }

  @Test func `a close reaches the peer as a FIN`() async throws {
    let origin = try ScriptedOrigin([.close])
    let peer = try TestPeer(origin)
    peer.send(get)
    #expect(peer.readError() == 0)
    try await origin.log.first { $0.kind == .closed }
  }

  @Test(arguments: [[.stall], [.pause(.seconds(60))]] as [OriginScript])
  func `a FIN or RST from the peer is logged while the script waits`(
    _ script: OriginScript
  ) async throws {
    for (resetting, expected) in [(false, OriginLog.Event.Kind.closedByPeer), (true, .resetByPeer)]
    {
      let origin = try ScriptedOrigin(script)
      let peer = try TestPeer(origin)
      peer.send(get)
      try await origin.log.first { $0.kind == .requestEnd }
      peer.close(resetting: resetting)
      try await origin.log.first { $0.kind == expected }
    }
  }

  @Test func `a pause lasts at least its duration`() throws {
    let origin = try ScriptedOrigin([.pause(.milliseconds(80)), .send("late"), .close])
    let peer = try TestPeer(origin)
    let start = ContinuousClock.now
    peer.send(get)
    #expect(peer.read() == "late")
    #expect(ContinuousClock.now - start >= .milliseconds(80))
  }

  @Test func `the connection script is played before the first request`() throws {
    let origin = try ScriptedOrigin(
      OriginPlan(onConnect: { [.send("hello \($0)"), .close] }, onRequest: { _ in [] }))
    #expect(try TestPeer(origin).read() == "hello 1")
    #expect(try TestPeer(origin).read() == "hello 2")
  }

  @Test func `closing the origin ends floods, pauses and idle connections`() async throws {
    let scripts: [OriginScript] = [
      [.stall], [.pause(.seconds(60))], [.sendRepeatedly([0], count: nil)], [.readBodyBytes(9)],
    ]
    let origin = try ScriptedOrigin(
      OriginPlan { scripts[$0.connection - 1] })
    let peers = try (0..<5).map { _ in try TestPeer(origin) }
    for (index, peer) in peers.prefix(4).enumerated() {
      peer.send("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
      try await origin.log.first { $0.connection == index + 1 && $0.kind.isHead }
    }
    try await origin.log.first { $0.connection == 5 }
    let start = ContinuousClock.now
    origin.close()
    origin.close()
    #expect(ContinuousClock.now - start < .seconds(30), "the pause would take 60 s")
    #expect(throws: LoopbackSocket.Failure.self) { try TestPeer(origin) }
  }

  @Test func `a wait that times out throws an error with the log`() async throws {
    let origin = try ScriptedOrigin(.respond())
    let peer = try TestPeer(origin)
    peer.send(get)
    let error = await #expect(throws: OriginLog.Missing.self) {
      try await origin.log.first(within: .milliseconds(50)) { $0.kind == .reset }
    }
    #expect(error?.description.contains("GET /a?b") == true)
  }

  @Test func `a refusing origin refuses connections`() throws {
    let origin = try ScriptedOrigin(OriginPlan(reachability: .refusing) { _ in [] })
    let error = #expect(throws: LoopbackSocket.Failure.self) { try TestPeer(origin) }
    #expect(error?.code == ECONNREFUSED)
  }

  @Test func `connecting to a silent origin neither succeeds nor fails`() throws {
    let origin = try ScriptedOrigin(OriginPlan(reachability: .silent) { _ in [] })
    let socket = try LoopbackSocket.connecting(to: UInt16(origin.port))
    defer { Foundation.close(socket) }
    var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    #expect(poll(&descriptor, 1, 200) == 0)
  }

  @Test func `a slow name resolves after its delay`() {
    let host = SlowNames.host(resolvingAfter: .milliseconds(120))
    var result: UnsafeMutablePointer<addrinfo>?
    let start = ContinuousClock.now
    #expect(getaddrinfo(host, "80", nil, &result) == 0)
    #expect(ContinuousClock.now - start >= .milliseconds(120))
    freeaddrinfo(result)
  }
}

@Suite struct ScriptedOriginTLSTests {
  private let get = "GET / HTTP/1.1\r\n\r\n"

  @Test func `the certificate of a trusted origin is valid`() throws {
    let origin = try ScriptedOrigin(.raw("hi"), scheme: .https)
    let peer = try TestPeer(origin)
    #expect(try peer.secure(trusting: ScriptedOrigin.trustedAuthority) == Int(X509_V_OK))
    peer.send(get)
    #expect(peer.read(2) == "hi")
  }

  @Test(arguments: [
    (OriginPlan.Identity.expired, X509_V_ERR_CERT_HAS_EXPIRED),
    (.wrongHost, X509_V_ERR_HOSTNAME_MISMATCH),
    (.selfSigned, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT),
    (.unknownAuthority, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY),
  ])
  func `each invalid identity fails verification with its code`(
    _ identity: OriginPlan.Identity, _ code: Int32
  ) throws {
    let origin = try ScriptedOrigin(.respond(), scheme: .https, identity: identity)
    let peer = try TestPeer(origin)
    // OpenSSL can report either of two codes for an unknown issuer.
    let found = try peer.secure(trusting: ScriptedOrigin.trustedAuthority)
    let isUnknown = code == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
    #expect(
      found == Int(code)
        || isUnknown && found == Int(X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE))
  }

  @Test func `an obsolete origin supports nothing newer than TLS 1_1`() async throws {
    let origin = try ScriptedOrigin(.respond(), scheme: .https, identity: .obsoleteProtocol)
    let peer = try TestPeer(origin)
    let error = #expect(throws: CertificateAuthority.Failure.self) {
      try peer.secure(trusting: ScriptedOrigin.trustedAuthority)
    }
    #expect(error?.reason.contains("protocol version") == true)
    try await origin.log.first {
      if case .handshakeFailed(let reason) = $0.kind {
        reason.contains("unsupported")
      } else {
        false
      }
    }
  }

  @Test(arguments: [(ScriptStep.close, true), (.closeWithoutNotify, false)])
  func `close sends close_notify and closeWithoutNotify does not`(
    _ step: ScriptStep, _ isAnnounced: Bool
  ) throws {
    let origin = try ScriptedOrigin([.send("bye"), step], scheme: .https)
    let peer = try TestPeer(origin)
    _ = try peer.secure(trusting: ScriptedOrigin.trustedAuthority)
    peer.send(get)
    #expect(peer.read() == "bye")
    #expect(peer.wasNotified == isAnnounced)
  }

  @Test func `a tunnel relays TLS to another origin`() async throws {
    let origin = try ScriptedOrigin(.raw("far"), scheme: .https)
    let proxy = try ScriptedOrigin(
      OriginPlan { _ in .respond(407) },
      tunnels: { $0.headerFields[.proxyAuthorization] != nil })
    let refused = try TestPeer(proxy)
    refused.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\n\r\n")
    #expect(refused.read(12) == "HTTP/1.1 407")
    let peer = try TestPeer(proxy)
    peer.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\nProxy-Authorization: x\r\n\r\n")
    #expect(peer.read(17) == "HTTP/1.1 200 \r\n\r\n")
    #expect(try peer.secure(trusting: ScriptedOrigin.trustedAuthority) == Int(X509_V_OK))
    peer.send(get)
    #expect(peer.read(3) == "far")
    try await proxy.log.first { $0.kind == .tunnel("localhost:\(origin.port)") }
    #expect(origin.log.connectionCount == 1)
  }
}
