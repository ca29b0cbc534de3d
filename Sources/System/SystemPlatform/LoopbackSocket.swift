import Foundation

/// Creates TCP sockets on 127.0.0.1.
package enum LoopbackSocket {
  /// The error of a system call.
  package struct Failure: Error, CustomStringConvertible {
    package var call: String
    /// The system's error number (errno(3)).
    package var code: Int32

    package init(call: String, code: Int32) {
      self.call = call
      self.code = code
    }

    package var description: String { "\(call) failed: \(String(cString: strerror(code)))" }
  }

  /// Creates a socket bound to a port, by default to a free one.
  ///
  /// - Parameter isReusable: Whether the port may have connections in TIME_WAIT, and may be bound again
  ///   while it has some (SO_REUSEADDR in socket(7)).
  package static func bound(
    to port: UInt16 = 0, isReusable: Bool = false
  ) throws(Failure) -> (socket: Int32, port: UInt16) {
    let socket = try make()
    do throws(Failure) {
      // A socket that asks for any port with this option can get one that is in TIME_WAIT, which another
      // process may have set aside. So the option is set before `bind` only if the port is known.
      if isReusable, port != 0 { makeReusable(socket) }
      try check("bind", withAddress(port: port) { bind(socket, $0, $1) })
      if isReusable { makeReusable(socket) }
      guard let port = localPort(of: socket) else {
        throw Failure(call: "getsockname", code: errno)
      }
      return (socket, port)
    } catch {
      Foundation.close(socket)
      throw error
    }
  }

  /// Says whether others may bind the port of a socket that does not listen, with the same option.
  package static func makeReusable(_ socket: Int32, _ isReusable: Bool = true) {
    var isOn: Int32 = isReusable ? 1 : 0
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Closes a socket that may listen, after which its port refuses connections.
  ///
  /// Closing is not enough: a process that another thread has just started holds every descriptor until it calls
  /// execve(2), and connections to that copy would still be accepted. On Linux shutdown(2) stops all copies.
  package static func closeListener(_ socket: Int32) {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }

  /// Creates a socket connected to a port.
  package static func connect(to port: UInt16) throws(Failure) -> Int32 {
    let socket = try make()
    do throws(Failure) {
      try check("connect", withAddress(port: port) { Foundation.connect(socket, $0, $1) })
      return socket
    } catch {
      Foundation.close(socket)
      throw error
    }
  }

  /// Creates a non-blocking socket that has started to connect to a port.
  package static func connecting(to port: UInt16) throws(Failure) -> Int32 {
    let socket = try make()
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    _ = withAddress(port: port) { Foundation.connect(socket, $0, $1) }
    return socket
  }

  /// Finds a port that no socket uses, and reserves it for as long as TIME_WAIT lasts (60 s on Linux).
  ///
  /// A port whose connection was closed from the listening side stays in TIME_WAIT. A socket that asks for
  /// any port (port 0) does not get it. A server that binds it by number does, with `SO_REUSEADDR`.
  package static func freePort() throws(Failure) -> UInt16 {
    let (listener, port) = try bound(isReusable: true)
    defer { closeListener(listener) }
    try check("listen", listen(listener, 1))
    let client = try connect(to: port)
    defer { Foundation.close(client) }
    let connection = acceptConnection(on: listener)
    try check("accept", connection)
    Foundation.close(connection)
    return port
  }

  /// Whether a server accepts connections on a port. Waits up to 100 ms for a server whose queue is full.
  package static func accepts(_ port: UInt16) -> Bool {
    guard let socket = try? connecting(to: port) else { return false }
    defer { Foundation.close(socket) }
    var events = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    guard poll(&events, 1, 100) == 1 else { return false }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code == 0
      && localPort(of: socket) != port
  }

  /// The port of a socket's own end. A client that got the port that it connects to is connected to itself.
  package static func localPort(of socket: Int32) -> UInt16? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return code == 0 ? UInt16(bigEndian: address.sin_port) : nil
  }

  package static func check(_ call: String, _ code: Int32) throws(Failure) {
    if code < 0 { throw Failure(call: call, code: errno) }
  }

  private static func make() throws(Failure) -> Int32 {
    let socket = makeTCPSocket()
    try check("socket", socket)
    return socket
  }

  private static func withAddress(
    port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
