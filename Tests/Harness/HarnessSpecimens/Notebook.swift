import ContractExploration
import ContractTesting
import Foundation
import SystemLocks
import Testing

/// A register that keeps its number in memory and, if it is durable, on disk. A crash restores memory
/// from disk.
final class Notebook: Sendable {
  private let state = Mutex((memory: 0, disk: 0))
  private let isDurable: Bool

  init(isDurable: Bool) { self.isDurable = isDurable }

  func write(_ number: Int) -> Int {
    state.withLock {
      $0.memory = number
      if isDurable { $0.disk = number }
      return number
    }
  }

  func read() -> Int { state.withLock { $0.memory } }
  func crash() { state.withLock { $0.memory = $0.disk } }
}

struct NotebookSpecification: Specification {
  enum Command: Hashable, Sendable, CustomStringConvertible {
    case write(Int)
    case read

    var description: String {
      switch self {
      case .write(let number): "write(\(number))"
      case .read: "read"
      }
    }
  }

  var initialState: Int { 0 }

  func command(from choices: inout Choices, in state: Int) -> Command {
    choices.rule(of: 2) == 0 ? .write(choices.integer(in: 1...9)) : .read
  }

  func apply(_ command: Command, to state: inout Int) -> Int {
    if case .write(let number) = command { state = number }
    return state
  }

  func perform(_ command: Command, on subject: Notebook) async throws -> Int {
    switch command {
    case .write(let number): subject.write(number)
    case .read: subject.read()
    }
  }

  func isReadOnly(_ command: Command) -> Bool { command == .read }
}

extension Implementation where Fixture == Notebook {
  static let durable: Self = fake("durable") { Notebook(isDurable: true) }
  static let forgetful: Self = fake("forgetful") { Notebook(isDurable: false) }

  /// A notebook with a log, as that of a server.
  static let logging: Self = fake("logging") { scope in
    scope.attachOnFailure("notebook.log") { "the notebook was opened" }
    return Notebook(isDurable: false)
  }
}

extension Specimens {
  @Test func exploringWithFaults() async throws {
    let folder = ProcessInfo.processInfo.environment["CONTRACT_SPECIMEN"] ?? "/nonexistent"
    let file = folder + "/Test.swift"
    try await explore(
      NotebookSpecification(), on: .logging, faults: [.powerCut], filePath: file)
    // Examples of another promise, and of a fault that this exploration has not.
    try await explore(
      NotebookSpecification(), on: .logging, faults: [.powerCut],
      promising: .acknowledgedWritesSurvive, filePath: file)
    try await explore(
      NotebookSpecification(), on: .logging, faults: [Fault("none") { _ in }], filePath: file)
  }
}

extension Fault<Notebook> {
  static let powerCut = Fault("power-cut") { $0.crash() }
}
