import Testing

@testable import TransportPort

/// What waits for a connection.
private final class Waiter {}

@Suite struct FakeTransportModelTests {
  private let waiters = (0..<5).map { _ in Waiter() }
  private var tickets: [ObjectIdentifier] { waiters.map { ObjectIdentifier($0) } }

  private static func origin(_ host: String) throws -> HTTPOrigin {
    try WireRequest(HTTPRequest(url: "http://\(host)/"), body: .none).origin
  }

  private static func model(perOrigin: Int = 2, total: Int = 3) -> FakeTransportModel {
    FakeTransportModel(
      limits: ConnectionLimits(perOrigin: perOrigin, total: total), recordedBodyLimit: 10)
  }

  @Test func `connections are granted in FIFO order up to the limits`() throws {
    var model = Self.model()
    let (a, b) = (try Self.origin("a"), try Self.origin("b"))
    for (ticket, origin) in zip(tickets, [a, a, a, b, b]) {
      model.enqueue(ticket, for: origin, reuses: true, shares: false)
    }
    let granted = model.grant()
    #expect(granted.map(\.ticket) == [tickets[0], tickets[1], tickets[3]])
    #expect(granted.map(\.lease.connection) == [1, 2, 3])
    #expect(granted.map(\.lease.isNew) == [true, true, true])
    let none = model.grant()
    #expect(none.isEmpty)
    model.park(2)
    let next = model.grant()
    #expect(next.map(\.ticket) == [tickets[2]])
    #expect(next.first?.lease.isNew == false)
  }

  @Test func `an idle connection is closed for another origin`() throws {
    var model = Self.model(total: 1)
    model.enqueue(tickets[0], for: try Self.origin("a"), reuses: true, shares: false)
    for (_, lease) in model.grant() { model.accept(lease.connection) }
    model.park(1)
    model.enqueue(tickets[0], for: try Self.origin("b"), reuses: true, shares: false)
    let granted = model.grant()
    #expect(granted.map(\.lease.connection) == [2])
    #expect(model.events == [.connected(1), .closed(1, by: .client)])
    #expect(model.connectionCount == 1)
  }

  @Test func `a new connection replaces an idle one at the limit`() throws {
    var model = Self.model(perOrigin: 1)
    let origin = try Self.origin("a")
    model.enqueue(tickets[0], for: origin, reuses: true, shares: false)
    _ = model.grant()
    model.park(1)
    model.enqueue(tickets[0], for: origin, reuses: false, shares: false)
    let granted = model.grant()
    #expect(granted.map(\.lease.connection) == [2])
    #expect(granted.first?.lease.isNew == true)
    #expect(model.connectionCount == 1)
  }

  @Test func `a removed waiter is not granted a connection`() throws {
    var model = Self.model(perOrigin: 1)
    let origin = try Self.origin("a")
    for ticket in tickets.prefix(2) {
      model.enqueue(ticket, for: origin, reuses: true, shares: false)
    }
    model.leave(tickets[0])
    let granted = model.grant()
    #expect(granted.map(\.ticket) == [tickets[1]])
  }

  @Test func `a closed connection stays closed`() throws {
    var model = Self.model()
    model.enqueue(tickets[0], for: try Self.origin("a"), reuses: true, shares: false)
    _ = model.grant()
    model.accept(1)
    model.close(1, by: .origin)
    model.close(1, by: .client)
    model.park(1)
    model.accept(1)
    #expect(model.events == [.connected(1), .closed(1, by: .origin)])
    model.enqueue(tickets[0], for: try Self.origin("a"), reuses: true, shares: false)
    let granted = model.grant()
    #expect(granted.map(\.lease.connection) == [2])
  }

  @Test func `shutdown closes all connections, also those returned later`() throws {
    var model = Self.model()
    for (ticket, host) in zip(tickets, ["a", "b"]) {
      model.enqueue(ticket, for: try Self.origin(host), reuses: true, shares: false)
    }
    for (_, lease) in model.grant() { model.accept(lease.connection) }
    model.park(1)
    model.shutDown()
    model.park(2)
    #expect(model.isShutDown)
    #expect(model.connectionCount == 0)
    #expect(model.events.suffix(2) == [.closed(1, by: .client), .closed(2, by: .client)])
  }
}
