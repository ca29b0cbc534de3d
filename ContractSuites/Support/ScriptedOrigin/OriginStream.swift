import COpenSSL
import Foundation
import SystemPlatform

/// The byte stream of one connection, in plain text or over TLS. Only one thread uses it.
///
/// The socket is non-blocking. Every wait is a `poll` that also watches the stop descriptor.
final class OriginStream {
  /// The reason why a connection ended.
  enum Ending: Error {
    case closedByPeer
    case resetByPeer
    /// The peer's bytes can't be read as a request.
    case malformed(String)
    /// The origin is being closed.
    case stopped
    case handshakeFailed(String)
  }

  let socket: Int32
  private let stop: Int32
  private var ssl: OpaquePointer?
  private var buffer: [UInt8] = []
  private var start = 0
  private var scratch = [UInt8](repeating: 0, count: 65_536)
  private var isOpen = true

  /// Creates a stream over a connected socket.
  ///
  /// - Parameters:
  ///   - socket: The socket. The stream closes it.
  ///   - stop: A descriptor that becomes readable when the origin is closed.
  init(socket: Int32, stop: Int32) {
    self.socket = socket
    self.stop = stop
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    var on: Int32 = 1
    setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit {
    release()
  }

  /// The received bytes that have not been taken.
  var unread: ArraySlice<UInt8> { buffer[start...] }

  /// Removes and returns at most `count` received bytes.
  func take(_ count: Int) -> [UInt8] {
    let end = count < buffer.count - start ? start + count : buffer.count
    defer { start = end }
    return Array(buffer[start..<end])
  }

  /// Waits until more bytes arrive or the limit passes.
  func receive(within limit: Duration? = nil) throws(Ending) {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    let end = limit.map { ContinuousClock.now + $0 }
    while true {
      switch scratch.withUnsafeMutableBytes({ read(into: $0) }) {
      case .done(let count):
        buffer += scratch[..<count]
        return
      case .wants(var events):
        let left = end.map { $0 - .now }
        if let left, left <= .zero { return }
        try wait(for: &events, until: left)
      case .ended(let ending):
        throw ending
      }
    }
  }

  /// Writes all bytes.
  func send(_ bytes: some Collection<UInt8>) throws(Ending) {
    let bytes = Array(bytes)
    var offset = 0
    while offset < bytes.count {
      switch bytes.withUnsafeBytes({ write(UnsafeRawBufferPointer(rebasing: $0[offset...])) }) {
      case .done(let count): offset += count
      case .wants(let events): try wait(for: events)
      case .ended(let ending): throw ending
      }
    }
  }

  /// Waits without reading; throws if the peer ends the connection in that time.
  ///
  /// - Parameter duration: The time to wait; `nil` waits until the peer ends the connection.
  func pause(_ duration: Duration?) throws(Ending) {
    let end = duration.map { ContinuousClock.now + $0 }
    while true {
      let left = end.map { $0 - .now }
      if let left, left <= .zero { return }
      var events = pollPeerEnd
      try wait(for: &events, until: left)
      if events & Int16(POLLERR) != 0 { throw .resetByPeer }
      if events & ~Int16(POLLIN) != 0 { throw .closedByPeer }
      if events != 0 { try waitWithUnreadBytes() }
    }
  }

  /// Waits 10 ms if the peer has sent bytes, because `poll` would report them again at once.
  private func waitWithUnreadBytes() throws(Ending) {
    var byte: UInt8 = 0
    if recv(socket, &byte, 1, Int32(MSG_PEEK)) == 0 { throw .closedByPeer }
    var stopped = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
    if poll(&stopped, 1, 10) > 0 { throw .stopped }
  }

  /// Ends the connection with a FIN and waits up to 2 s for the peer's.
  ///
  /// Without the wait, bytes that the peer is still sending would make the kernel send a RST, which
  /// can destroy the response before the peer reads it.
  ///
  /// - Parameters:
  ///   - announcing: Whether `close_notify` precedes the FIN, over TLS.
  ///   - didSend: Called when the FIN has been sent.
  func close(announcing: Bool, didSend: () -> Void = {}) throws(Ending) {
    guard isOpen else { return }
    if announcing, let ssl { SSL_shutdown(ssl) }
    shutdown(socket, Int32(SHUT_WR))
    didSend()
    let end = ContinuousClock.now + .seconds(2)
    while true {
      var events = Int16(POLLIN)
      try wait(for: &events, until: end - .now)
      guard events != 0 else { return }
      let count = scratch.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
      if count == 0 { throw .closedByPeer }
      if count < 0, errno != EAGAIN, errno != EINTR { throw .resetByPeer }
    }
  }

  /// Ends the connection with a RST.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    release()
  }

