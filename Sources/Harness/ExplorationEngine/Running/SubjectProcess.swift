import Foundation
import SystemPlatform

/// A process that runs subjects for the process that explores them, so that a crash ends only the
/// former.
package protocol SubjectProcess: AnyObject, Sendable {
  /// Ends the process at once, if it still runs.
  func kill()

  /// Waits until the process has ended, and returns how: `signal 4: Fatal error: Index out of
  /// range`.
  func waitUntilEnd() -> String
}

/// Starts a process with one end of a connection as its standard input. The process calls
/// `serve(_:)` of the same kind of exploration, with the same specification and subject.
package typealias StartSubjectProcess =
  @Sendable (_ input: FileHandle) throws -> any SubjectProcess

/// The first message of a new process.
package enum SubjectArrival: Codable {
  /// The process has arrived at the exploration.
  case ready
}

/// Keeps a ``SubjectProcess`` in use, and replaces one that has ended.
package final class SubjectProcesses: Sendable {
  /// How long a process may take until it arrives at the exploration.
  private static let startLimit = Duration.seconds(60)
  private let start: StartSubjectProcess
  // Unchecked: one exploration at a time uses the processes, from its thread.
  private nonisolated(unsafe) var current:
    (process: any SubjectProcess, connection: LineConnection)?

  package init(_ start: @escaping StartSubjectProcess) { self.start = start }

  /// The ending of a request and its replies.
  package enum Conversation<Value> {
    case value(Value)
    /// The process ended.
    case ended(String)
    /// The process sent nothing for too long, or the request was abandoned. It was killed.
    case silent
    /// The process did not arrive at the exploration.
    case unavailable(String)
  }

  /// Sends a request, and receives replies until one gives a value. A new process first sends
  /// ``SubjectArrival``.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: How long the process may be silent.
  ///   - isAbandoned: Asked about once a second.
  ///   - onReply: Called with each reply.
  package func converse<Reply: Decodable, Value>(
    _ request: some Encodable, within limit: Duration, isAbandoned: @autoclosure () -> Bool,
    _ onReply: (Reply) -> Value?
  ) -> Conversation<Value> {
    let connection: LineConnection
    do {
      connection = try connected()
    } catch {
      return .unavailable(error.message)
    }
    connection.send(request)
    var deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      switch connection.receive(Reply.self, within: min(.seconds(1), deadline - .now)) {
      case .message(let reply):
        if let value = onReply(reply) { return .value(value) }
        deadline = .now.advanced(by: limit)
      case .closed: return .ended(end())
      case .timedOut:
        guard isAbandoned() || ContinuousClock.now >= deadline else { continue }
        stop()
        return .silent
      }
    }
  }

  /// Ends the process.
  package func stop() {
    current?.process.kill()
    _ = end()
  }

  /// Waits for the end of the process.
  private func end() -> String {
    defer { current = nil }
    return current?.process.waitUntilEnd() ?? ""
  }

  private struct StartError: Error {
    var message: String
  }

  private func connected() throws(StartError) -> LineConnection {
    if let current { return current.connection }
    guard let (ours, theirs) = makeConnectedSockets() else {
      throw StartError(
        message: "no connection to a new process: \(String(cString: strerror(errno)))")
    }
    let connection = LineConnection(ours)
    let process: any SubjectProcess
    do {
      process = try start(FileHandle(fileDescriptor: theirs, closeOnDealloc: true))
    } catch {
      throw StartError(message: "a process for the subject cannot be started: \(error)")
    }
    current = (process, connection)
    switch connection.receive(SubjectArrival.self, within: Self.startLimit) {
    case .message(.ready): return connection
    case .closed:
      throw StartError(message: "the subject's process ended before the exploration: \(end())")
    case .timedOut:
      stop()
      throw StartError(
        message: "the subject's process did not arrive at the exploration within "
          + "\(Self.startLimit); its code before the exploration may wait for something")
    }
  }
}
