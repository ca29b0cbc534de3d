import Foundation
import SystemPlatform

/// An open connection of libcurl.
///
/// The object is the connection's identity. The system gives a descriptor or a port to another
/// connection after the end of this one, and connections to different addresses may have the same
/// local port at the same time.
final class CurlConnection {
  let socket: Int32
  /// Whether a transfer has used the connection.
  var isKept = false
  /// What sees the frames from the server; only over HTTP/2.
  var tap: HTTP2Tap?
  /// The number of transfers that use the connection.
  var users = 0 {
    didSet { tap?.isIdle = users == 0 }
  }

  init(socket: Int32) {
    self.socket = socket
  }

  /// Whether the socket is connected from one end to another.
  fileprivate func connects(_ local: End, _ remote: End) -> Bool {
    end(getsockname) == local && end(getpeername) == remote
  }

  /// The local port; `nil` before the socket is connected.
  fileprivate var localPort: Int32? { end(getpeername) == nil ? nil : end(getsockname)?.port }

  /// An address and port.
  struct End: Equatable {
    var address: String
    var port: Int32
  }

  /// - Parameter name: `getsockname` or `getpeername`.
  private func end(
    _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> End? {
    // The family and the port are at the same offsets in sockaddr_in and sockaddr_in6.
    var end = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = withUnsafeMutablePointer(to: &end) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard name(socket, address, &size) == 0 else { return -1 }
        return getnameinfo(
          address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      }
    }
    guard code == 0 else { return nil }
    // libcurl reports an IPv6 address without its zone.
    let bytes = text.map(UInt8.init(bitPattern:)).prefix { $0 != 0 && $0 != UInt8(ascii: "%") }
    return End(
      address: String(decoding: bytes, as: UTF8.self), port: Int32(UInt16(bigEndian: end.sin6_port))
    )
  }
}

/// The open connections of libcurl, including kept ones.
struct CurlConnections {
  private var unconnected: [Int32: CurlConnection] = [:]
  private var connectedByPort: [Int32: [CurlConnection]] = [:]
  /// The connections with a tap.
  private(set) var tapped: [CurlConnection] = []

  /// The local ports of the next sockets, in order; for tests.
  private var reservedPorts: ArraySlice<UInt16>

  init(localPorts: [UInt16]) {
    reservedPorts = localPorts[...]
  }

  /// Adds a new socket, which has no local port before it is connected.
  mutating func open(_ socket: Int32, family: Int32) {
    unconnected[socket] = CurlConnection(socket: socket)
    guard let port = reservedPorts.popFirst() else { return }
    // Without this, a port can be bound to only one socket.
    LoopbackSocket.makeReusable(socket)
    // The family and the port are at the same offsets in sockaddr_in and sockaddr_in6.
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(family)
    address.sin6_port = port.bigEndian
    withUnsafePointer(to: &address) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }

  /// Removes the connection of a socket that is about to be closed.
  mutating func close(_ socket: Int32) {
    unconnected[socket] = nil
    tapped.removeAll { $0.socket == socket }
    for (port, connections) in connectedByPort {
      let others = connections.filter { $0.socket != socket }
      guard others.count < connections.count else { continue }
      connectedByPort[port] = others.isEmpty ? nil : others
      return
    }
  }

  /// Returns the connection with these ends, as the prerequest callback reports them.
  ///
  /// That callback does not report the socket, and in libcurl 7.88 neither does
  /// `CURLINFO_ACTIVESOCKET` before the end of a transfer.
  mutating func connection(
    from local: (address: UnsafeMutablePointer<CChar>, port: Int32),
    to remote: (address: UnsafeMutablePointer<CChar>, port: Int32)
  ) -> CurlConnection? {
    for (socket, connection) in unconnected {
      guard let port = connection.localPort else { continue }
      unconnected[socket] = nil
      connectedByPort[port, default: []].append(connection)
    }
    guard let candidates = connectedByPort[local.port] else { return nil }
    // The other connections of the port are rare, and the texts take longer than the rest.
    if candidates.count == 1 { return candidates[0] }
    let ends = [local, remote].map {
      CurlConnection.End(address: String(cString: $0.address), port: $0.port)
    }
    return candidates.first { $0.connects(ends[0], ends[1]) }
  }

  /// Installs a tap on a connection that has none.
  mutating func tap(_ connection: CurlConnection, _ session: OpenSSL.Object) {
    guard connection.tap == nil, let tap = HTTP2Tap(session, socket: connection.socket) else {
      return
    }
    tap.isIdle = connection.users == 0
    connection.tap = tap
    tapped.append(connection)
  }
}
