import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite final class CurlQueueTests {
  private let transport: CurlTransport
  private var queue: CurlQueue

  init() throws {
    var configuration = CurlTransport.Configuration()
    configuration.limits = ConnectionLimits(perOrigin: 2, total: 3)
    configuration.maximumStreamsPerOrigin = 4
    transport = try CurlTransport(configuration)
    queue = CurlQueue(configuration)
  }

  /// Adds a transfer to an origin; `nil` for the lane if it waits.
  private func add(_ host: String) throws -> (lane: CurlQueue.Lane?, ticket: Int?) {
    let transfer = try CurlTransfer(
      HTTPRequest(url: "http://\(host)/"), body: .none, options: .init(), owner: transport)
    switch queue.add(transfer) {
    case .mayStart(let lane): return (lane, nil)
    case .waits(let lane, let ticket):
      waitingLane = lane
      return (nil, ticket)
    }
  }

  /// The lane of the last transfer that waits.
  private var waitingLane: CurlQueue.Lane?

  private func noteMultiplexing(_ lane: CurlQueue.Lane) -> Bool { queue.noteMultiplexing(lane) }

  /// The hosts of the transfers that may start next, in order.
  private func next() -> [String] {
    var hosts: [String] = []
    while let (transfer, _) = queue.next() { hosts.append(transfer.wire.origin.host) }
    return hosts
  }

  @Test func `transfers wait for the limits of their origin and of all`() throws {
    let first = try #require(try add("a").lane)
    #expect(try add("a").lane === first)
    #expect(try add("a").lane == nil)
    let other = try #require(try add("b").lane)
    #expect(try add("c").lane == nil)
    #expect(try add("a").lane == nil)
    #expect(queue.waiting.count == 3)
    #expect(next() == [])
    queue.release(first, hadConnection: true)
    #expect(next() == ["a"])
    // Origins take turns: the one that waited behind the first is next, although both may start.
    queue.release(first, hadConnection: true)
    queue.release(other, hadConnection: true)
    #expect(next() == ["c", "a"])
    #expect(queue.waiting.isEmpty)
  }

  @Test func `a transfer that was removed does not start`() throws {
    let lane = try #require(try add("a").lane)
    _ = try add("a")
    let tickets = try (1...3).compactMap { _ in try add("a").ticket }
    #expect(tickets == [0, 1, 2])
    queue.remove(ticket: tickets[1], from: lane)
    for _ in 1...2 { queue.release(lane, hadConnection: true) }
    #expect(next() == ["a", "a"])
    #expect(queue.waiting.isEmpty)
  }

  @Test func `the transfers of an HTTP/2 origin share one place`() throws {
    let lane = try #require(try add("a").lane)
    for _ in 1...4 { _ = try add("a") }
    #expect(noteMultiplexing(lane))
    #expect(!noteMultiplexing(lane))
    #expect(next() == ["a", "a"])
    // The limit of streams.
    #expect(queue.waiting.count == 1)
    for host in ["b", "c"] { #expect(try add(host).lane != nil) }
    #expect(try add("d").lane == nil)
    for _ in 1...3 { queue.release(lane, hadConnection: true) }
    #expect(next() == ["a"])
    for _ in 1...2 { queue.release(lane, hadConnection: true) }
    #expect(next() == ["d"])
  }

  @Test func `after GOAWAY one transfer opens a connection, and the others wait for it`()
    throws
  {
    let lane = try #require(try add("a").lane)
    #expect(noteMultiplexing(lane))
    #expect(!queue.noteConnection(lane))
    queue.noteGoAway(lane)
    #expect(try add("a").lane === lane)
    for _ in 1...2 { #expect(try add("a").lane == nil) }
    // Another GOAWAY of the old connection changes nothing.
    queue.noteGoAway(lane)
    #expect(next() == [])
    // The transfer failed to connect, so the next one tries.
    queue.release(lane, hadConnection: false)
    #expect(next() == ["a"])
    #expect(queue.noteConnection(lane))
    #expect(!queue.noteConnection(lane))
    #expect(next() == ["a"])
  }

  @Test func `an origin without transfers is forgotten, and any other is not`() throws {
    let first = try #require(try add("a").lane)
    let other = try #require(try add("b").lane)
    #expect(try add("a").lane === first)
    queue.release(other, hadConnection: true)
    #expect(try add("b").lane !== other)
    for _ in 1...2 { queue.release(first, hadConnection: true) }
    let again = try #require(try add("a").lane)
    #expect(again !== first)
    queue.release(again, hadConnection: true)
    #expect(try add("a").lane !== again)
  }

  @Test func `an origin whose transfers only wait is kept until they leave`() throws {
    for host in ["a", "b", "c"] { _ = try add(host) }
    let ticket = try #require(try add("d").ticket)
    let second = try #require(try add("d").ticket)
    #expect((ticket, second) == (0, 1))
    let lane = try #require(waitingLane)
    queue.remove(ticket: ticket, from: lane)
    #expect(try add("d").ticket == 2)
    for ticket in 1...2 { queue.remove(ticket: ticket, from: lane) }
    // A new lane counts from the start.
    #expect(try add("d").ticket == 0)
  }

  @Test func `a connection counts again when an HTTP/2 origin starts after a rest`() throws {
    let lane = try #require(try add("a").lane)
    #expect(noteMultiplexing(lane))
    for _ in 1...4 { _ = try add("a") }
    for _ in 1...4 { queue.release(lane, hadConnection: true) }
    #expect(next() == ["a"])
    for host in ["b", "c"] { #expect(try add(host).lane != nil) }
    #expect(try add("d").lane == nil)
  }

  @Test func `only the end of the transfer that opens a connection lets another open it`() throws {
    let lane = try #require(try add("a").lane)
    #expect(noteMultiplexing(lane))
    _ = try add("a")
    // No connection was awaited, so nobody waits for another.
    queue.release(lane, hadConnection: false)
    for _ in 1...2 { #expect(try add("a").lane === lane) }
    queue.noteGoAway(lane)
    #expect(try add("a").lane === lane)
    #expect(try add("a").lane == nil)
    queue.release(lane, hadConnection: true)
    #expect(next() == [])
    queue.release(lane, hadConnection: false)
    #expect(next() == ["a"])
  }

  @Test func `a limit of none is one`() throws {
    var configuration = CurlTransport.Configuration()
    // Only the initializer of the limits ensures that they are at least 1.
    configuration.limits.perOrigin = 0
    queue = CurlQueue(configuration)
    #expect(try add("a").lane != nil)
    #expect(try add("a").lane == nil)
  }

  @Test func `a transfer waits behind the others of its origin, although there is room`() throws {
    let lane = try #require(try add("a").lane)
    _ = try add("a")
    #expect(try add("a").ticket == 0)
    for _ in 1...2 { queue.release(lane, hadConnection: true) }
    #expect(try add("a").ticket == 1)
    #expect(next() == ["a", "a"])
  }
}
