import ExplorationEngine
import Foundation
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
        if let fault = try fault(
          in: checker.explanation(of: history, violation), history, violation, by: model)
        {
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

  /// What plain enumeration finds wrong with an explanation, or `nil`.
  private func fault<Model: SequentialModel>(
    in explanation: LinearizabilityExplanation<Model>?,
    _ history: History<Model.Command, Model.Response>,
    _ violation: LinearizabilityViolation<Model.Response>, by model: Model
  ) throws -> String? {
    guard let explanation else { return "no explanation" }
    let operations = history.operations
    let index = explanation.operation
    let wrong = operations[index]
    guard case .returned(let response, let end) = wrong.outcome else { return "it is pending" }
    if explanation.expected.contains(response) { return "the response is expected" }
    /// The partition as it was at the operation's return.
    func part(
      including isReturned: (Int, Int) -> Bool
    ) throws -> History<Model.Command, Model.Response> {
      try History(
        violation.partition.filter { operations[$0].call <= end }.map { other in
          let operation = operations[other]
          if let end = operation.end, isReturned(other, end) { return operation }
          return .init(client: operation.client, operation.command, from: operation.call)
        })
    }
    let isBefore = { (other: Int, last: Int) in (last, other) < (end, index) }
    if try !isLinearizable(part(including: isBefore), by: model) {
      return "an earlier return has no explanation"
    }
    let isNeeded = { (other: Int, last: Int) in
      last < wrong.call || explanation.overlapping.contains(other)
    }
    if try isLinearizable(part(including: isNeeded), by: model) {
      return "what overlaps the operation does not make it impossible"
    }
    return nil
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
      case 1: return .add(Int.random(in: -1...1, using: &random))
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
