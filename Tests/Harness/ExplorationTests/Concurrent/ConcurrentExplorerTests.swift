import Dispatch
import SystemLocks
import Testing

@testable import ExplorationEngine
@testable import LinearizabilityChecking

/// Counters by key, correct or with a fault.
private final class Counters: Sendable {
  enum Fault: Sendable {
    case losesUpdates
    case throwsAfterwards
    case blocks
  }

  let fault: Fault?
  private let values = Mutex<[Int: Int]>([:])

  init(_ fault: Fault? = nil) { self.fault = fault }

  func value(_ key: Int) -> Int { values.withLock { $0[key] ?? 0 } }

  func add(_ key: Int) throws -> Int {
    if fault == .blocks, key == 2 { NeverSignalled.semaphore.wait() }
    guard fault == .losesUpdates else {
      let sum = values.withLock { values in
        values[key, default: 0] += 1
        return values[key] ?? 0
      }
      if fault == .throwsAfterwards, sum == 2 { throw DictionaryError() }
      return sum
    }
    let old = value(key)
    // Another thread can write between the read and this write.
    values.withLock { $0[key] = old + 1 }
    return old + 1
  }
}

private struct CountersSpecification: Specification {
  enum Command: Sendable, Hashable, CustomStringConvertible {
    case add(Int)
    case read(Int)

    var key: Int {
      switch self {
      case .add(let key), .read(let key): key
      }
    }

    var description: String {
      switch self {
      case .add(let key): "add(\(key))"
      case .read(let key): "read(\(key))"
      }
    }
  }

  var initialState: [Int: Int] { [:] }

  func command(from choices: inout Choices, in state: [Int: Int]) -> Command {
    let key = choices.integer(in: 0...2, domain: "key")
    return choices.rule(of: 2) == 0 ? .add(key) : .read(key)
  }

  func apply(_ command: Command, to state: inout [Int: Int]) -> Int {
    switch command {
    case .add(let key):
      state[key, default: 0] += 1
      return state[key] ?? 0
    case .read(let key): return state[key] ?? 0
    }
  }

  func perform(_ command: Command, on subject: Counters) async throws -> Int {
    switch command {
    case .add(let key): try subject.add(key)
    case .read(let key): subject.value(key)
    }
  }

  func isReadOnly(_ command: Command) -> Bool {
    if case .read = command { return true }
    return false
  }

  func partition(of command: Command) -> AnyHashable? { command.key }
}

@Suite struct ConcurrentExplorerTests {
  private func explore(
    _ fault: Counters.Fault?, runs: Int, runLimit: Duration = .seconds(10)
  ) async -> ConcurrentReport<CountersSpecification> {
    let settings = ExplorationSettings(runs: runs, seed: 1, steps: 24, runLimit: runLimit)
    return await ConcurrentExplorer(CountersSpecification(), settings: settings) {
      Counters(fault)
    }.explore()
  }

  @Test func `a correct subject passes`() async {
    let report = await explore(nil, runs: 100)
    #expect(report.failure == nil, "\(report)")
    #expect(report.runs == 100)
    #expect(report.calls >= 2400)
    #expect(report.unknown == 0)
    #expect(report.operationsPending == 0)
  }

  @Test func `lost updates are found and minimized without live calls`() async throws {
    let report = await explore(.losesUpdates, runs: 5000)
    let failure = try #require(report.failure)
    guard case .notLinearizable = failure.kind else {
      Issue.record("\(failure)")
      return
    }
    let minimal = try #require(failure.minimal)
    #expect(minimal.operations.count <= failure.history.operations.count)
    let checker = LinearizabilityChecker(CountersSpecification())
    guard case .notLinearizable = checker.check(minimal) else {
      Issue.record("\(minimal.timeline)")
      return
    }
    // Without the last response, the model explains the history from the initial state.
    let last = try #require(minimal.operations.max { ($0.end ?? 0) < ($1.end ?? 0) })
    let others = try History(minimal.operations.filter { $0 != last })
    guard case .linearizable = checker.check(others) else {
      Issue.record("the minimal history does not show how it began:\n\(minimal.timeline)")
      return
    }
    #expect(Set(minimal.operations.map(\.command.key)).count == 1)
    let text = try #require(failure.swiftTest)
    #expect(text.contains("History<CountersSpecification.Command"))
    // Every run makes each call at least once; all but the last are complete.
    #expect(report.calls >= (report.runs - 1) * 24)
  }

