import ExplorationEngine
import SystemLocks

/// Counts the calls of all subjects.
final class CallCounter: Sendable {
  private let count = Mutex(0)

  var calls: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

struct CountedSpecification: Specification {
  private let base = RacySpecification()
  private let counter: CallCounter

  init(_ counter: CallCounter) { self.counter = counter }

  var initialState: Int { base.initialState }

  func command(from choices: inout Choices, in state: Int) -> RacySpecification.Command {
    base.command(from: &choices, in: state)
  }

  func apply(_ command: RacySpecification.Command, to state: inout Int) -> Int {
    base.apply(command, to: &state)
  }

  func perform(
    _ command: RacySpecification.Command, on subject: RacySubject
  ) async throws -> Int {
    counter.add()
    return try await base.perform(command, on: subject)
  }
}
