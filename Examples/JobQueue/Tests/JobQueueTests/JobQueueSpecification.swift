import ContractExploration
import JobQueue

/// The model of a job queue with random commands.
struct JobQueueSpecification: Specification {
  enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
    case push(String, delay: Int)
    case reserve
    case acknowledge(String, attempt: Int)
    case retry(String, attempt: Int)
    case deadLetters
    case size
    case wait(seconds: Int)

    var description: String {
      switch self {
      case .push(let id, let delay): "push(\"\(id)\", delay: \(delay))"
      case .reserve: "reserve"
      case .acknowledge(let id, let attempt): "acknowledge(\"\(id)\", attempt: \(attempt))"
      case .retry(let id, let attempt): "retry(\"\(id)\", attempt: \(attempt))"
      case .deadLetters: "deadLetters"
      case .size: "size"
      case .wait(let seconds): "wait(seconds: \(seconds))"
      }
    }
  }

  enum Response: Hashable, Sendable, CustomStringConvertible {
    case done(Bool)
    case reserved(Receipt?)
    case jobs([String])
    case size(Int)

    var description: String {
      switch self {
      case .done(let isDone): "\(isDone)"
      case .reserved(let receipt): receipt.map { "\($0.jobID) #\($0.attempt)" } ?? "nil"
      case .jobs(let ids): "\(ids)"
      case .size(let size): "\(size)"
      }
    }
  }

  struct State: Hashable, Sendable {
    var queue = JobQueueModel()
    var now = Duration.zero
  }

  /// Whether time passes. While several workers use a queue, it does not: when a worker reads the clock
  /// is not the queue's business.
  var waits = true

  var initialState: State { State() }

  var source: String { waits ? "JobQueueSpecification()" : "JobQueueSpecification(waits: false)" }

  func command(from choices: inout Choices, in state: State) -> Command {
    let id = choices.element(of: ["a", "b", "c", "d"], domain: "id") ?? "a"
    let receipt = choices.element(of: state.queue.receipts) ?? Receipt(jobID: id, attempt: 1)
    return switch choices.rule(weights: [4, 4, 2, 2, 1, 2, waits ? 3 : 0]) {
    case 0: .push(id, delay: waits ? choices.integer(in: 0...20) : 0)
    case 1: .reserve
    case 2: .acknowledge(receipt.jobID, attempt: receipt.attempt)
    case 3: .retry(receipt.jobID, attempt: receipt.attempt)
    case 4: .deadLetters
    case 5: .size
    default: .wait(seconds: choices.integer(in: 1...40))
    }
  }

  func apply(_ command: Command, to state: inout State) -> Response {
    let now = state.now
    switch command {
    case .push(let id, let delay):
      return .done(state.queue.push(Job(id: id, body: id), delay: .seconds(delay), at: now))
    case .reserve: return .reserved(state.queue.reserve(at: now)?.receipt)
    case .acknowledge(let id, let attempt):
      return .done(state.queue.acknowledge(.init(jobID: id, attempt: attempt), at: now))
    case .retry(let id, let attempt):
      return .done(state.queue.retry(.init(jobID: id, attempt: attempt), at: now))
    case .deadLetters: return .jobs(state.queue.deadLetters(at: now).map(\.id))
    case .size: return .size(state.queue.size(at: now))
    case .wait(let seconds):
      state.now += .seconds(seconds)
      return .done(true)
    }
  }

  func perform(_ command: Command, on subject: JobQueueFixture) async throws -> Response {
    let queue = subject.queue
    do throws(JobQueueError) {
      switch command {
      case .push(let id, let delay):
        return .done(try await queue.push(Job(id: id, body: id), delay: .seconds(delay)))
      case .reserve: return .reserved(try await queue.reserve()?.receipt)
      case .acknowledge(let id, let attempt):
        return .done(try await queue.acknowledge(.init(jobID: id, attempt: attempt)))
      case .retry(let id, let attempt):
        return .done(try await queue.retry(.init(jobID: id, attempt: attempt)))
      case .deadLetters: return .jobs(try await queue.deadLetters().map(\.id))
      case .size: return .size(try await queue.size())
      case .wait(let seconds):
        subject.clock.advance(by: .seconds(seconds))
        return .done(true)
      }
    } catch {
      // A refused operation has changed nothing; the outcome of any other is unknown.
      if case .unavailable(let reason) = error { throw CallDidNotHappen(reason) }
      throw error
    }
  }

  func isReadOnly(_ command: Command) -> Bool {
    !waits && (command == .size || command == .deadLetters)
  }
}
