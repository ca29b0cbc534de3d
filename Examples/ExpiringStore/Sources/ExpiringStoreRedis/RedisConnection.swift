import ExpiringStorePort
import Foundation

/// A connection that speaks RESP 2. One thread at a time uses it.
///
/// Source: https://redis.io/docs/latest/develop/reference/protocol-spec.
final class RedisConnection {
  private let socket: Int32
  private var received: [UInt8] = []

  init(port: UInt16, limit: Duration) throws(ExpiringStoreError) {
    _ = Self.ignoresBrokenPipes
    socket = Foundation.socket(AF_INET, Self.stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var time = timeval()
    time.tv_sec = .init(limit.components.seconds)
    time.tv_usec = .init(limit.components.attoseconds / 1_000_000_000_000)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    let result = withUnsafePointer(to: &address) { [socket] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { throw Self.failure("connecting to port \(port)") }
  }

  deinit { close(socket) }

  /// Sends a command. Returns the bytes of the reply, or `nil` for null and for a number.
  func send(_ command: [[UInt8]]) throws(ExpiringStoreError) -> [UInt8]? {
    var bytes = Array("*\(command.count)\r\n".utf8)
    for part in command { bytes += Array("$\(part.count)\r\n".utf8) + part + [13, 10] }
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("sending") }
      sent += count
    }
    let line = try line()
    switch line.first {
    case "+": return Array(line.utf8.dropFirst())
    case ":": return nil
    case "$":
      guard let count = Int(line.dropFirst()) else { break }
      return count < 0 ? nil : try take(count + 2).dropLast(2)
    default: break
    }
    throw .unavailable(reason: "Redis: \(line.prefix(200))")
  }

  private func line() throws(ExpiringStoreError) -> String {
    while true {
      if let end = received.firstIndex(of: 10) {
        return String(decoding: try take(end + 1).dropLast(2), as: UTF8.self)
      }
      try receive()
    }
  }

  private func take(_ count: Int) throws(ExpiringStoreError) -> [UInt8] {
    while received.count < count { try receive() }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  private func receive() throws(ExpiringStoreError) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &bytes, bytes.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("waiting for a reply") }
      received += bytes[..<count]
      return
    }
  }

  private static func failure(_ call: String) -> ExpiringStoreError {
    .unavailable(reason: "Redis: \(call): \(String(cString: strerror(errno)))")
  }

  // SOCK_STREAM, which C libraries declare with different types.
  private static let stream: Int32 = 1

  /// Writing to a connection that was closed must fail, and not end the process.
  private static let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()
}
