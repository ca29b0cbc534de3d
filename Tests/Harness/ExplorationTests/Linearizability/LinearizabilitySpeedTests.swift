import ExplorationEngine
import LinearizabilityChecking
import RecordedHistories
import Testing

@Suite struct LinearizabilitySpeedTests {
  /// A history of eight clients on a map. With fewer keys, more operations on one key overlap.
  private func history(
    keys: Int, spread: Int, wrong: Int, seed: UInt64
  ) throws -> History<RecordedCall, RecordedResponse> {
    var random = TestRandom(state: seed)
    let generator = HistoryGenerator(model: KeyValueModel()) { random in
      let key = RecordedValue.integer(Int.random(in: 0..<keys, using: &random))
      switch Int.random(in: 0...2, using: &random) {
      case 0: return .get(key)
      case 1: return .put(key, .integer(Int.random(in: 0...99, using: &random)))
      default: return .delete(key)
      }
    }
    return try generator.history(
      operations: 10_000, clients: 8, spread: spread, pending: false, wrong: wrong,
      from: &random)
  }

  @Test(arguments: [16, 1], [2, 50])
  func `the checker decides 10,000 operations within its limits`(keys: Int, spread: Int) throws {
    let checker = LinearizabilityChecker(KeyValueModel())
    let good = try history(keys: keys, spread: spread, wrong: 0, seed: 1)
    let result = checker.check(good)
    guard case .linearizable(let order) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(explains(order, good, by: KeyValueModel()))
    let bad = try history(keys: keys, spread: spread, wrong: 5, seed: 2)
    let second = checker.check(bad)
    guard case .notLinearizable = second else {
      Issue.record("\(second)")
      return
    }
  }
}