  /// Closes the socket.
  func release() {
    guard isOpen else { return }
    isOpen = false
    if let ssl { SSL_free(ssl) }
    ssl = nil
    Foundation.close(socket)
  }
}

extension OriginStream {
  /// Performs the server side of a TLS handshake.
  func secure(with context: OpaquePointer) throws(Ending) {
    guard let ssl = SSL_new(context) else { throw .handshakeFailed(opensslReason()) }
    self.ssl = ssl
    copenssl_set_write_modes(ssl)
    SSL_set_fd(ssl, socket)
    while true {
      ERR_clear_error()
      let result = SSL_accept(ssl)
      if result == 1 { return }
      switch SSL_get_error(ssl, result) {
      case SSL_ERROR_WANT_READ: try wait(for: Int16(POLLIN))
      case SSL_ERROR_WANT_WRITE: try wait(for: Int16(POLLOUT))
      case SSL_ERROR_SSL: throw .handshakeFailed(opensslReason())
      case SSL_ERROR_SYSCALL where errno == ECONNRESET: throw .resetByPeer
      default: throw .closedByPeer
      }
    }
  }

  /// Whether the handshake negotiated HTTP/2.
  var speaksHTTP2: Bool { ssl.map { copenssl_speaks_http2($0) == 1 } ?? false }

  private enum Attempt {
    case done(Int)
    case wants(Int16)
    case ended(Ending)
  }

  private func read(into space: UnsafeMutableRawBufferPointer) -> Attempt {
    if let ssl {
      ERR_clear_error()
      errno = 0
      let count = SSL_read(ssl, space.baseAddress, Int32(clamping: space.count))
      return count > 0 ? .done(Int(count)) : failure(of: ssl, result: count)
    }
    let count = recv(socket, space.baseAddress, space.count, 0)
    if count == 0 { return .ended(.closedByPeer) }
    return count > 0 ? .done(count) : failure(wanting: Int16(POLLIN))
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Attempt {
    if let ssl {
      ERR_clear_error()
      errno = 0
      let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
      return count > 0 ? .done(Int(count)) : failure(of: ssl, result: count)
    }
    let count = sendBytes(bytes, on: socket)
    return count >= 0 ? .done(count) : failure(wanting: Int16(POLLOUT))
  }

  private func failure(wanting events: Int16) -> Attempt {
    switch errno {
    case EINTR: .done(0)
    case EAGAIN: .wants(events)
    case ECONNRESET: .ended(.resetByPeer)
    default: .ended(.closedByPeer)
    }
  }

  private func failure(of ssl: OpaquePointer, result: Int32) -> Attempt {
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: .wants(Int16(POLLIN))
    case SSL_ERROR_WANT_WRITE: .wants(Int16(POLLOUT))
    case SSL_ERROR_SYSCALL where errno == ECONNRESET: .ended(.resetByPeer)
    default: .ended(.closedByPeer)
    }
  }

  private func wait(for events: Int16) throws(Ending) {
    var events = events
    try wait(for: &events, until: nil)
  }

  /// Waits for events on the socket; on return `events` holds those that occurred.
  private func wait(for events: inout Int16, until limit: Duration?) throws(Ending) {
    var descriptors = [
      pollfd(fd: socket, events: events, revents: 0),
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&descriptors, 2, limit.map(\.pollMilliseconds) ?? -1)
    if descriptors[1].revents != 0 { throw .stopped }
    events = descriptors[0].revents
  }
}

extension Duration {
  /// Milliseconds for `poll`, rounded up: rounding down would poll in a loop near the deadline.
  var pollMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    let milliseconds = Int64(attoseconds / 1_000_000_000_000_000) + 1
    return Int32(
      clamping: max(0, seconds.multipliedReportingOverflow(by: 1000).partialValue)
        + milliseconds)
  }
}

/// The text of OpenSSL's most recent error.
func opensslReason() -> String {
  var text = [CChar](repeating: 0, count: 256)
  ERR_error_string_n(ERR_peek_last_error(), &text, text.count)
  return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
