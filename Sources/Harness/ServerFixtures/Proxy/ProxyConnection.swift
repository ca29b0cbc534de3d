import Foundation
import SeededRandom
import SystemLocks
import SystemPlatform
import SystemThreads

/// One connection through a proxy: two sockets and a ``ProxyFlow`` in each direction.
final class ProxyConnection: Sendable {
  private let client: Int32
  private let target: UInt16
  private let seed: UInt64
  private let faults: @Sendable () -> ProxyFaults
  private let answered: @Sendable (Int) -> Void
  private let ended: @Sendable () -> Void
  private let state = Mutex(State())
  /// Is signalled when the connection ends, to end its delay.
  private let hasEnded = DispatchSemaphore(value: 0)

  private struct State {
    /// The socket of the server's side, when it is connected.
    var server: Int32?
    var flows: [ProxyFlow] = []
    /// Threads that may use the sockets.
    var users = 1
    var isEnded = false
  }

  /// Takes ownership of the client's socket.
  init(
    client: Int32, target: UInt16, seed: UInt64, faults: @escaping @Sendable () -> ProxyFaults,
    answered: @escaping @Sendable (Int) -> Void,
    ended: @escaping @Sendable () -> Void
  ) {
    self.client = client
    self.target = target
    self.seed = seed
    self.faults = faults
    self.answered = answered
    self.ended = ended
  }

  /// Connects to the server and passes bytes on until both directions have ended.
  func start() {
    run { [self] in
      var random = SplitMix64(seed: seed)
      let delay = random.draw(faults().connectionDelay)
      if delay > .zero, hasEnded.wait(timeout: .now() + delay / .seconds(1)) == .success { return }
      guard let server = try? LoopbackSocket.connect(to: target) else { return end(.reset) }
      let isEnded = state.withLock { state in
        state.server = server
        return state.isEnded
      }
      if isEnded { return end(.reset) }
      pass(from: client, to: server, \.upstream, seed: random.next())
      pass(from: server, to: client, \.downstream, seed: random.next())
    }
    leave()
  }

  /// Ends both sides and all delays. Threads that read or write the sockets notice and end.
  func end(_ ending: ProxyFaults.Ending) {
    let flows = state.withLock { state in
      state.isEnded = true
      guard state.users > 0 else { return [ProxyFlow]() }
      for socket in [client, state.server].compactMap(\.self) {
        if ending == .reset { Self.reset(socket) }
        shutdown(socket, Int32(SHUT_RDWR))
      }
      return state.flows
    }
    for flow in flows { flow.end() }
    hasEnded.signal()
  }

  private func pass(
    from source: Int32, to sink: Int32,
    _ direction: KeyPath<ProxyFaults, ProxyFaults.Flow> & Sendable,
    seed: UInt64
  ) {
    let flow = ProxyFlow(
      source: source, sink: sink, seed: seed, faults: { [faults] in faults()[keyPath: direction] },
      cut: { [weak self] in self?.end($0) },
      willPass: { [answered] in if direction == \.downstream { answered($0) } })
    let isEnded = state.withLock { state in
      state.flows.append(flow)
      return state.isEnded
    }
    if isEnded { flow.end() }
    run { flow.read() }
    run { flow.write() }
  }

  /// Runs a function on a thread of its own, and closes the sockets after the last one.
  private func run(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.users += 1 }
    do {
      try SystemThread { [self] in
        body()
        leave()
      }.detach()
    } catch {
      end(.reset)
      leave()
    }
  }

  private func leave() {
    let isLast = state.withLock { state in
      state.users -= 1
      if state.users == 0 {
        close(client)
        if let server = state.server { close(server) }
      }
      return state.users == 0
    }
    if isLast { ended() }
  }

  /// Makes the socket send a RST.
  private static func reset(_ socket: Int32) {
    // Closing sends a RST where disconnecting doesn't.
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    // Connecting to no address disconnects at once, while other threads still use the socket.
    var nowhere = sockaddr()
    nowhere.sa_family = sa_family_t(AF_UNSPEC)
    connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
  }
}

extension SplitMix64 {
  /// Draws a duration.
  mutating func draw(_ range: ClosedRange<Duration>) -> Duration {
    let width = range.upperBound - range.lowerBound
    guard width > .zero else { return range.lowerBound }
    return range.lowerBound + width * Double.random(in: 0...1, using: &self)
  }
}
