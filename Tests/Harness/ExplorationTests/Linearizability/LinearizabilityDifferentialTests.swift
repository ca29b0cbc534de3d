import ExplorationEngine
import Foundation
import LinearizabilityChecking
import RecordedHistories
import Testing

/// The checker and plain enumeration agree on random small histories.
///
/// `CONTRACT_SOAK_HISTORIES` sets the number of histories for each model.
@Suite struct LinearizabilityDifferentialTests {
  static let count =
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_HISTORIES"].flatMap(Int.init) ?? 1000

  private func compare<Model: SequentialModel>(
    _ model: Model, seed: UInt64, _ command: @escaping (inout TestRandom) -> Model.Command
  ) throws {
    let generator = HistoryGenerator(model: model, command: command)
    let checker = LinearizabilityChecker(model)
    var random = TestRandom(state: seed)
    var violations = 0
    for round in 0..<Self.count {
      let history = try generator.history(
        operations: 1 + round % 8, clients: 1 + round % 4, spread: round % 7,
        pending: round % 3 == 0, wrong: round % 4, from: &random)
      let expected = isLinearizable(history, by: model)
      switch checker.check(history) {
      case .linearizable(let order):
        guard expected else {
          Issue.record("round \(round): accepted, but no order exists\n\(history)")
          return
        }
        guard explains(order, history, by: model) else {
          Issue.record("round \(round): \(order) does not explain the history\n\(history)")
          return
        }
      case .notLinearizable(let violation):
        violations += 1
        guard !expected else {
          Issue.record("round \(round): rejected, but an order exists\n\(history)")
          return
        }
        guard !violation.blocked.isEmpty else {
          Issue.record("round \(round): no operation is blocked\n\(history)")
          return
        }
        if let fault = Self.fault(in: checker.minimized(history), by: model) {
          Issue.record("round \(round): \(fault)\n\(history)")
          return
        }
      case .unknown(let reason):
        Issue.record("round \(round): \(reason)\n\(history)")
        return
      }
    }
    // The comparison needs both correct and wrong histories.
    #expect(violations > Self.count / 20 && violations < Self.count * 19 / 20)
  }

  /// What plain enumeration finds wrong with a minimized history, or `nil`.
  private static func fault<Model: SequentialModel>(
    in minimal: History<Model.Command, Model.Response>?, by model: Model
  ) -> String? {
    guard let minimal else { return "not minimized" }
    if isLinearizable(minimal, by: model) { return "the minimized history is linearizable" }
    let operations = minimal.operations
    let isExplained = operations.indices.contains { culprit in
      var others = operations
      let operation = operations[culprit]
      others[culprit] = .init(client: operation.client, operation.command, from: operation.call)
      return isLinearizable(History(checked: others), by: model)
    }
    return isExplained ? nil : "no single response makes it impossible"
  }

  @Test func `agrees with the plain search on registers with compare-and-set`() throws {
    try compare(RegisterModel(initial: 0), seed: 1) { random in
      let value = { (random: inout TestRandom) in
        RecordedValue.integer(Int.random(in: 0...2, using: &random))
      }
      switch Int.random(in: 0...3, using: &random) {
      case 0, 1: return .read
      case 2: return .write(value(&random))
      default: return .cas(old: value(&random), new: value(&random))
      }
    }
  }

  @Test func `agrees with the plain search on key-value maps`() throws {
    try compare(KeyValueModel(), seed: 2) { random in
      let key = RecordedValue.integer(Int.random(in: 0...1, using: &random))
      let value = RecordedValue.integer(Int.random(in: 0...2, using: &random))
      switch Int.random(in: 0...5, using: &random) {
      case 0, 1: return .get(key)
      case 2: return .put(key, value)
      case 3: return .append(key, "x")
      case 4: return .cas(key, old: value, new: .integer(Int.random(in: 0...2, using: &random)))
      default: return .delete(key)
      }
    }
  }

  @Test func `agrees with the plain search on queues`() throws {
    try compare(QueueModel(), seed: 3) { random in
      random.chance(1, of: 2)
        ? .dequeue : .enqueue(.integer(Int.random(in: 0...2, using: &random)))
    }
  }

  @Test func `agrees with the plain search on stacks`() throws {
    try compare(StackModel(), seed: 4) { random in
      random.chance(1, of: 2) ? .pop : .push(.integer(Int.random(in: 0...2, using: &random)))
    }
  }

  @Test func `agrees with the plain search on sets`() throws {
    try compare(SetModel(), seed: 5) { random in
      let value = RecordedValue.integer(Int.random(in: 0...1, using: &random))
      switch Int.random(in: 0...2, using: &random) {
      case 0: return .add(value)
      case 1: return .remove(value)
      default: return .contains(value)
      }
    }
  }

  @Test func `agrees with the plain search on counters`() throws {
    try compare(CounterModel(), seed: 6) { random in
      switch Int.random(in: 0...2, using: &random) {
      case 0: return .read
      case 1: return .add(.integer(Int.random(in: -1...1, using: &random)))
      default: return .addAndGet(1)
      }
    }
  }

  @Test func `agrees with the plain search on locks`() throws {
    try compare(LockModel(), seed: 7) { random in
      let owner = RecordedValue.integer(Int.random(in: 0...1, using: &random))
      return random.chance(1, of: 2) ? .acquire(owner: owner) : .release(owner: owner)
    }
  }
}
