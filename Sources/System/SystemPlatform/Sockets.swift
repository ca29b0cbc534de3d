import CPlatform

/// Creates a socket that child processes do not inherit.
///
/// Source: socket(2).
///
/// - Returns: The socket, or -1 with `errno` set.
package func makeSocket(family: Int32, type: Int32, protocol: Int32) -> Int32 {
  platform_socket(family, type, `protocol`)
}

/// Creates a TCP socket for IPv4 that child processes do not inherit.
///
/// Source: socket(2).
///
/// - Returns: The socket, or -1 with `errno` set.
package func makeTCPSocket() -> Int32 { platform_tcp_socket() }

/// Claims a name for as long as a socket is open. No other process in the same network namespace can claim it.
///
/// Source: the abstract names of unix(7).
///
/// - Returns: The socket, or -1 with `errno` set: EADDRINUSE if the name is claimed, ENOTSUP except on Linux.
package func claimName(_ name: String) -> Int32 { platform_claim_name(name) }

/// Accepts a connection that child processes do not inherit.
///
/// Source: accept(2).
///
/// - Returns: The socket, or -1 with `errno` set.
package func acceptConnection(on listener: Int32) -> Int32 { platform_accept(listener) }

/// Creates two connected stream sockets that child processes do not inherit.
///
/// Source: socketpair(2).
///
/// - Returns: The sockets, or `nil` with `errno` set. The caller closes both.
package func makeConnectedSockets() -> (Int32, Int32)? {
  var ends: [Int32] = [-1, -1]
  return platform_connected_sockets(&ends) == 0 ? (ends[0], ends[1]) : nil
}

/// Sends bytes. If the peer has closed the connection, the call fails with `EPIPE` and no
/// signal. The socket must come from ``makeTCPSocket()``, ``acceptConnection(on:)`` or
/// ``makeConnectedSockets()``.
///
/// Source: send(2).
///
/// - Returns: The number of bytes that were sent, or -1 with `errno` set.
package func sendBytes(_ bytes: UnsafeRawBufferPointer, on socket: Int32) -> Int {
  platform_send(socket, bytes.baseAddress, bytes.count)
}

/// The events to request from `poll` for a FIN from the peer that arrives before unread bytes have
/// been read. Where they contain `POLLIN`, it may occur without a FIN.
///
/// Source: poll(2).
package var pollPeerEnd: Int16 { platform_poll_peer_end() }
