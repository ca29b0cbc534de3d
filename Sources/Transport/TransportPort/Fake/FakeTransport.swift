import SystemLocks

/// A transport without a network that plays an origin's plan in memory and records the requests.
///
/// It parses the bytes that scripts send with the parser of the real transports, so that splits,
/// floods, truncations and malformed heads have their real effects. Pauses and timeouts run on the
/// clock passed to the initializer. A script advances only when the client reads the response.
///
/// A server that is unavailable once and then answers:
/// ```swift
/// let fake = FakeTransport(OriginPlan(inTurn: [.respond(503), .respond(text: "done")]))
/// ```
/// A response that stalls, with a deadline in virtual time:
/// ```swift
/// let clock = ManualClock()  // from the module ManualClocks
/// let fake = FakeTransport(clock: clock) { _ in
///   .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
///     + [.pause(.seconds(60)), .send("defghi")]
/// }
/// let transport = fake.enforcing(Deadlines(overall: .seconds(5)), clock: clock)
/// async let answer = HTTPClient(transport: transport).get("http://example.com/")
/// await clock.waitForSleepers(2)  // the pause and the deadline
/// clock.advance(by: .seconds(5))
/// ```
/// A response before the upload is complete, after which the connection closes:
/// ```swift
/// let fake = FakeTransport { _ in
///   [.readBodyBytes(1), .send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"), .close]
/// }
/// ```
/// `ScriptedOrigin`, in the product of the same name, plays the same plans on a real socket.
public final class FakeTransport: HTTPTransport {
  private struct State {
    var model: FakeTransportModel
    var promises: [ObjectIdentifier: Promise<FakeTransportModel.Lease?>] = [:]
    var live: [ObjectIdentifier: Live] = [:]
    /// The tunnels through the proxy, by the connections inside them.
    var tunnels: [Int: HTTPExchange] = [:]
  }

  /// A running exchange.
  private struct Live {
    let exchange: FakeExchange
    var connection: Int?
    var ordinal: Int?
  }

  let plan: OriginPlan
  let clock: any Clock<Duration>
  /// The proxy between this transport and its origins, if there is one.
  public let proxy: Proxy?
  private let state: Mutex<State>
  /// Held while a request arrives on a shared connection.
  private let arrival = Mutex(())

  /// Creates a fake that plays a plan.
  ///
  /// - Parameters:
  ///   - plan: The behavior of every origin, whatever its host.
  ///   - limits: The maximum number of open connections.
  ///   - proxy: A proxy between this transport and its origins.
  ///   - clock: The clock for pauses in scripts and for the connect and continue timeouts.
  ///   - recordedBodyLimit: The maximum number of bytes to record of each request body.
  public init(
    _ plan: OriginPlan, limits: ConnectionLimits = ConnectionLimits(), proxy: Proxy? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    recordedBodyLimit: Int = 1 << 20
  ) {
    self.plan = plan
    self.clock = clock
    self.proxy = proxy
    self.state = Mutex(
      State(model: FakeTransportModel(limits: limits, recordedBodyLimit: recordedBodyLimit)))
  }

  /// Creates a fake that answers each request with the script that a closure returns.
  public convenience init(
    clock: any Clock<Duration> = ContinuousClock(),
    answering onRequest: @escaping @Sendable (OriginRequest) -> OriginScript
  ) {
    self.init(OriginPlan(onRequest: onRequest), clock: clock)
  }

  /// The requests that reached the origin, in order.
  public var requests: [RecordedRequest] { state.withLock { $0.model.requests } }

  /// The events that the origin observed, in order.
  public var events: [OriginEvent] { state.withLock { $0.model.events } }

  /// The number of open connections, including idle ones.
  public var connectionCount: Int { state.withLock { $0.model.connectionCount } }

  /// Ends all pending requests and makes later ones fail with
  /// ``TransportError/Kind-swift.enum/shutDown``, also those through ``proxy``.
  public func shutDown() {
    let live = state.withLock { state in
      state.model.shutDown()
      return state.live.values
    }
    for one in live { one.exchange.end(.failed(.shutDown)) }
    proxy?.transport.shutDown()
  }

  public func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var (player, wire) = (self, try WireRequest(request, body: body))
    if let proxy, wire.origin.scheme == .http, proxy.applies(to: wire.origin) {
      (player, wire) = (proxy.transport, wire.proxied(authorization: proxy.authorization))
    }
    let exchange = FakeExchange(
      transport: player, wire: wire, request: request, body: body, options: options)
    return try await exchange.start()
  }
}

// The interface for exchanges.
extension FakeTransport {
  /// Registers a running exchange, so that a shutdown can end it.
  ///
  /// - Returns: Whether it was registered; not if the transport is shut down.
  func register(_ exchange: FakeExchange) -> Bool {
    state.withLock { state in
      guard !state.model.isShutDown else { return false }
      state.live[ObjectIdentifier(exchange)] = Live(exchange: exchange)
      return true
    }
  }

