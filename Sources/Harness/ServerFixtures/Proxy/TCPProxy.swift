import Foundation
import SystemLocks
import SystemPlatform
import SystemThreads

/// A TCP proxy on 127.0.0.1 that delays, cuts and refuses connections to a server.
///
/// Put it between an adapter and a server, and change ``faults`` while a clause runs:
///
///     let proxy = try scope.proxy(to: server.port)
///     proxy.faults.downstream.cut = .init(after: 100, by: .reset)
///
/// A change applies to new connections and to bytes that have not passed yet. Random delays depend on the
/// seed, the connection's number and the order of the bytes only.
///
/// Each connection has four threads, so this is no proxy for thousands of connections.
public final class TCPProxy: Sendable {
  /// The port on 127.0.0.1 that clients connect to. It stays the same while connections are refused.
  public let port: UInt16

  private let target: UInt16
  private let seed: UInt64
  private let state: Mutex<State>
  /// Wakes the accepting thread.
  private let wakeUp: (reading: Int32, writing: Int32)
  /// Is signalled when the accepting thread has seen a change.
  private let seen = DispatchSemaphore(value: 0)

  private struct State {
    var faults = ProxyFaults()
    var connections: [Int: ProxyConnection] = [:]
    var count = 0
    var answered = 0
    var isStopped = false
    /// How many callers wait until the accepting thread has seen their change.
    var waiting = 0
  }

  /// Starts a proxy. Call ``stop()`` when it is no longer needed.
  ///
  /// - Parameters:
  ///   - target: The server's port on 127.0.0.1. The server need not run yet.
  ///   - seed: The seed of random delays.
  /// - Throws: An error that names the system call if no socket or thread can be made.
  public init(to target: UInt16, seed: UInt64 = 0) throws {
    let (listener, reservation, port) = try Self.reservedPort()
    guard let ends = makeConnectedSockets() else {
      let code = errno
      for socket in [listener, reservation] { close(socket) }
      throw LoopbackSocket.Failure(call: "socketpair", code: code)
    }
    self.port = port
    self.target = target
    self.seed = seed
    wakeUp = ends
    state = Mutex(State())
    do {
      try SystemThread { [self] in
        acceptConnections(listener, reservation)
        close(reservation)
      }.detach()
    } catch {
      for socket in [listener, reservation] { close(socket) }
      throw error
    }
  }

  deinit {
    close(wakeUp.reading)
    close(wakeUp.writing)
  }

  /// What happens to connections. When a change of `refusesConnections` returns, it is in force, with one
  /// exception: where the system allows no reservation of the port, another program may have taken it meanwhile, and
  /// connections remain refused.
  public var faults: ProxyFaults {
    get { state.withLock { $0.faults } }
    set {
      let mustWake = state.withLock { state in
        defer { state.faults = newValue }
        guard !state.isStopped, state.faults.refusesConnections != newValue.refusesConnections
        else {
          return false
        }
        state.waiting += 1
        return true
      }
      if mustWake { wake() }
    }
  }

  /// How many connections the proxy has accepted.
  public var connectionCount: Int { state.withLock { $0.count } }

  /// How many bytes of the server the proxy has passed on to clients, or has begun to.
  public var answeredBytes: Int { state.withLock { $0.answered } }

  /// How many connections have threads.
  var openConnectionCount: Int { state.withLock { $0.connections.count } }

  /// Ends every connection with a RST to both sides.
  public func resetConnections() {
    for connection in state.withLock({ Array($0.connections.values) }) { connection.end(.reset) }
  }

  /// Ends every connection and stops listening. Calling it again has no effect.
  public func stop() {
    let isFirst = state.withLock { state in
      guard !state.isStopped else { return false }
      state.isStopped = true
      state.waiting += 1
      return true
    }
    guard isFirst else { return }
    wake()
    resetConnections()
  }

  // MARK: - Accepting

  /// Makes the accepting thread look at the state, and waits until it has. The caller has counted itself in
  /// `waiting`, together with its change: the thread that sees the change releases everyone who waits, as
  /// it may see several changes at once, the stop among them.
  private func wake() {
    var byte: UInt8 = 0
    withUnsafeBytes(of: &byte) { _ = sendBytes($0, on: wakeUp.writing) }
    seen.wait()
  }

  private func acceptConnections(_ first: Int32, _ reservation: Int32) {
    var listener: Int32? = first
    while true {
      var events = [
        pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: listener ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&events, nfds_t(events.count), -1) > 0 else { continue }
      if events[0].revents != 0 {
        var byte: UInt8 = 0
        read(wakeUp.reading, &byte, 1)
        let (isStopped, refuses, waiting) = state.withLock { state in
          defer { state.waiting = 0 }
          return (state.isStopped, state.faults.refusesConnections, state.waiting)
        }
        if isStopped || refuses, let open = listener {
          // Otherwise a server that was given this port before could bind it.
          LoopbackSocket.makeReusable(reservation, false)
          LoopbackSocket.closeListener(open)
          listener = nil
        }
        if !isStopped, !refuses, listener == nil {
          LoopbackSocket.makeReusable(reservation)
          listener = try? Self.listen(on: port)
        }
        for _ in 0..<waiting { seen.signal() }
        if isStopped { return }
      } else if let listener, events[1].revents != 0 {
        let socket = acceptConnection(on: listener)
        if socket >= 0 { accept(socket) }
      }
    }
  }

  private func accept(_ client: Int32) {
    let number = state.withLock { state in
      defer { state.count += 1 }
      return state.count
    }
    let connection = ProxyConnection(
      client: client, target: target, seed: seed &+ UInt64(number) &* 0x9e37_79b9_7f4a_7c15,
      faults: { [weak self] in self?.faults ?? ProxyFaults() },
      answered: { [weak self] count in self?.state.withLock { $0.answered += count } },
      ended: { [weak self] in
        self?.state.withLock { _ = $0.connections.removeValue(forKey: number) }
      })
    state.withLock { $0.connections[number] = connection }
    connection.start()
  }

  /// Makes a socket that listens on a free port, and one that keeps the port while none listens.
  ///
  /// The second is -1 where the system allows no two sockets on a port, as Darwin does.
  private static func reservedPort() throws(LoopbackSocket.Failure) -> (
    listener: Int32, reservation: Int32, port: UInt16
  ) {
    let (reservation, port) = try LoopbackSocket.bound(isReusable: true)
    if let listener = try? listen(on: port) { return (listener, reservation, port) }
    close(reservation)
    return (try listen(on: port), -1, port)
  }

  private static func listen(on port: UInt16) throws(LoopbackSocket.Failure) -> Int32 {
    let socket = try LoopbackSocket.bound(to: port, isReusable: true).socket
    guard Foundation.listen(socket, 128) == 0 else {
      let code = errno
      close(socket)
      throw LoopbackSocket.Failure(call: "listen", code: code)
    }
    return socket
  }
}
