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
/// ``LockStep/serve(_:)`` with the same specification and subject.
package typealias StartSubjectProcess =
  @Sendable (_ input: FileHandle) throws -> any SubjectProcess

/// The runs that one process asks another to perform, as a line of JSON.
struct SubjectRequest: Codable {
  enum Runs: Codable {
    /// Runs drawn from seeds.
    case seeds(SeededRuns, seconds: Double?)
    /// One run of encoded commands.
    case commands([String])
    /// One run of the commands that both processes were given.
    case given
  }

  var runs: Runs
  /// The path of the record to which the position is written.
  var record: String?
  /// The timeout of a run in seconds.
  var limit: Double
}

/// The other process's messages.
enum SubjectReply: Codable {
  /// The process has arrived at the exploration.
  case ready
  case progress(runs: Int, calls: Int)
  case passed(runs: Int, calls: Int)
  case failed(runs: Int, calls: Int, Failure)

  /// A failed run. Responses cannot be sent, so their descriptions are.
  struct Failure: Codable {
    enum Kind: Codable {
      case mismatch(actual: String)
      case threw(type: String, message: String)
      case timedOut
      case setUpThrew(type: String, message: String)
      case tearDownThrew(type: String, message: String)
    }

    var run: Int
    var step: Int
    var kind: Kind
  }
}

/// Keeps a ``SubjectProcess`` in use, and replaces one that has ended.
package final class SubjectProcesses {
  /// The ending of the runs of a request.
  enum Ending {
    case passed(runs: Int, calls: Int)
    case failed(runs: Int, calls: Int, SubjectReply.Failure)
    /// The process ended while it ran a command.
    case ended(String)
    /// The process sent nothing for too long, and was killed.
    case silent
    /// The process did not arrive at the exploration.
    case unavailable(String)
  }

  /// How long a process may take until it arrives at the exploration.
  private static let startLimit = Duration.seconds(60)
  /// How long a process may be silent, in addition to the timeout of a run.
  private static let silenceLimit = Duration.seconds(10)

  private let start: StartSubjectProcess
  private var current: (process: any SubjectProcess, connection: LineConnection)?

  package init(_ start: @escaping StartSubjectProcess) { self.start = start }

  /// Performs the runs of a request.
  ///
  /// - Parameters:
  ///   - request: The runs.
  ///   - onProgress: Called about once a second; returns whether the runs should be abandoned.
  func perform(
    _ request: SubjectRequest, onProgress: (_ runs: Int, _ calls: Int) -> Bool
  ) -> Ending {
    var isAbandoned = false
    let ending = converse(
      request, within: .seconds(request.limit) + Self.silenceLimit, isAbandoned: isAbandoned
    ) { (reply: SubjectReply) -> Ending? in
      switch reply {
      case .ready: return nil
      case .progress(let runs, let calls):
        isAbandoned = onProgress(runs, calls)
        return isAbandoned ? .passed(runs: runs, calls: calls) : nil
      case .passed(let runs, let calls): return .passed(runs: runs, calls: calls)
      case .failed(let runs, let calls, let failure):
        return .failed(runs: runs, calls: calls, failure)
      }
    }
    switch ending {
    case .value(let ending):
      // A command that does not return keeps its thread and its locks.
      if case .failed(_, _, let failure) = ending, case .timedOut = failure.kind { stop() }
      if isAbandoned { stop() }
      return ending
    case .ended(let reason): return .ended(reason)
    case .silent: return .silent
    case .unavailable(let message): return .unavailable(message)
    }
  }

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

  /// Sends a request, and receives replies until one gives a value. A reply of a new process, before
  /// any request, is encoded like ``SubjectReply/ready``.
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
    switch connection.receive(SubjectReply.self, within: Self.startLimit) {
    case .message(.ready): return connection
    case .message, .closed:
      throw StartError(message: "the subject's process ended before the exploration: \(end())")
    case .timedOut:
      stop()
      throw StartError(
        message: "the subject's process did not arrive at the exploration within "
          + "\(Self.startLimit); its code before the exploration may wait for something")
    }
  }
}
