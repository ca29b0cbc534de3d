import App
import ContractExploration

/// The commands of a job queue, for random exploration. The model is the oracle.
struct JobQueueSpecification: Specification {
  /// A call with its arguments. Arguments of other types than numbers, strings and Booleans are
  /// positions in the lists of samples below.
  enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
    case enqueue(job: Int)
    case take
    case complete(ticket: Int)
    case count

    var description: String {
      switch self {
      case .enqueue(let job): "enqueue(job: \(job))"
      case .take: "take"
      case .complete(let ticket): "complete(ticket: \(ticket))"
      case .count: "count"
      }
    }
  }

  /// What a call returned or threw.
  enum Response: Equatable, Sendable {
    case enqueue(Int)
    case take(Assignment?)
    case complete
    case count(Int)
    case failed(JobQueueError)
  }

  static var jobSamples: [Job] {
    [Job(owner: "ann", name: "print"), Job(owner: "ben", name: "")]
  }

  var kinds: [String] { ["enqueue", "take", "complete", "count"] }

  var initialState: JobQueueModel { JobQueueModel() }

  func command(from choices: inout Choices, in state: JobQueueModel) -> Command {
    switch choices.rule(of: 4) {
    case 0: .enqueue(job: choices.element(of: Self.jobSamples.indices, domain: "job") ?? 0)
    case 1: .take
    case 2: .complete(ticket: choices.integer(in: -1...10, domain: "ticket"))
    default: .count
    }
  }

  func apply(_ command: Command, to state: inout JobQueueModel) -> Response {
    do throws(JobQueueError) {
      switch command {
      case .enqueue(let job):
        return .enqueue(try state.enqueue(Self.jobSamples[job]))
      case .take:
        return .take(try state.take())
      case .complete(let ticket):
        try state.complete(ticket)
        return .complete
      case .count:
        return .count(try state.count)
      }
    } catch {
      return .failed(error)
    }
  }

  func perform(_ command: Command, on subject: JobQueueFixture) async throws -> Response {
    do throws(JobQueueError) {
      switch command {
      case .enqueue(let job):
        return .enqueue(try await subject.jobQueue.enqueue(Self.jobSamples[job]))
      case .take:
        return .take(try await subject.jobQueue.take())
      case .complete(let ticket):
        try await subject.jobQueue.complete(ticket)
        return .complete
      case .count:
        return .count(try await subject.jobQueue.count)
      }
    } catch {
      return .failed(error)
    }
  }
}

extension Specification where Self == JobQueueSpecification {
  /// The commands of a job queue.
  static var jobQueue: JobQueueSpecification { JobQueueSpecification() }
}
