import ContractTesting
import Foundation
import SeededRandom
import SystemPlatform
import Testing

@testable import ServerFixtures

/// The proxy's faults, between a client and the value server.
@Suite(.timeLimit(.minutes(3))) struct TCPProxyTests {
  /// Runs a body with a proxy to a server.
  private func withProxy(
    seed: UInt64 = 1, _ body: (TCPProxy, Server) async throws -> Void
  ) async throws {
    let scope = FixtureScope()
    let server = try await scope.server(ValueServer.path, arguments: ValueServer.arguments)
    try await body(try scope.proxy(to: server.port, seed: seed), server)
    #expect(await scope.tearDown().isEmpty)
  }

  @Test func `without faults, bytes pass in both directions`() async throws {
    try await withProxy { proxy, _ in
      let client = try Client(port: proxy.port)
      #expect(client.ask("hello") == .bytes("hello"))
      let long = String(repeating: "x", count: 300_000)
      #expect(client.ask(long) == .bytes(long))
      #expect(proxy.connectionCount == 1)
      // Each reply ends with a line feed.
      #expect(proxy.answeredBytes == 300_007)
    }
  }

  @Test func `refused connections are refused, and accepted again on the same port`() async throws {
    try await withProxy { proxy, _ in
      for _ in 0..<20 {
        proxy.faults.refusesConnections = true
        #expect(throws: (any Error).self) { try Client(port: proxy.port) }
        #expect(throws: LoopbackSocket.Failure.self, "another program can take the port") {
          try LoopbackSocket.bound(to: proxy.port)
        }
        #expect(throws: LoopbackSocket.Failure.self, "a server can take the port") {
          try LoopbackSocket.bound(to: proxy.port, isReusable: true)
        }
        proxy.faults.refusesConnections = false
        let client = try Client(port: proxy.port)
        #expect(client.ask("hello") == .bytes("hello"))
      }
    }
  }

  /// A process that another thread starts has a copy of every descriptor until it calls execve(2).
  @Test func `connections are refused while a copy of the listening socket is open`() async throws {
    try await withProxy { proxy, _ in
      let listener = try #require(
        (3..<4096).first { LoopbackSocket.isListening($0, on: proxy.port) })
      let copy = dup(listener)
      defer { close(copy) }
      proxy.faults.refusesConnections = true
      #expect(throws: (any Error).self) { try Client(port: proxy.port) }
      proxy.faults.refusesConnections = false
      #expect(try Client(port: proxy.port).ask("hello") == .bytes("hello"))
    }
  }

  @Test(arguments: [
    (ProxyFaults.Ending.reset, Client.Reply.reset), (.close, .end), (.halfClose, .end),
  ])
  func `a reply is cut after some bytes`(ending: ProxyFaults.Ending, reply: Client.Reply)
    async throws
  {
    try await withProxy { proxy, _ in
      proxy.faults.downstream.cut = .init(after: 3, by: ending)
      let client = try Client(port: proxy.port)
      client.send("hello")
      // A RST may overtake the bytes before it.
      let first = client.readLine()
      #expect(first == .bytes("hel") || (ending == .reset && first == .reset))
      #expect(client.readSome(1) == reply || (ending == .reset && client.readSome(1) == .end))
    }
  }

  @Test func `a request that is cut never reaches the server whole`() async throws {
    try await withProxy { proxy, server in
      proxy.faults.upstream.cut = .init(after: 6, by: .close)
      let client = try Client(port: proxy.port)
      #expect(client.ask("put seven") == .end)
      #expect(try Client(port: server.port).ask("get") == .bytes(""))
    }
  }

  @Test func `a black hole swallows replies, and the server has done its work`() async throws {
    try await withProxy { proxy, server in
      proxy.faults.downstream.isBlackHole = true
      let client = try Client(port: proxy.port)
      client.send("put seven")
      #expect(client.readSome(1, within: 100) == .nothing)
      let direct = try Client(port: server.port)
      while direct.ask("get") != .bytes("seven") {}
      await server.kill()
      #expect(client.readSome(1, within: 100) == .nothing)
    }
  }

  @Test func `latency delays replies and keeps their order`() async throws {
    try await withProxy { proxy, _ in
      proxy.faults.downstream.latency = .milliseconds(1) ... .milliseconds(40)
      let client = try Client(port: proxy.port)
      let start = ContinuousClock.now
      for number in 0..<20 { client.send("line \(number)") }
      for number in 0..<20 { #expect(client.readLine() == .bytes("line \(number)")) }
      #expect(start.duration(to: .now) >= .milliseconds(1))
    }
  }

  @Test func `a rate slows bytes down`() async throws {
    try await withProxy { proxy, _ in
      proxy.faults.downstream.bytesPerSecond = 10_000
      let client = try Client(port: proxy.port)
      let start = ContinuousClock.now
      #expect(client.ask(String(repeating: "x", count: 2_000)) != .nothing)
      #expect(start.duration(to: .now) >= .milliseconds(190))
    }
  }

  @Test func `connections are reset on demand, and stopping ends everything`() async throws {
    try await withProxy { proxy, _ in
      let client = try Client(port: proxy.port)
      #expect(client.ask("hello") == .bytes("hello"))
      proxy.resetConnections()
      #expect(client.readLine() == .reset)
      proxy.stop()
      proxy.stop()
      // A server of another test may have the port by now. What matters is that the proxy has no new connection.
      let count = proxy.connectionCount
      if let other = try? Client(port: proxy.port) { _ = other.ask("hello") }
      #expect(proxy.connectionCount == count)
    }
  }

  @Test func `stopping does not block a change of the faults at the same time`() async throws {
    // Threads of its own: the tasks of other tests may occupy the pool for long.
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        done.resume(
          with: Result {
            for _ in 0..<300 {
              let proxy = try TCPProxy(to: 9)
              DispatchQueue.concurrentPerform(iterations: 5) { index in
                if index == 4 { return proxy.stop() }
                for change in 0..<10 { proxy.faults.refusesConnections = change.isMultiple(of: 2) }
              }
            }
          })
      }
    }
  }

  @Test func `stopping ends connections that a delay holds up`() async throws {
    let hour = Duration.seconds(3600)
    try await withProxy { proxy, _ in
      proxy.faults.downstream.latency = hour...hour
      let answered = try Client(port: proxy.port)
      answered.send("hello")
      #expect(answered.readSome(1, within: 100) == .nothing)
      proxy.faults.connectionDelay = hour...hour
      let delayed = try Client(port: proxy.port)
      #expect(delayed.readSome(1, within: 100) == .nothing)
      func expect(_ count: Int) async throws {
        let limit = ContinuousClock.now + .seconds(20)
        while proxy.openConnectionCount != count, ContinuousClock.now < limit {
          try await Task.sleep(for: .milliseconds(5))
        }
        #expect(proxy.openConnectionCount == count)
      }
      try await expect(2)
      proxy.stop()
      #expect(answered.readLine() == .reset && delayed.readLine() == .reset)
      try await expect(0)
    }
  }

  @Test func `a server that does not run resets the client`() async throws {
    try await withProxy { proxy, server in
      await server.stop()
      let client = try Client(port: proxy.port)
      #expect([.reset, .end].contains(client.ask("hello")))
      try await server.restart()
      #expect(try Client(port: proxy.port).ask("hello") == .bytes("hello"))
    }
  }

  @Test func `random delays depend on the seed only`() throws {
    let delays = { (seed: UInt64) in
      var random = SplitMix64(seed: seed)
      return (0..<5).map { _ in random.draw(.zero ... .seconds(1)) }
    }
    #expect(delays(1) == delays(1))
    #expect(delays(1) != delays(2))
  }
}

extension LoopbackSocket {
  fileprivate static func isListening(_ descriptor: Int32, on port: UInt16) -> Bool {
    var accepts: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts == 1
      && localPort(of: descriptor) == port
  }
}
