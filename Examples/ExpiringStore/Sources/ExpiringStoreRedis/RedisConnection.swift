import CHiredis
import ExpiringStorePort
import Foundation

/// A connection to Redis, by hiredis. One thread at a time uses it.
final class RedisConnection {
  private let context: UnsafeMutablePointer<redisContext>

  init(port: UInt16, limit: Duration) throws(ExpiringStoreError) {
    // Writing to a connection that was closed must fail, and not end the process.
    signal(SIGPIPE, SIG_IGN)
    var time = timeval()
    time.tv_sec = .init(limit.components.seconds)
    time.tv_usec = .init(limit.components.attoseconds / 1_000_000_000_000)
    guard let context = redisConnectWithTimeout("127.0.0.1", Int32(port), time) else {
      throw .unavailable(reason: "Redis: no memory for a connection")
    }
    self.context = context
    if context.pointee.err != 0 || redisSetTimeout(context, time) != 0 { throw failure }
  }

  deinit { redisFree(context) }

  /// Sends a command. Returns the bytes of the reply, or `nil` for null and for a number.
  func send(_ command: [[UInt8]]) throws(ExpiringStoreError) -> [UInt8]? {
    let reply = Array(command.joined()).withUnsafeBytes { bytes in
      var next = bytes.bindMemory(to: CChar.self).baseAddress
      var parts = command.map { part in
        defer { next = next.map { $0 + part.count } }
        return next
      }
      return redisCommandArgv(context, Int32(parts.count), &parts, command.map(\.count))
    }
    guard let reply else { throw failure }
    defer { freeReplyObject(reply) }
    let value = reply.assumingMemoryBound(to: redisReply.self).pointee
    let bytes = Array(UnsafeRawBufferPointer(start: value.str, count: value.len))
    switch value.type {
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return bytes
    case REDIS_REPLY_ERROR:
      throw .unavailable(reason: "Redis: \(String(decoding: bytes, as: UTF8.self))")
    default: return nil
    }
  }

  private var failure: ExpiringStoreError {
    let text = withUnsafeBytes(of: context.pointee.errstr) { $0.prefix { $0 != 0 } }
    return .unavailable(reason: "Redis: \(String(decoding: text, as: UTF8.self))")
  }
}
