#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The sockets that libcurl has open, found by their local ports.
///
/// libcurl tells the ports of the connection that it chose, but not its socket.
struct CurlSockets {
  private var unnamed: Set<Int32> = []
  private var socketsByPort: [Int32: Int32] = [:]

  /// Notes a socket that was made and is not connected yet.
  mutating func open(_ socket: Int32) {
    unnamed.insert(socket)
  }

  /// Forgets a socket that is about to be closed.
  mutating func close(_ socket: Int32) {
    guard unnamed.remove(socket) == nil else { return }
    if let port = Self.localPort(of: socket), socketsByPort[port] == socket {
      socketsByPort[port] = nil
    } else {
      socketsByPort = socketsByPort.filter { $0.value != socket }
    }
  }

  /// The connected socket with a local port.
  mutating func socket(atPort port: Int32) -> Int32? {
    for socket in unnamed {
      guard let name = Self.localPort(of: socket), name != 0 else { continue }
      unnamed.remove(socket)
      socketsByPort[name] = socket
    }
    return socketsByPort[port]
  }

  private static func localPort(of socket: Int32) -> Int32? {
    // The port is at the same place for both families.
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return code == 0 ? Int32(UInt16(bigEndian: address.sin6_port)) : nil
  }
}
