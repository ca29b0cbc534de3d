import Foundation

/// The open sockets of libcurl by local port.
///
/// The prerequest callback reports the local port of the chosen connection, but not its socket.
struct CurlSockets {
  private var unconnected: Set<Int32> = []
  private var socketsByPort: [Int32: Int32] = [:]

  /// Adds a new socket, which has no local port before it is connected.
  mutating func open(_ socket: Int32) {
    unconnected.insert(socket)
  }

  /// Removes a socket that is about to be closed.
  mutating func close(_ socket: Int32) {
    guard unconnected.remove(socket) == nil else { return }
    if let port = Self.localPort(of: socket), socketsByPort[port] == socket {
      socketsByPort[port] = nil
    } else {
      socketsByPort = socketsByPort.filter { $0.value != socket }
    }
  }

  /// Returns the connected socket with a local port.
  mutating func socket(atPort port: Int32) -> Int32? {
    for socket in unconnected {
      guard let port = Self.localPort(of: socket), port != 0 else { continue }
      unconnected.remove(socket)
      socketsByPort[port] = socket
    }
    return socketsByPort[port]
  }

  private static func localPort(of socket: Int32) -> Int32? {
    // The port has the same offset in sockaddr_in and sockaddr_in6.
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return code == 0 ? Int32(UInt16(bigEndian: address.sin6_port)) : nil
  }
}
