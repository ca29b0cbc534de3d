import SeededRandom
import Testing

@testable import ExplorationEngine
@testable import FaultExploration
@testable import LinearizabilityChecking

/// Compares the search for sequential consistency with one that tries every order.
@Suite struct ConsistencyPromiseTests {
  private typealias Command = RegistersSpecification.Command
  private typealias Operation = History<Command, Int>.Operation

  @Test func `the search agrees with trying every order`() {
    var counts = (kept: 0, broken: 0)
    for seed in 0..<4_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let operations = Self.history(&random)
      var search = SequentialConsistencySearch(RegistersSpecification(), operations, .init())
      let expected = Self.someOrderFits(operations, state: [:])
      switch search.run() {
      case .kept:
        counts.kept += 1
        #expect(expected, "\(History(checked: operations).timeline)")
      case .broken:
        counts.broken += 1
        #expect(!expected, "\(History(checked: operations).timeline)")
      case .undecided(let reason): Issue.record("\(reason)")
      }
    }
    #expect(counts.kept > 400)
    #expect(counts.broken > 400)
  }

  @Test func `a linearizable history is sequentially consistent, and not the other way round`() {
    var counts = (both: 0, sequentialOnly: 0)
    for seed in 0..<4_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var history = FaultHistory<Command, Int>()
      history.calls = History(checked: Self.history(&random))
      let kept = { (promise: ConsistencyPromise) in
        if case .kept = promise.verdict(of: history, RegistersSpecification(), limits: .init()) {
          true
        } else {
          false
        }
      }
      if kept(.linearizable) {
        #expect(kept(.sequentiallyConsistent))
        counts.both += 1
      } else if kept(.sequentiallyConsistent) {
        counts.sequentialOnly += 1
      }
    }
    #expect(counts.both > 400)
    #expect(counts.sequentialOnly > 100)
  }

  @Test func `what is left of a history that is not sequentially consistent is not either`() throws
  {
    var sizes: [Int: Int] = [:]
    for seed in 0..<4_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var history = FaultHistory<Command, Int>()
      history.calls = History(checked: Self.history(&random))
      guard !Self.someOrderFits(history.calls.operations, state: [:]) else { continue }
      let minimal = try #require(
        ConsistencyPromise.sequentiallyConsistent.minimal(
          history, RegistersSpecification(), within: .seconds(10)))
      let operations = minimal.calls.operations
      sizes[operations.count, default: 0] += 1
      #expect(!Self.someOrderFits(operations, state: [:]), "\(history.timeline)")
      // Without one answer they can be understood.
      let isExplained = operations.indices.contains { culprit in
        Self.someOrderFits(
          operations.indices.filter { $0 != culprit }.map { operations[$0] }, state: [:])
      }
      #expect(isExplained, "\(minimal.timeline)")
    }
    #expect((sizes[5] ?? 0) < (sizes[2] ?? 0))
    #expect((sizes[1] ?? 0) > 100, "a read of what nobody wrote")
  }

  @Test func `a search that reaches its limit decides nothing`() {
    let operations =
      (1...12).map { value in
        Operation(client: value, .write(0, value), from: value, to: 100, returning: value)
      } + [Operation(client: 0, .read(0), from: 0, to: 100, returning: 99)]
    var search = SequentialConsistencySearch(
      RegistersSpecification(), operations, .init(steps: 100))
    guard case .undecided = search.run() else {
      Issue.record("decided")
      return
    }
  }

  /// Five calls of two clients, with answers of which some cannot be.
  private static func history(_ random: inout SplitMix64) -> [Operation] {
    var ends = [0, 0]
    return (0..<5).map { _ in
      let client = Int.random(in: 0...1, using: &random)
      let isWrite = Bool.random(using: &random)
      let value = Int.random(in: isWrite ? 1...2 : 0...2, using: &random)
      let key = Int.random(in: 0...1, using: &random)
      let start = ends[client] + Int.random(in: 1...3, using: &random)
      let end = start + Int.random(in: 0...4, using: &random)
      ends[client] = end
      let command: Command = isWrite ? .write(key, value) : .read(key)
      if Int.random(in: 0..<5, using: &random) == 0 {
        return .init(client: client, command, from: start)
      }
      return .init(client: client, command, from: start, to: end, returning: value)
    }
  }

  /// Whether some order fits, by trying each call that may come next; one without an answer may be
  /// left out.
  private static func someOrderFits(_ rest: [Operation], state: [Int: Int]) -> Bool {
    if rest.allSatisfy({ $0.end == nil }) { return true }
    for (index, operation) in rest.enumerated() {
      // A call without an answer holds nothing back.
      let isNext = !rest.contains {
        $0.client == operation.client && $0.end != nil && $0.call < operation.call
      }
      guard isNext else { continue }
      var next = state
      let response = RegistersSpecification().apply(operation.command, to: &next)
      if case .returned(let actual, _) = operation.outcome, actual != response { continue }
      var others = rest
      others.remove(at: index)
      if someOrderFits(others, state: next) { return true }
    }
    return false
  }
}
