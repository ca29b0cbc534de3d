#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Creates two connected stream sockets, which no process that is started later inherits by
/// accident.
///
/// Source: socketpair(2).
///
/// - Returns: The descriptors, or `nil` if the system has no more. The caller closes both.
package func connectedDescriptors() -> (Int32, Int32)? {
  var ends: [Int32] = [-1, -1]
  // glibc declares the type of a socket as an enumeration.
  #if canImport(Darwin)
    let stream = SOCK_STREAM
  #elseif canImport(Musl)
    let stream = SOCK_STREAM
  #else
    let stream = Int32(SOCK_STREAM.rawValue)
  #endif
  guard socketpair(AF_UNIX, stream, 0, &ends) == 0 else { return nil }
  for end in ends {
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var isOn: Int32 = 1
      setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }
  return (ends[0], ends[1])
}

/// Writes to a socket, without SIGPIPE if the peer has closed it.
///
/// Source: send(2).
///
/// - Returns: The number of bytes written, or a negative number after an error.
package func sendQuietly(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Int {
  #if canImport(Darwin)
    send(socket, bytes.baseAddress, bytes.count, 0)
  #else
    send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  #endif
}
