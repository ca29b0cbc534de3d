import ContractExploration
import ContractTesting
import Foundation
import SystemLocks
import Testing

/// A register that keeps its number in memory and, if it is durable, on disk. A crash restores memory
/// from disk.
private final class Notebook: Sendable {
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

private struct NotebookSpecification: Specification {
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
  fileprivate static let durable = fake("durable") { Notebook(isDurable: true) }
  fileprivate static let forgetful = fake("forgetful") { Notebook(isDurable: false) }
}

extension Fault<Notebook> {
  fileprivate static let powerCut = Fault("power-cut") { $0.crash() }
}

/// Explorations with faults, from a test.
@Suite struct ExploreFaultsTests {
  @Test func `a durable notebook passes with one client`() async throws {
    let report = try await explore(NotebookSpecification(), on: .durable, faults: [.powerCut])
    #expect(try #require(report).runs == 50)
  }

  @Test func `a forgetful notebook is found, shrunk and printed`() async throws {
    var report: FaultReport<NotebookSpecification>?
    try await withKnownIssue {
      report = try await explore(
        NotebookSpecification(), on: .forgetful, faults: [.powerCut],
        promising: .acknowledgedWritesSurvive)
    } matching: {
      "\($0)".contains("on forgetful") && "\($0)".contains("acknowledged writes do not survive")
    }
    let failure = try #require(report?.failure)
    #expect(failure.callCount == 2)
    #expect(failure.faultCount == 1)
    try expectPasted(failure.swiftTest)
  }

  @Test func `concurrent clients find it too`() async throws {
    var report: FaultReport<NotebookSpecification>?
    await withKnownIssue {
      report = try await exploreConcurrently(
        NotebookSpecification(), on: .forgetful, faults: [.powerCut], tasks: 3)
    }
    #expect(report?.failure != nil)
  }

  @Test func `the printed test fails like the exploration`() async throws {
    try await withKnownIssue {
      try await faultBreaksPromise()
    } matching: {
      "\($0)".contains("acknowledged writes do not survive")
    }
  }

  /// What the exploration prints.
  func faultBreaksPromise() async throws {
    // client 0  [write(1) → 1]             [read → 0]
    // faults                   [power-cut]
    try await explore(
      NotebookSpecification(), on: .forgetful, promising: .acknowledgedWritesSurvive,
      steps: [
        .call(.write(1)),
        .fault(.powerCut),
        .call(.read),
      ])
  }

  /// Compares a printed test with this file, which compiles.
  private func expectPasted(_ text: String) throws {
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let file = Set(lines(try String(contentsOfFile: #filePath, encoding: .utf8)))
    #expect(lines(text).dropFirst().allSatisfy { file.contains($0) }, "\(text)")
  }

  @Test func `given concurrent steps run several times`() async throws {
    let report = try await exploreConcurrently(
      NotebookSpecification(), on: .durable, promising: .sequentiallyConsistent,
      steps: [.call(.write(1)), .fault(.powerCut), .call(.read, by: 1)], runs: 7)
    #expect(try #require(report).runs == 7)
  }

  @Test func `an unavailable implementation is not explored`() async throws {
    struct NotInstalled: UnavailabilityError {
      var unavailabilityReason: String? { "install a notebook" }
    }
    let absent = Implementation<Notebook>.live("absent") { Notebook(isDurable: true) }
      .available(when: "a notebook is there") { false }
    let missing = Implementation<Notebook>.live("missing") { throw NotInstalled() }
    for implementation in [absent, missing] {
      let report = try await explore(
        NotebookSpecification(), on: implementation, faults: [.powerCut])
      #expect(report == nil)
    }
  }
}
