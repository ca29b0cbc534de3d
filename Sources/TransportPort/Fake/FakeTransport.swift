import ContractLocks

/// A transport without a network: it plays an origin's plan in memory and keeps a record.
///
/// It parses what the scripts send as a real client would, so that splits, floods, truncations and
/// malformations have their true effect. Time passes on the clock it is given. Nothing happens that
/// the consumer did not ask for: a script moves on when the response is read.
public final class FakeTransport: HTTPTransport {
  private struct State {
    var model: FakeTransportModel
    var promises: [Int: Promise<FakeTransportModel.Lease?>] = [:]
    var live: [Int: @Sendable (TransportError.Kind) -> Void] = [:]
    var lastExchange = 0
  }

  let plan: OriginPlan
  let clock: any Clock<Duration>
  private let state: Mutex<State>

  /// A fake that plays a plan.
  ///
  /// - Parameters:
  ///   - plan: What every origin does, whatever its host.
  ///   - limits: How many connections may be open.
  ///   - clock: What measures the pauses of scripts, and the connect and continue time-outs.
  ///   - recordedBodyLimit: The most bytes of each request body to keep.
  public init(
    _ plan: OriginPlan, limits: ConnectionLimits = ConnectionLimits(),
    clock: any Clock<Duration> = ContinuousClock(), recordedBodyLimit: Int = 1 << 20
  ) {
    self.plan = plan
    self.clock = clock
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
    let (live, promises) = state.withLock { state in
      state.model.shutDown()
      defer {
        state.live = [:]
        state.promises = [:]
      }
      return (state.live.values, state.promises.values)
    }
    for end in live { end(.shutDown) }
    for promise in promises { promise.keep(nil) }
  }

  public func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    let exchange = FakeExchange(
      transport: self, wire: wire, request: request, body: body, options: options)
    return try await exchange.start()
  }
}

/// What an exchange needs of its transport.
extension FakeTransport {
  /// Registers a running exchange, to be ended on shutdown.
  ///
  /// - Returns: Its number, or `nil` when the transport is shut down.
  func register(_ end: @escaping @Sendable (TransportError.Kind) -> Void) -> Int? {
    state.withLock { state in
      guard !state.model.isShutDown else { return nil }
      state.lastExchange += 1
      state.live[state.lastExchange] = end
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
    let ticket = change { state -> Int? in
      guard !state.model.isShutDown else { return nil }
      let ticket = state.model.enqueue(for: origin, reuses: reuses)
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

  /// Records that the origin accepted a connection.
  func accept(_ connection: Int) {
    state.withLock { $0.model.accept(connection) }
  }

  /// Gives a connection back for the next request.
  func park(_ connection: Int) {
    change { $0.model.park(connection) }
  }

  /// Ends a connection.
  func close(_ connection: Int, by side: OriginEvent.Side) {
    change { $0.model.close(connection, by: side) }
  }

  /// Records that the origin read the head of a request.
  func receive(_ wire: WireRequest, on connection: Int) -> (head: OriginRequest, index: Int) {
    state.withLock { $0.model.receive(wire, on: connection) }
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
