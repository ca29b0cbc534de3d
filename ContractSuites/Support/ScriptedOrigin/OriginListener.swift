import Foundation
import SystemLocks
import SystemPlatform
import SystemThreads
import TransportPort

/// Accepts connections on one thread and plays each of them on another.
final class OriginListener: Sendable {
  private let socket: Int32
  private let stop: (reader: Int32, writer: Int32)
  private let threads = Mutex(Threads())
  /// The client sockets that fill the backlog of a silent origin.
  private let fillers: [Int32]

  private struct Threads {
    var acceptor: SystemThread?
    var connections: [Int: SystemThread] = [:]
    /// Connections whose thread has finished and has not been joined.
    var finished: [Int] = []
  }

  /// Starts to listen on a bound socket, and takes ownership of the socket.
  init(
    socket: Int32, port: UInt16, plan: OriginPlan, tls: OriginTLS?,
    tunnels: @escaping @Sendable (OriginRequest) -> Bool, log: OriginLog
  ) throws {
    self.socket = socket
    let isSilent = plan.reachability == .silent
    try LoopbackSocket.check("listen", listen(socket, isSilent ? 1 : 1024))
    // While the backlog is full the kernel drops each SYN: connecting neither succeeds nor fails.
    fillers = isSilent ? try (0..<4).map { _ in try LoopbackSocket.connecting(to: port) } : []
    var ends: [Int32] = [0, 0]
    try LoopbackSocket.check("pipe", pipe(&ends))
    stop = (ends[0], ends[1])
    guard !isSilent else { return }
    let shared = OriginConnection.Shared(
      plan: plan, tls: tls, tunnels: tunnels, log: log, stop: ends[0])
    let acceptor = try SystemThread { [unowned self] in accept(shared) }
    threads.withLock { $0.acceptor = acceptor }
  }

  /// Ends all connections and joins their threads.
  func close() {
    var byte: UInt8 = 0
    _ = write(stop.writer, &byte, 1)
    // Join the acceptor first: only it adds connections.
    threads.withLock { threads in
      defer { threads.acceptor = nil }
      return threads.acceptor
    }?.join()
    let connections = threads.withLock { threads in
      defer { threads.connections = [:] }
      return threads.connections.values
    }
    for thread in connections { thread.join() }
    LoopbackSocket.closeListener(socket)
    for descriptor in fillers + [stop.reader, stop.writer] { Foundation.close(descriptor) }
  }

  private func accept(_ shared: OriginConnection.Shared) {
    var id = 0
    while true {
      var descriptors = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.reader, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&descriptors, 2, -1)
      if descriptors[1].revents != 0 { return }
      guard descriptors[0].revents != 0 else { continue }
      let accepted = acceptConnection(on: socket)
      guard accepted >= 0 else { continue }
      id += 1
      start(id, socket: accepted, shared: shared)
    }
  }

  private func start(_ id: Int, socket: Int32, shared: OriginConnection.Shared) {
    let finished = threads.withLock { threads in
      defer { threads.finished = [] }
      return threads.finished.compactMap { threads.connections.removeValue(forKey: $0) }
    }
    for thread in finished { thread.join() }
    // Under the lock, so that the new thread can't report its end before it is stored.
    threads.withLock { threads in
      threads.connections[id] = try? SystemThread { [unowned self] in
        OriginConnection(id: id, socket: socket, shared: shared).run()
        self.threads.withLock { $0.finished.append(id) }
      }
      if threads.connections[id] == nil { Foundation.close(socket) }
    }
  }
}
