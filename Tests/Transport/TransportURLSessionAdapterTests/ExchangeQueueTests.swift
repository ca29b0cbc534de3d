import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportURLSessionAdapter

@Suite struct ExchangeQueueTests {
  private let transport = URLSessionTransport()

  private func exchange(_ host: String) throws -> URLSessionExchange {
    let wire = try WireRequest(HTTPRequest(url: "http://\(host)/"), body: .none)
    return try URLSessionExchange(wire, body: .none, options: TransportOptions(), owner: transport)
  }

  @Test func `the limit per origin holds, and the next exchange starts in FIFO order`()
    throws
  {
    var queue = ExchangeQueue(ConnectionLimits(perOrigin: 1, total: 9))
    let exchanges = try ["a", "a", "a", "b"].map(exchange)
    #expect(exchanges.map { queue.add($0) } == [true, false, false, true])
    let next = exchanges[..<3].map { queue.remove($0) }
    #expect(next.map(\.count) == [1, 1, 0])
    #expect(next[0].first === exchanges[1])
    #expect(next[1].first === exchanges[2])
    let isRunning = queue.add(exchanges[0])
    #expect(isRunning)
  }

  @Test func `the total limit holds across origins`() throws {
    var queue = ExchangeQueue(ConnectionLimits(perOrigin: 9, total: 2))
    let exchanges = try ["a", "b", "c"].map(exchange)
    #expect(exchanges.map { queue.add($0) } == [true, true, false])
    let next = queue.remove(exchanges[1])
    #expect(next.map(ObjectIdentifier.init) == [ObjectIdentifier(exchanges[2])])
  }

  @Test func `a removed waiter starts no other exchange and is not started`() throws {
    var queue = ExchangeQueue(ConnectionLimits(perOrigin: 1, total: 1))
    let exchanges = try ["a", "a", "a"].map(exchange)
    #expect(exchanges.map { queue.add($0) } == [true, false, false])
    let after = [1, 1, 0].map { queue.remove(exchanges[$0]) }
    #expect(after.map(\.count) == [0, 0, 1])
    #expect(after[2].first === exchanges[2])
    let left = queue.removeAll()
    #expect(left.map(ObjectIdentifier.init) == [ObjectIdentifier(exchanges[2])])
    let isRunning = queue.add(exchanges[1])
    #expect(isRunning)
  }

  @Test(.timeLimit(.minutes(1)))
  func `an exchange that was cancelled before it is submitted keeps no place`() async throws {
    let origin = try ScriptedOrigin(.respond(text: "hi"))
    let transport = URLSessionTransport(limits: ConnectionLimits(perOrigin: 1, total: 1))
    let request = HTTPRequest(url: origin.url)
    let exchange = try URLSessionExchange(
      WireRequest(request, body: .none), body: .none, options: TransportOptions(),
      owner: transport)
    exchange.cancel()
    transport.pool.submit(exchange)
    #expect(try await transport.send(request).body.collect(upTo: 9) == Array("hi".utf8))
    #expect(origin.log.requests.count == 1)
  }
}
