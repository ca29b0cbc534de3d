import SystemLocks

/// A transport without a network: it plays an origin's plan in memory and keeps a record.
///
/// It parses what the scripts send as a real client would, so that splits, floods, truncations and
/// malformations have their true effect. Time passes on the clock it is given. Nothing happens that
/// the consumer did not ask for: a script moves on when the response is read.
///
/// Scripts say what an origin does about a request. A busy one, then one that is well again:
/// ```swift
/// let fake = FakeTransport(OriginPlan(inTurn: [.respond(503), .respond(text: "done")]))
/// ```
/// Content that stops halfway, with a deadline in virtual time:
/// ```swift
/// let clock = ManualClock()  // from the module ManualClocks
/// let fake = FakeTransport(clock: clock) { _ in
///   .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") + [.pause(.seconds(60)), .send("defghi")]
/// }
/// let transport = fake.enforcing(Deadlines(overall: .seconds(5)), clock: clock)
/// async let answer = HTTPClient(transport: transport).get("http://example.com/")
/// await clock.waitForSleepers(2)  // The pause and the deadline.
/// clock.advance(by: .seconds(5))
/// ```
/// An answer that comes before the content was sent, and the end of the connection:
/// ```swift
/// let fake = FakeTransport { _ in
///   [.readBodyBytes(1), .send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"), .close]
/// }
/// ```
/// The same plans and scripts are played on a socket by the `ScriptedOrigin` of the product of that
/// name. A response such as 503 is no failure, so that ``HTTPTransport/retryingWhenSafe(attempts:backoff:clock:)``
/// does not send again for it.
public final class FakeTransport: HTTPTransport {
  private struct State {
    var model: FakeTransportModel
    var promises: [Int: Promise<FakeTransportModel.Lease?>] = [:]
    var live: [Int: Live] = [:]
    var lastExchange = 0
    /// The tunnels through a proxy, by the connections that they carry.
    var tunnels: [Int: HTTPExchange] = [:]
  }

  /// A running exchange.
  private struct Live {
    var end: @Sendable (FakeExchange.End) -> Void
    var connection: Int?
    var ordinal: Int?
  }

  let plan: OriginPlan
  let clock: any Clock<Duration>
  /// What stands on the way to every origin.
  public let proxy: Proxy?
  private let state: Mutex<State>

  /// A fake that plays a plan.
  ///
  /// - Parameters:
  ///   - plan: What every origin does, whatever its host.
  ///   - limits: How many connections may be open.
  ///   - proxy: What stands on the way to every origin.
  ///   - clock: What measures the pauses of scripts, and the connect and continue time-outs.
  ///   - recordedBodyLimit: The most bytes of each request body to keep.
  public init(
    _ plan: OriginPlan, limits: ConnectionLimits = ConnectionLimits(), proxy: Proxy? = nil,
    clock: any Clock<Duration> = ContinuousClock(), recordedBodyLimit: Int = 1 << 20
  ) {
    self.plan = plan
    self.clock = clock
    self.proxy = proxy
    self.state = Mutex(
      State(model: FakeTransportModel(limits: limits, recordedBodyLimit: recordedBodyLimit)))
  }

  /// A fake that answers each request by a closure.
  public convenience init(
    clock: any Clock<Duration> = ContinuousClock(),
    answering onRequest: @escaping @Sendable (OriginRequest) -> OriginScript
  ) {
    self.init(OriginPlan(onRequest: onRequest), clock: clock)
  }

  /// The requests that reached the origin, in order.
  public var requests: [RecordedRequest] { state.withLock { $0.model.requests } }

  /// What the origin saw, in order.
  public var events: [OriginEvent] { state.withLock { $0.model.events } }

  /// How many connections are open, idle ones included.
  public var connectionCount: Int { state.withLock { $0.model.connectionCount } }

  /// Ends every request with ``TransportError/Kind-swift.enum/shutDown``, now and from now on.
  public func shutDown() {
    let (live, promises, tunnels) = state.withLock { state in
      state.model.shutDown()
      defer {
        state.live = [:]
        state.promises = [:]
        state.tunnels = [:]
      }
      return (state.live.values, state.promises.values, state.tunnels.values)
    }
    for tunnel in tunnels { tunnel.body.cancel() }
    for exchange in live { exchange.end(.failed(.shutDown)) }
    for promise in promises { promise.keep(nil) }
  }

  public func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var (player, wire) = (self, try WireRequest(request, body: body))
    if let proxy, wire.origin.scheme == .http, proxy.isOnWay(to: wire.origin) {
      (player, wire) = (proxy.transport, wire.proxied(authorization: proxy.authorization))
    }
    let exchange = FakeExchange(
      transport: player, wire: wire, request: request, body: body, options: options)
    return try await exchange.start()
  }
}

