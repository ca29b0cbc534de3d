import Testing

@testable import TransportPort

/// What waits for a connection.
private final class Waiter {}

@Suite struct FakeTransportModelTests {
  private let waiters = (0..<8).map { _ in Waiter() }
  private var tickets: [ObjectIdentifier] { waiters.map { ObjectIdentifier($0) } }

  private static func origin(_ host: String) throws -> HTTPOrigin {
    try WireRequest(HTTPRequest(url: "http://\(host)/"), body: .none).origin
  }

  private let model = FakeTransportModel(limits: ConnectionLimits(), recordedBodyLimit: 10)

  @Test func `a closed connection stays closed`() throws {
    var model = model
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

  @Test func `a later GOAWAY excludes more requests, never fewer`() throws {
    var model = model
    model.enqueue(tickets[0], for: try Self.origin("a"), reuses: true, shares: true)
    _ = model.grant()
    for lastProcessed in [3, 2, 4] { model.goAway(1, lastProcessed: lastProcessed) }
    #expect((1...4).map { model.isUnprocessed($0, on: 1) } == [false, false, true, true])
  }

  /// Returns a model with idle connections 1 and 2 to a host; 1 was used last.
  private func idleModel(_ limits: ConnectionLimits) throws -> FakeTransportModel {
    var model = FakeTransportModel(limits: limits, recordedBodyLimit: 10)
    for ticket in tickets.prefix(2) {
      model.enqueue(ticket, for: try Self.origin("a"), reuses: true, shares: false)
    }
    for (_, lease) in model.grant() { model.accept(lease.connection) }
    for connection in [2, 1] { model.park(connection) }
    return model
  }

  @Test func `of several idle connections the one that was used last is used`() throws {
    var model = try idleModel(ConnectionLimits())
    for ticket in tickets.prefix(3) {
      model.enqueue(ticket, for: try Self.origin("a"), reuses: true, shares: false)
    }
    #expect(model.grant().map(\.lease.connection) == [1, 2, 3])
  }

  @Test(arguments: [
    (ConnectionLimits(perOrigin: 2, total: 9), "a"),
    (ConnectionLimits(perOrigin: 9, total: 2), "b"),
  ])
  func `where a limit is reached, the connection that is idle for longest is closed`(
    _ limits: ConnectionLimits, _ host: String
  ) throws {
    var model = try idleModel(limits)
    model.enqueue(tickets[0], for: try Self.origin(host), reuses: false, shares: false)
    #expect(model.grant().map(\.lease.connection) == [3])
    #expect(model.events.last == .closed(2, by: .client))
  }

  @Test func `shutdown closes all connections, also those returned later`() throws {
    var model = model
    for ticket in tickets {
      model.enqueue(ticket, for: try Self.origin("a"), reuses: true, shares: false)
    }
    for (_, lease) in model.grant() { model.accept(lease.connection) }
    model.park(1)
    model.shutDown()
    model.park(2)
    #expect(model.isShutDown)
    #expect(model.connectionCount == 0)
    #expect(model.events.suffix(8) == (1...8).map { .closed($0, by: .client) })
  }

  @Test func `a connection that is returned after its end is as good as none`() throws {
    var model = FakeTransportModel(
      limits: ConnectionLimits(perOrigin: 1, total: 1), recordedBodyLimit: 0)
    model.enqueue(tickets[0], for: try Self.origin("a"), reuses: true, shares: false)
    _ = model.grant()
    model.close(1, by: .origin)
    model.park(1)
    model.enqueue(tickets[0], for: try Self.origin("a"), reuses: true, shares: false)
    #expect(
      model.grant().map(\.lease) == [
        .init(connection: 2, origin: try Self.origin("a"), isNew: true)
      ])
    // Nor does it make room for another.
    model.enqueue(tickets[1], for: try Self.origin("b"), reuses: true, shares: false)
    #expect(model.grant().isEmpty)
  }

  @Test func `of several shared connections the newest is used, or a new one if asked for`() throws
  {
    var model = model
    for reuses in [true, false] {
      model.enqueue(tickets[0], for: try Self.origin("a"), reuses: reuses, shares: true)
      for (_, lease) in model.grant() { model.accept(lease.connection) }
    }
    #expect(model.connectionCount == 2)
    model.enqueue(tickets[0], for: try Self.origin("a"), reuses: true, shares: true)
    #expect(model.grant().map(\.lease.connection) == [2])
  }

  @Test func `after a shutdown nobody waits`() throws {
    var model = model
    model.enqueue(tickets[0], for: try Self.origin("a"), reuses: true, shares: false)
    model.shutDown()
    #expect(model.grant().isEmpty)
  }

  @Test func `a request on a connection that has ended is its first`() throws {
    var model = model
    let wire = try WireRequest(HTTPRequest(url: "http://a/"), body: .none)
    #expect(model.receive(wire, on: 5).head.ordinal == 1)
  }

  @Test(arguments: [(-1, ""), (0, ""), (1, "a"), (4, "abcd"), (6, "abcdef"), (7, "abcdef")])
  func `content is recorded up to the limit, piece by piece`(
    _ limit: Int, _ recorded: String
  ) throws {
    var model = FakeTransportModel(limits: ConnectionLimits(), recordedBodyLimit: limit)
    let wire = try WireRequest(HTTPRequest(url: "http://a/"), body: .none)
    let index = model.receive(wire, on: 1).index
    for piece in ["ab", "cd", "ef"] { model.record(Array(piece.utf8), of: index) }
    #expect(model.requests[index].body.text == recorded)
    #expect(model.requests[index].bodyCount == 6)
  }
}
