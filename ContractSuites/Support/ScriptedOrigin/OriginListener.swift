import SystemLocks
import SystemThreads
import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Accepts connections on a thread and gives each a thread of its own.
final class OriginListener: Sendable {
  private let socket: Int32
  private let stop: (reader: Int32, writer: Int32)
  private let threads = Mutex(Threads())
  private let fillers: [Int32]

  private struct Threads {
    var acceptor: SystemThread?
    var connections: [Int: SystemThread] = [:]
    /// Connections whose thread is at its end and only waits to be joined.
    var finished: [Int] = []
  }

  /// Starts to listen on a bound socket, which it then owns.
  init(
    socket: Int32, port: UInt16, plan: OriginPlan, tls: OriginTLS?,
    tunnels: @escaping @Sendable (OriginRequest) -> Bool, log: OriginLog
  ) throws {
    self.socket = socket
    let isSilent = plan.reachability == .silent
    try LoopbackSocket.check("listen", listen(socket, isSilent ? 0 : 1024))
    // A full backlog drops every further SYN, so that connecting neither succeeds nor fails.
    fillers = isSilent ? try (0..<4).map { _ in try LoopbackSocket.connecting(to: port) } : []
    var ends: [Int32] = [0, 0]
    try LoopbackSocket.check("pipe", pipe(&ends))
    stop = (ends[0], ends[1])
    guard !isSilent else { return }
    let setting = OriginConnection.Setting(
      plan: plan, tls: tls, tunnels: tunnels, log: log, stop: ends[0])
    let acceptor = try SystemThread { [unowned self] in accept(setting) }
    threads.withLock { $0.acceptor = acceptor }
  }

  /// Ends all connections and threads.
  func close() {
    var byte: UInt8 = 0
    _ = write(stop.writer, &byte, 1)
    // The acceptor first: after it no connection is added.
    threads.withLock { threads in
      defer { threads.acceptor = nil }
      return threads.acceptor
    }?.join()
    let connections = threads.withLock { threads in
      defer { threads.connections = [:] }
      return threads.connections.values
    }
    for thread in connections { thread.join() }
    for descriptor in fillers + [socket, stop.reader, stop.writer] {
      SystemCalls.close(descriptor)
    }
  }

  private func accept(_ setting: OriginConnection.Setting) {
    var id = 0
    while true {
      var descriptors = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.reader, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&descriptors, 2, -1)
      if descriptors[1].revents != 0 { return }
      guard descriptors[0].revents != 0 else { continue }
      let accepted = SystemCalls.accept(socket)
      guard accepted >= 0 else { continue }
      _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
      id += 1
      start(id, socket: accepted, setting: setting)
    }
  }

  private func start(_ id: Int, socket: Int32, setting: OriginConnection.Setting) {
    let finished = threads.withLock { threads in
      defer { threads.finished = [] }
      return threads.finished.compactMap { threads.connections.removeValue(forKey: $0) }
    }
    for thread in finished { thread.join() }
    threads.withLock { threads in
      threads.connections[id] = try? SystemThread { [unowned self] in
        OriginConnection(id: id, socket: socket, setting: setting).run()
        self.threads.withLock { $0.finished.append(id) }
      }
      if threads.connections[id] == nil { SystemCalls.close(socket) }
    }
  }
}
