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

  @Test func `only as much of a body is read as the script says`() async throws {
    let origin = try ScriptedOrigin([.readBodyBytes(3), .send("early"), .stall])
    let peer = try TestPeer(origin)
    peer.send("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabcdef")
    #expect(peer.read(5) == "early")
    #expect(origin.log.requests.first?.bodyCount == 3)
  }

  @Test func `bytes are repeated exactly the given number of times`() throws {
    let origin = try ScriptedOrigin([.sendRepeatedly(Array("abc".utf8), count: 50_001), .close])
    let peer = try TestPeer(origin)
    peer.send(get)
    let text = peer.read()
    #expect(text.utf8.count == 150_003)
    #expect(text == String(repeating: "abc", count: 50_001))
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
    // The port may belong to another test by now; the origin has no further connection.
    if let other = try? TestPeer(origin) {
      await #expect(throws: OriginLog.Missing.self) {
        try await origin.log.first(within: .milliseconds(200)) { $0.connection == 6 }
      }
      other.close()
    }
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
}
