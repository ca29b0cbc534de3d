internal import ExplorationEngine

// The messages between a process that explores in lock-step and one that runs the subject for it.

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

  /// What the other process needs to know first.
  var context: String?
  var runs: Runs
  /// The path of the record to which the position is written.
  var record: String?
  /// The timeout of a run in seconds.
  var limit: Double
}

/// The other process's messages.
enum SubjectReply: Codable {
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

extension SubjectProcesses {
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

  /// How long a process may be silent, in addition to the timeout of a run.
  private static let silenceLimit = Duration.seconds(10)

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
}
