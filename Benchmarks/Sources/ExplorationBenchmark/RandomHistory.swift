import RecordedHistories

/// A random history of eight clients on a map. Each operation takes effect within its interval.
struct RandomHistory {
  let history: History<KeyValueModel.Command, KeyValueModel.Response>

  /// Creates a history of 10,000 operations.
  ///
  /// - Parameters:
  ///   - keys: The number of keys.
  ///   - spread: The longest half of an interval; the larger it is, the more operations overlap.
  ///   - isWrong: Whether a read near the end returns a value that was never written.
  init(keys: Int, spread: Int, isWrong: Bool) throws {
    var choices = Choices(seed: UInt64(keys * 1000 + spread), strategy: .uniform)
    var clocks = Array(repeating: 0, count: 8)
    let plans = (0..<10_000).map { _ in
      let client = choices.integer(in: 0...7)
      let call = clocks[client] + choices.integer(in: 0...2)
      let effect = call + choices.integer(in: 0...spread)
      let end = effect + choices.integer(in: 0...spread)
      clocks[client] = end + 1
      return (client: client, call: call, effect: effect, end: end)
    }
    let model = KeyValueModel()
    var state = model.initialState
    var operations = plans.sorted { $0.effect < $1.effect }.map { plan in
      let key = RecordedValue.integer(choices.integer(in: 0...keys - 1))
      let command: KeyValueModel.Command =
        switch choices.integer(in: 0...2) {
        case 0: .get(key)
        case 1: .put(key, .integer(choices.integer(in: 0...99)))
        default: .delete(key)
        }
      return History<KeyValueModel.Command, KeyValueModel.Response>.Operation(
        client: plan.client, command, from: plan.call, to: plan.end,
        returning: model.apply(command, to: &state))
    }
    if isWrong,
      let index = operations.indices.dropFirst(9_000).first(where: {
        model.isReadOnly(operations[$0].command)
      }), let end = operations[index].end
    {
      operations[index].outcome = .returned(.value(1000), at: end)
    }
    history = try History(operations)
  }
}
