import CPlatform

/// Creates a TCP socket for IPv4 that child processes do not inherit.
///
/// Source: socket(2).
///
/// - Returns: The socket, or -1 with `errno` set.
package func makeTCPSocket() -> Int32 { platform_tcp_socket() }

/// Accepts a connection that child processes do not inherit.
///
/// Source: accept(2).
///
/// - Returns: The socket, or -1 with `errno` set.
package func acceptConnection(on listener: Int32) -> Int32 { platform_accept(listener) }

/// Sends bytes. If the peer has closed the connection, the call fails with `EPIPE`. Call it on a
/// `SystemThread`, which blocks the signal that some systems raise as well.
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