  /// Removes an exchange from the registry, which retains it until then.
  func unregister(_ exchange: FakeExchange) {
    _ = state.withLock { $0.live.removeValue(forKey: ObjectIdentifier(exchange)) }
  }

  /// Waits for a connection in FIFO order.
  ///
  /// - Returns: A connection, or `nil` if the task was cancelled; a shutdown cancels it too.
  func lease(for exchange: FakeExchange) async -> FakeTransportModel.Lease? {
    let promise = Promise<FakeTransportModel.Lease?>()
    let origin = exchange.wire.origin
    let ticket = ObjectIdentifier(exchange)
    change { state in
      state.model.enqueue(
        ticket, for: origin, reuses: exchange.options.reusesConnections,
        shares: plan.version == .http2 && origin.scheme == .https)
      state.promises[ticket] = promise
    }
    return await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      let promise = state.withLock { state in
        state.model.leave(ticket)
        return state.promises.removeValue(forKey: ticket)
      }
      promise?.fulfill(nil)
    }
  }

  /// Retains the tunnel of a connection until the connection ends.
  func retain(_ tunnel: HTTPExchange, for connection: Int) {
    state.withLock { $0.tunnels[connection] = tunnel }
  }

  /// Records the connection of an exchange.
  func assign(_ connection: Int, to exchange: FakeExchange) {
    state.withLock { $0.live[ObjectIdentifier(exchange)]?.connection = connection }
  }

  /// Records that the origin accepted a connection. Exchanges that wait to share it can now start.
  func accept(_ connection: Int) {
    change { $0.model.accept(connection) }
  }

  /// Returns a connection for reuse.
  func park(_ connection: Int) {
    change { $0.model.park(connection) }
  }

  /// Ends a connection; if the client cancels one of several requests on it, only that request.
  func close(_ connection: Int, by side: OriginEvent.Side) {
    let others = change { state -> [Live] in
      if side == .client, state.model.reset(on: connection) { return [] }
      state.model.close(connection, by: side)
      // A shutdown ends each exchange itself.
      return state.model.isShutDown
        ? [] : state.live.values.filter { $0.connection == connection }
    }
    // Releasing the tunnel calls back into the proxy's transport, so not under the lock.
    _ = state.withLock { $0.tunnels.removeValue(forKey: connection) }
    for other in others { other.exchange.end(.failed(.connectionReset)) }
  }

  /// Handles GOAWAY: the origin processes no request after the one with the given ordinal.
  func goAway(_ connection: Int, lastProcessed: Int) {
    let unprocessed = change { state -> [Live] in
      state.model.goAway(connection, lastProcessed: lastProcessed)
      return state.live.values.filter { live in
        live.connection == connection && live.ordinal.map { $0 > lastProcessed } == true
      }
    }
    for one in unprocessed { one.exchange.end(.unprocessed) }
  }

  /// Records that the origin received the head of a request, and asks the plan for its script.
  ///
  /// - Returns: The head, the index of its record, and the script; no script if GOAWAY excludes the
  ///   request.
  func receive(
    _ wire: WireRequest, on lease: FakeTransportModel.Lease, of exchange: FakeExchange
  ) -> (head: OriginRequest, index: Int, script: OriginScript?) {
    guard lease.isShared else { return receive(wire, on: lease.connection, of: exchange) }
    // One after the other, as a server reads the streams of a connection. Otherwise two requests
    // could arrive before the first one's GOAWAY, and its script could not exclude the second.
    return arrival.withLock { _ in
      let received = receive(wire, on: lease.connection, of: exchange)
      if case .goAway = received.script?.steps.first {
        goAway(lease.connection, lastProcessed: received.head.ordinal)
      }
      return received
    }
  }

  private func receive(
    _ wire: WireRequest, on connection: Int, of exchange: FakeExchange
  ) -> (head: OriginRequest, index: Int, script: OriginScript?) {
    let (head, index, isProcessed) = state.withLock { state in
      let (head, index) = state.model.receive(wire, on: connection)
      state.live[ObjectIdentifier(exchange)]?.ordinal = head.ordinal
      return (head, index, !state.model.isUnprocessed(head.ordinal, on: connection))
    }
    return (head, index, isProcessed ? plan.onRequest(head) : nil)
  }

  /// Records content that the origin received.
  func record(_ bytes: [UInt8], of index: Int) {
    state.withLock { $0.model.record(bytes, of: index) }
  }

  /// Records that the origin received a request completely.
  func complete(_ index: Int, trailers: HTTPFields) {
    state.withLock { $0.model.complete(index, trailers: trailers) }
  }

  /// Changes the model, then grants connections that became available.
  ///
  /// Promises are fulfilled outside the lock. Resuming a task takes the task's status lock, which
  /// the runtime holds while it runs that task's cancellation handler, and the handler takes this
  /// lock: resuming under the lock would deadlock.
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
    for (promise, lease) in granted { promise.fulfill(lease) }
    return value
  }
}