/// What an exchange needs of its transport.
extension FakeTransport {
  /// Registers a running exchange, to be ended on shutdown.
  ///
  /// - Returns: Its number, or `nil` when the transport is shut down.
  func register(_ end: @escaping @Sendable (FakeExchange.End) -> Void) -> Int? {
    state.withLock { state in
      guard !state.model.isShutDown else { return nil }
      state.lastExchange += 1
      state.live[state.lastExchange] = Live(end: end)
      return state.lastExchange
    }
  }

  /// Forgets an exchange.
  func unregister(_ exchange: Int) {
    state.withLock { state in
      _ = state.live.removeValue(forKey: exchange)
    }
  }

  /// Gets in line for a connection.
  ///
  /// - Returns: A connection, or `nil` when the task was cancelled or the transport shut down.
  func lease(for origin: HTTPOrigin, reuses: Bool) async -> FakeTransportModel.Lease? {
    let promise = Promise<FakeTransportModel.Lease?>()
    let shares = plan.version == .http2 && origin.scheme == .https
    let ticket = change { state -> Int? in
      guard !state.model.isShutDown else { return nil }
      let ticket = state.model.enqueue(for: origin, reuses: reuses, shares: shares)
      state.promises[ticket] = promise
      return ticket
    }
    guard let ticket else { return nil }
    return await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      let promise = state.withLock { state in
        state.model.leave(ticket)
        return state.promises.removeValue(forKey: ticket)
      }
      promise?.keep(nil)
    }
  }

  /// Keeps the tunnel that a connection goes through until that connection ends.
  func keep(_ tunnel: HTTPExchange, for connection: Int) {
    state.withLock { $0.tunnels[connection] = tunnel }
  }

  /// Notes which connection an exchange is on.
  func board(_ connection: Int, exchange: Int?) {
    guard let exchange else { return }
    state.withLock { $0.live[exchange]?.connection = connection }
  }

  /// Records that the origin accepted a connection, which others may have waited for to share it.
  func accept(_ connection: Int) {
    change { $0.model.accept(connection) }
  }

  /// Gives a connection back for the next request.
  func park(_ connection: Int) {
    change { $0.model.park(connection) }
  }

  /// Ends a connection; where the client gives up one of several requests on it, that one alone.
  func close(_ connection: Int, by side: OriginEvent.Side) {
    let others = change { state -> [Live] in
      if side == .client, state.model.reset(on: connection) { return [] }
      state.model.close(connection, by: side)
      return state.live.values.filter { $0.connection == connection }
    }
    // What it holds must not be dropped under the lock.
    let tunnel = state.withLock { $0.tunnels.removeValue(forKey: connection) }
    tunnel?.body.cancel()
    for exchange in others { exchange.end(.failed(.connectionReset)) }
  }

  /// The origin says that a connection takes no request after one of an ordinal.
  func goAway(_ connection: Int, lastTaken: Int) {
    let unprocessed = change { state -> [Live] in
      state.model.goAway(connection, lastTaken: lastTaken)
      return state.live.values.filter { live in
        live.connection == connection && live.ordinal.map { $0 > lastTaken } ?? false
      }
    }
    for exchange in unprocessed { exchange.end(.unprocessed) }
  }

  /// Whether the origin has said that it does not take a request on.
  func isUnprocessed(_ head: OriginRequest) -> Bool {
    state.withLock { $0.model.isUnprocessed(head.ordinal, on: head.connection) }
  }

  /// Records that the origin read the head of a request.
  func receive(
    _ wire: WireRequest, on connection: Int, exchange: Int?
  ) -> (head: OriginRequest, index: Int) {
    state.withLock { state in
      let received = state.model.receive(wire, on: connection)
      if let exchange { state.live[exchange]?.ordinal = received.head.ordinal }
      return received
    }
  }

  /// Records content that the origin read.
  func record(_ bytes: [UInt8], of index: Int) {
    state.withLock { $0.model.record(bytes, of: index) }
  }

  /// Records that the origin read a request to its end.
  func complete(_ index: Int, trailers: HTTPFields) {
    state.withLock { $0.model.complete(index, trailers: trailers) }
  }

  /// Changes the model, then hands out what became free.
  ///
  /// Promises are kept outside the lock: to resume a task takes the task's own lock, which is held
  /// while the task's cancellation handler waits for this one.
  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, granted) = state.withLock { state in
      let value = body(&state)
      var granted: [(Promise<FakeTransportModel.Lease?>, FakeTransportModel.Lease)] = []
      for (ticket, lease) in state.model.grant() {
        guard let promise = state.promises.removeValue(forKey: ticket) else { continue }
        granted.append((promise, lease))
      }
      return (value, granted)
    }
    for (promise, lease) in granted { promise.keep(lease) }
    return value
  }
}
