import ExplorationEngine
import Foundation

/// A subject whose functions are correct one at a time, and wrong where two calls overlap.
enum Race: Sendable, CaseIterable {
  /// The lock is released between the read and the write.
  case counterWithLockTooSmall
  case counterWithoutLock
  /// The amount that is left is checked under one lock and changed under the next.
  case stockWithLockTooSmall
  case stockWithoutLock
  case identifiersWithoutLock
  /// Reads do not take the lock that writes take for two fields.
  case readWithoutLock
}

/// Small state with a race, or, without one, protected by one lock.
final class RacySubject: @unchecked Sendable {
  // Unchecked, and unsound on purpose: the tests find the data races.
  private var value = 0
  private var copy = 0
  private let lock = NSLock()
  private let race: Race?

  init(_ race: Race?) { self.race = race }

  /// Adds one and returns the sum.
  func add() -> Int {
    switch race {
    case .counterWithLockTooSmall:
      let old = lock.withLock { value }
      lock.withLock { value = old + 1 }
      return old + 1
    case .counterWithoutLock, .identifiersWithoutLock:
      value += 1
      return value
    case .stockWithoutLock:
      value += 1
      return value
    case .readWithoutLock:
      lock.withLock {
        value += 1
        copy += 1
      }
      return -1
    case .stockWithLockTooSmall, nil:
      return lock.withLock {
        value += 1
        return value
      }
    }
  }

  /// Takes one if there is any.
  func take() -> Int {
    switch race {
    case .stockWithLockTooSmall:
      guard lock.withLock({ value > 0 }) else { return -1 }
      return lock.withLock {
        value -= 1
        return value
      }
    case .counterWithLockTooSmall:
      return lock.withLock {
        guard value > 0 else { return -1 }
        value -= 1
        return value
      }
    case .counterWithoutLock, .stockWithoutLock, .identifiersWithoutLock:
      guard value > 0 else { return -1 }
      value -= 1
      return value
    case .readWithoutLock:
      return lock.withLock {
        guard value > 0 else { return -1 }
        value -= 1
        copy -= 1
        return -2
      }
    case nil:
      return lock.withLock {
        guard value > 0 else { return -1 }
        value -= 1
        return value
      }
    }
  }

  func read() -> Int {
    switch race {
    case .counterWithLockTooSmall, .stockWithLockTooSmall, nil: lock.withLock { value }
    case .readWithoutLock: value * 1_000 + copy
    default: value
    }
  }
}

struct RacySpecification: Specification {
  enum Command: String, Sendable, Hashable, CustomStringConvertible {
    case add, take, read
    var description: String { rawValue }
  }

  var race: Race?

  var initialState: Int { 0 }

  func command(from choices: inout Choices, in state: Int) -> Command {
    race == .identifiersWithoutLock ? .add : [.add, .take, .read][choices.rule(of: 3)]
  }

  func apply(_ command: Command, to state: inout Int) -> Int {
    switch command {
    case .add:
      state += 1
      return race == .readWithoutLock ? -1 : state
    case .take:
      guard state > 0 else { return -1 }
      state -= 1
      return race == .readWithoutLock ? -2 : state
    case .read: return race == .readWithoutLock ? state * 1_001 : state
    }
  }

  func perform(_ command: Command, on subject: RacySubject) async throws -> Int {
    switch command {
    case .add: subject.add()
    case .take: subject.take()
    case .read: subject.read()
    }
  }

  func isReadOnly(_ command: Command) -> Bool { command == .read }
}
