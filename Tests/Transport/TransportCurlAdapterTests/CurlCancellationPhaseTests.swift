import CPlatform
import ScriptedOrigin
import SystemLocks
import Testing
import TransportCurlAdapter
import TransportPort

/// Cancels many exchanges in the same phase at once.
@Suite(.serialized) struct CurlCancellationPhaseTests {
  /// A phase and an origin that keeps an exchange in it.
  enum Stage: CaseIterable {
    case queued
    case resolving
    case connecting
    case securing
    case sending
    case awaitingHead
    case receivingBody

    /// Only on Linux can a test replace the system's name lookup.
    static var available: [Self] {
      OperatingSystem.current == .linux ? allCases : allCases.filter { $0 != .resolving }
    }

    var phase: TransportError.Phase {
      switch self {
      case .queued: .preparing
      case .resolving: .resolving
      case .connecting: .connecting
      // libcurl 7.88 does not report the start of the handshake, only its end.
      case .securing: .connecting
      case .sending: .sending
      case .awaitingHead: .awaitingHead
      case .receivingBody: .receivingBody
      }
    }

    /// Matches the event that the origin logs when an exchange reaches this phase; `nil` without
    /// one.
    var mark: (@Sendable (OriginLog.Event.Kind) -> Bool)? {
      switch self {
      case .queued, .connecting: return nil
      case .resolving: return nil
      case .securing: return { $0 == .accepted }
      case .sending, .awaitingHead: return { $0.isHead }
      case .receivingBody: return { if case .sent = $0 { true } else { false } }
      }
    }

    func makeOrigin() throws -> ScriptedOrigin {
      switch self {
      case .queued, .sending, .awaitingHead: try ScriptedOrigin([.stall])
      case .resolving:
        try ScriptedOrigin(OriginPlan(reachability: .resolvingSlowly(.seconds(5))) { _ in [] })
      case .connecting: try ScriptedOrigin(OriginPlan(reachability: .silent) { _ in [] })
      case .securing: try ScriptedOrigin(OriginPlan(onConnect: { _ in [.stall] }) { _ in [] })
      case .receivingBody:
        try ScriptedOrigin(
          [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .stall])
      }
    }
  }

  /// The number of exchanges. Each needs a connection, and each lookup needs a thread.
  private let count = CurlTestScale.isLong ? 1000 : 50

  @Test(arguments: Stage.available)
  func `exchanges cancelled together end within 100 ms, and the origin sees each close`(
    _ stage: Stage
  ) async throws {
    // Until every exchange has begun; longer on a busy machine.
    var settling = Duration.milliseconds(200)
    let slowest = try await best(of: 12, under: .milliseconds(100)) {
      let origin = try stage.makeOrigin()
      let limit = stage == .queued ? 1 : count
      var configuration = CurlTransport.Configuration()
      configuration.limits = ConnectionLimits(perOrigin: limit, total: limit + 1)
      // With HTTP/2 all exchanges but one would wait for the first handshake to share its
      // connection.
      configuration.allowsHTTP2 = false
      // With the system's bundle libcurl would parse all its certificates for each connection.
      if stage == .securing {
        configuration.authorities = try .pem(ScriptedOrigin.trustedAuthority)
      }
      let transport = try CurlTransport(configuration)
      let blocker =
        stage == .queued ? Task { try await transport.send(HTTPRequest(url: origin.url)) } : nil
      if blocker != nil { try await origin.log.first { $0.kind.isHead } }
      let slowest = try await cancelled(stage, transport, origin, after: settling)
      blocker?.cancel()
      _ = try? await blocker?.value
      await transport.shutDown()
      if slowest == nil { settling *= 2 }
      return slowest ?? .seconds(60)
    }
    print("\(count) cancelled, \(stage): the slowest took \(slowest)")
    #expect(slowest < .milliseconds(100))
  }

  /// Cancels all exchanges in a phase.
  ///
  /// - Returns: The time until the last exchange has ended and the origin has seen its close, or `nil`
  ///   if an exchange had not yet come to a phase that the origin does not see.
  private func cancelled(
    _ stage: Stage, _ transport: CurlTransport, _ origin: ScriptedOrigin, after settling: Duration
  ) async throws -> Duration? {
    let url = stage == .securing ? "https" + origin.url.dropFirst(4) : origin.url
    let (received, receive) = AsyncStream<Void>.makeStream()
    let tasks = (1...count).map { _ in
      Task { () -> (TransportError?, ContinuousClock.Instant) in
        do throws(TransportError) {
          let stalling = Chunks(
            chunks: [[1], [2]],
            willProduce: { if $0 == 1 { try await Task.sleep(for: .seconds(60)) } })
          let exchange = try await transport.send(
            HTTPRequest(method: stage == .sending ? .post : .get, url: url),
            body: stage == .sending ? .stream(stalling) : .none)
          for try await _ in exchange.body { receive.yield() }
          return (nil, .now)
        } catch {
          return (error, .now)
        }
      }
    }
    if let mark = stage.mark {
      let count = count
      try await origin.log.wait { events in events.count { mark($0.kind) } == count }
    }
    // The log shows what the origin sent, not what the client has received.
    if stage == .receivingBody { for await _ in received.prefix(count) {} }
    if stage.mark == nil { try await Task.sleep(for: settling) }
    // Another exchange must not be delayed.
    let other = try ScriptedOrigin(.respond(text: "hi"))
    let start = ContinuousClock.now
    for task in tasks { task.cancel() }
    let answer = try await transport.send(HTTPRequest(url: other.url))
    #expect(try await answer.body.collect(upTo: 10) == Array("hi".utf8))
    var last = ContinuousClock.now
    var wasEarly = false
    for task in tasks {
      let (error, end) = await task.value
      last = max(last, end)
      #expect(error?.kind == .cancelled)
      if stage.mark == nil, error?.phase != stage.phase, error?.phase.isBeforeConnecting == true {
        wasEarly = true
      } else {
        #expect(error?.phase == stage.phase)
      }
    }
    if wasEarly { return nil }
    if stage.mark != nil {
      let count = count
      try await origin.log.wait { events in events.count { $0.kind.isEndByPeer } == count }
      last = max(last, origin.log.events.last { $0.kind.isEndByPeer }?.time ?? last)
    }
    return last - start
  }
}

extension TransportError.Phase {
  fileprivate var isBeforeConnecting: Bool { self == .preparing || self == .resolving }
}
