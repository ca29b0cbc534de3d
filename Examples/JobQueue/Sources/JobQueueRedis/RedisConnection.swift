import CHiredis
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

/// A connection to Redis, by hiredis.
///
/// It is used by one task at a time. Reading and writing block a queue of its own, not the caller's
/// thread, for at most the time limit.
///
/// Unchecked, and sound: `context` is used on `queue` only.
package final class RedisConnection: @unchecked Sendable {
  private let context: UnsafeMutablePointer<redisContext>
  private let queue = DispatchQueue(label: "redis-connection")

  /// Connects to a server on this machine.
  package init(port: UInt16, limit: Duration) throws(JobQueueError) {
    _ = Self.ignoresBrokenPipes
    var time = timeval()
    time.tv_sec = .init(limit.components.seconds)
    time.tv_usec = .init(limit.components.attoseconds / 1_000_000_000_000)
    guard let context = redisConnectWithTimeout("127.0.0.1", Int32(port), time) else {
      throw .unavailable("no memory for a connection")
    }
    self.context = context
    guard context.pointee.err == 0, redisSetTimeout(context, time) == 0 else {
      throw .unavailable("127.0.0.1:\(port): \(reason)")
    }
  }

  deinit { redisFree(context) }

  private var reason: String {
    withUnsafeBytes(of: context.pointee.errstr) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Sends a command and returns its reply.
  ///
  /// - Throws: `unavailable` if Redis refused the command; `outcomeUnknown` if the connection broke or the time
  ///   was up. Then the connection must not be used again, since a late reply may come.
  package func send(_ command: [String]) async throws(JobQueueError) -> RedisReply {
    let result: Result<RedisReply, JobQueueError> = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(
          returning: Result { () throws(JobQueueError) in try self.reply(to: command) })
      }
    }
    return try result.get()
  }

  private func reply(to command: [String]) throws(JobQueueError) -> RedisReply {
    let lengths = command.map(\.utf8.count)
    let reply = command.joined().withCString { start in
      var next = start
      var parts: [UnsafePointer<CChar>?] = lengths.map { length in
        defer { next += length }
        return next
      }
      return redisCommandArgv(context, Int32(parts.count), &parts, lengths)
    }
    guard let reply else { throw .outcomeUnknown(reason) }
    defer { freeReplyObject(reply) }
    return try value(reply.assumingMemoryBound(to: redisReply.self).pointee)
  }

  private func value(_ reply: redisReply) throws(JobQueueError) -> RedisReply {
    let text = String(
      decoding: UnsafeRawBufferPointer(start: reply.str, count: reply.len), as: UTF8.self)
    switch reply.type {
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return .text(text)
    case REDIS_REPLY_INTEGER: return .integer(Int(reply.integer))
    case REDIS_REPLY_NIL: return .null
    case REDIS_REPLY_ARRAY:
      var values: [RedisReply] = []
      for case let element? in UnsafeBufferPointer(start: reply.element, count: reply.elements) {
        values.append(try value(element.pointee))
      }
      return .array(values)
    default: throw Self.error(text)
    }
  }

  /// Redis names an error by its first word. After these, no command of a script has changed anything.
  private static func error(_ text: String) -> JobQueueError {
    let word = text.prefix { $0 != " " }
    let refusals = ["LOADING", "READONLY", "MISCONF", "MASTERDOWN", "NOREPLICAS", "NOAUTH"]
    return refusals.contains(String(word)) ? .unavailable(text) : .outcomeUnknown(text)
  }

  /// Writing to a connection that was reset must fail, not end the process.
  private static let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()
}