  @Test func `a minimal history keeps the calls that led to its state`() throws {
    typealias Calls = History<CountersSpecification.Command, Int>
    // Ten calls, each with a read that explains nothing. Then two calls return 11.
    var operations: [Calls.Operation] = []
    for number in 1...10 {
      operations += [
        .init(client: 0, .add(1), from: 4 * number, to: 4 * number + 1, returning: number),
        .init(client: 0, .read(1), from: 4 * number + 2, to: 4 * number + 3, returning: number),
      ]
    }
    operations += [
      .init(client: 1, .add(1), from: 100, to: 103, returning: 11),
      .init(client: 2, .add(1), from: 101, to: 102, returning: 11),
    ]
    let checker = LinearizabilityChecker(CountersSpecification())
    let minimal = try #require(checker.minimized(try History(operations)))
    #expect(minimal.operations.map(\.command) == Array(repeating: .add(1), count: 12))
    let responses = minimal.operations.map { operation in
      if case .returned(let response, _) = operation.outcome { response } else { 0 }
    }
    #expect(responses == Array(1...11) + [11])
  }

  @Test func `a call that throws may have happened or not`() async {
    let report = await explore(.throwsAfterwards, runs: 50)
    #expect(report.failure == nil, "\(report)")
    #expect(report.operationsPending > 0)
  }

  @Test func `a run that times out is a failure, with the blocked calls pending`() async throws {
    let report = await explore(.blocks, runs: 50, runLimit: .seconds(2))
    let failure = try #require(report.failure)
    guard case .timedOut = failure.kind else {
      Issue.record("\(failure)")
      return
    }
    #expect(failure.history.operations.contains { $0.end == nil && $0.command == .add(2) })
  }

  @Test func `creating a subject is no part of the time of a run`() async {
    let settings = ExplorationSettings(runs: 1, seed: 1, steps: 24, runLimit: .seconds(1))
    let report = await ConcurrentExplorer(CountersSpecification(), settings: settings) {
      // It ends when a run that blocks has reached the same limit.
      let other = await explore(.blocks, runs: 50, runLimit: settings.runLimit)
      guard case .timedOut = other.failure?.kind else { throw DictionaryError() }
      return Counters(nil)
    }.explore()
    #expect(report.failure == nil, "\(report)")
    #expect(report.calls == 24)
  }

  @Test func `a subject whose creation never ends is reported`() async throws {
    var settings = ExplorationSettings(runs: 1, seed: 1, steps: 24, runLimit: .milliseconds(100))
    settings.leastSetUpLimit = .milliseconds(200)
    let report = await ConcurrentExplorer(CountersSpecification(), settings: settings) {
      // It throws when it is cancelled, which is not what is reported.
      let (events, continuation) = AsyncStream<Never>.makeStream()
      for await _ in events {}
      withExtendedLifetime(continuation) {}
      try Task.checkCancellation()
      return Counters(nil)
    }.explore()
    guard case .subject(let problem) = try #require(report.failure).kind else {
      Issue.record("\(report)")
      return
    }
    #expect(problem == "creating the subject did not end within 0.2 seconds")
  }

  @Test func `an error while the subject is created is a failure`() async throws {
    let report = await ConcurrentExplorer(CountersSpecification()) {
      () async throws -> Counters in throw DictionaryError()
    }.explore()
    guard case .subject(let problem) = try #require(report.failure).kind else {
      Issue.record("\(report)")
      return
    }
    #expect(problem.contains("DictionaryError"))
  }
}
