import Foundation

/// The open sockets of libcurl by local port.
///
/// The prerequest callback reports the local port of the chosen connection, but not its socket.
struct CurlSockets {
  private struct Connected {
    var socket: Int32
    /// Whether a response of HTTP/1 was received on the connection.
    var speaksHTTP1 = false
  }

  private var unconnected: Set<Int32> = []
  private var connectedByPort: [Int32: Connected] = [:]

  /// Adds a new socket, which has no local port before it is connected.
  mutating func open(_ socket: Int32) {
    unconnected.insert(socket)
  }

  /// Removes a socket that is about to be closed.
  // not mutated: changes only memory use: a new socket replaces one of the same port
  mutating func close(_ socket: Int32) {
    unconnected.remove(socket)
    connectedByPort = connectedByPort.filter { $0.value.socket != socket }
  }

  /// Returns the connected socket with a local port.
  mutating func socket(atPort port: Int32) -> Int32? {
    for socket in unconnected {
      guard let port = Self.localPort(of: socket) else { continue }
      unconnected.remove(socket)
      connectedByPort[port] = Connected(socket: socket)
    }
    return connectedByPort[port]?.socket
  }

  /// Records that a response of HTTP/1 was received on the connection with a local port.
  mutating func noteHTTP1(atPort port: Int32) {
    connectedByPort[port]?.speaksHTTP1 = true
  }

  /// Whether bytes that arrive between two exchanges on a connection belong to neither.
  ///
  /// Over HTTP/1 they do, even if they are TLS records without content: a server sends its session
  /// tickets before the first response, and then nothing more until the next request.
  func speaksHTTP1(atPort port: Int32) -> Bool { connectedByPort[port]?.speaksHTTP1 == true }

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
