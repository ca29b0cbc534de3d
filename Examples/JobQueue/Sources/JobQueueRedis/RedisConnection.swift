import Dispatch
import Foundation
package import JobQueue

/// A reply of Redis.
package enum RedisReply: Hashable, Sendable {
  case text(String)
  case integer(Int)
  case array([RedisReply])
  case null
}

/// A connection to Redis that speaks RESP 2 over a plain socket.
///
/// It is used by one task at a time. Reading and writing block a queue of its own, not the caller's
/// thread, for at most the time limit.
///
/// Unchecked, and sound: `buffer` is used on `queue` only.
package final class RedisConnection: @unchecked Sendable {
  private let socket: Int32
  private let queue = DispatchQueue(label: "redis-connection")
  private var buffer: [UInt8] = []

  /// Connects to a server on this machine.
  package init(port: UInt16, limit: Duration) throws(JobQueueError) {
    _ = Self.ignoresBrokenPipes
    socket = Foundation.socket(AF_INET, Self.stream, 0)
    guard socket >= 0 else { throw .unavailable("no socket: \(Self.reason)") }
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
    var one: Int32 = 1
    setsockopt(socket, Self.tcp, TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let reason = Self.reason
      close(socket)
      throw .unavailable("127.0.0.1:\(port): \(reason)")
    }
  }

  deinit { close(socket) }

  /// Sends a command and returns its reply.
  ///
  /// - Throws: `unavailable` if Redis refused the command; `outcomeUnknown` if the connection broke or the time
  ///   was up. Then the connection must not be used again, since a late reply may come.
  package func send(_ command: [String]) async throws(JobQueueError) -> RedisReply {
    let result: Result<RedisReply, JobQueueError> = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(
          returning: Result { () throws(JobQueueError) in
            try self.write(command)
            return try self.reply()
          })
      }
    }
    return try result.get()
  }

  // MARK: - Bytes

  private func write(_ command: [String]) throws(JobQueueError) {
    var bytes = Array("*\(command.count)\r\n".utf8)
    for part in command {
      bytes += Array("$\(part.utf8.count)\r\n".utf8) + Array(part.utf8) + [13, 10]
    }
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.write(socket, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .outcomeUnknown("sending: \(Self.reason)") }
      sent += count
    }
  }

  private func reply() throws(JobQueueError) -> RedisReply {
    let line = try line()
    let rest = String(line.dropFirst())
    switch line.first {
    case "+": return .text(rest)
    case "-": throw Self.error(rest)
    case ":": return .integer(try number(rest))
    case "$":
      let count = try number(rest)
      guard count >= 0 else { return .null }
      let bytes = try take(count + 2)
      return .text(String(decoding: bytes.dropLast(2), as: UTF8.self))
    case "*":
      let count = try number(rest)
      guard count >= 0 else { return .null }
      var replies: [RedisReply] = []
      for _ in 0..<count { replies.append(try reply()) }
      return .array(replies)
    default: throw .outcomeUnknown("a reply that is not RESP: \(line.prefix(40))")
    }
  }

  /// Redis names an error by its first word. After these, no command of a script has changed anything.
  private static func error(_ text: String) -> JobQueueError {
    let word = text.prefix { $0 != " " }
    let refusals = ["LOADING", "READONLY", "MISCONF", "MASTERDOWN", "NOREPLICAS", "NOAUTH"]
    return refusals.contains(String(word)) ? .unavailable(text) : .outcomeUnknown(text)
  }

  private func number(_ text: String) throws(JobQueueError) -> Int {
    guard let number = Int(text) else { throw .outcomeUnknown("no number: \(text.prefix(40))") }
    return number
  }

  private func line() throws(JobQueueError) -> String {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      try receive()
    }
  }

  private func take(_ count: Int) throws(JobQueueError) -> [UInt8] {
    while buffer.count < count { try receive() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  private func receive() throws(JobQueueError) {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(socket, &bytes, bytes.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw .outcomeUnknown(
          count == 0 ? "the connection was closed" : "receiving: \(Self.reason)")
      }
      buffer += bytes[..<count]
      return
    }
  }

  // MARK: - Systems

  private static var reason: String { String(cString: strerror(errno)) }

  // SOCK_STREAM and IPPROTO_TCP, which C libraries declare with different types.
  private static let stream: Int32 = 1
  private static let tcp: Int32 = 6

  /// Writing to a connection that was reset must fail, not end the process.
  private static let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()
}
