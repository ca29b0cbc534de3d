import ExplorationEngine
import LinearizabilityChecking

/// A generator that is independent of `SplitMix64`, which the checker uses for its hash table.
struct TestRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let mixed = (state ^ state >> 33) &* 0xff51_afd7_ed55_8ccd
    return mixed ^ mixed >> 29
  }

  mutating func chance(_ part: Int, of whole: Int) -> Bool {
    Int.random(in: 0..<whole, using: &self) < part
  }
}

/// Generates small histories of a model, correct ones and ones with wrong responses.
struct HistoryGenerator<Model: SequentialModel> {
  typealias Operation = History<Model.Command, Model.Response>.Operation

  let model: Model
  let command: (inout TestRandom) -> Model.Command

  /// A history in which each operation takes effect within its interval.
  ///
  /// - Parameters:
  ///   - count: The number of operations.
  ///   - clients: The number of clients.
  ///   - spread: The longest half of an interval; the larger it is, the more operations overlap.
  ///   - pending: Whether every fifth operation is pending.
  ///   - wrong: The number of responses to replace.
  ///   - random: The source of randomness.
  func history(
    operations count: Int, clients: Int, spread: Int, pending: Bool, wrong: Int,
    from random: inout TestRandom
  ) throws -> History<Model.Command, Model.Response> {
    // Each operation has a call, an instant of effect and a return. The calls of a client do not
    // overlap.
    var plans: [(client: Int, call: Int, effect: Int, end: Int, isPending: Bool)] = []
    var clocks = Array(repeating: 0, count: clients)
    var names = Array(0..<clients)
    for index in 0..<count {
      let client = Int.random(in: 0..<clients, using: &random)
      let call = clocks[client] + Int.random(in: 0...2, using: &random)
      let effect = call + Int.random(in: 0...spread, using: &random)
      let end = effect + Int.random(in: 0...spread, using: &random)
      let isPending = pending && random.chance(1, of: 5)
      plans.append((names[client], call, effect, end, isPending))
      clocks[client] = end + 1
      // After a pending operation the client continues under another name, because a client's calls
      // must not overlap.
      if isPending { names[client] = clients + index }
    }
    var state = model.initialState
    var operations: [Operation] = []
    for plan in plans.sorted(by: { $0.effect < $1.effect }) {
      let command = command(&random)
      if plan.isPending {
        if random.chance(1, of: 2) { _ = model.apply(command, to: &state) }
        operations.append(.init(client: plan.client, command, from: plan.call))
      } else {
        let response = model.apply(command, to: &state)
        operations.append(
          .init(
            client: plan.client, command, from: plan.call, to: plan.end, returning: response))
      }
    }
    for _ in 0..<wrong { corrupt(&operations, from: &random) }
    return try History(operations.shuffled(using: &random))
  }

  /// Replaces a response by the model's response to the same command in another state.
  private func corrupt(_ operations: inout [Operation], from random: inout TestRandom) {
    guard let index = operations.indices.randomElement(using: &random),
      let end = operations[index].end
    else { return }
    var state = model.initialState
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      _ = model.apply(command(&random), to: &state)
    }
    let response = model.apply(operations[index].command, to: &state)
    operations[index].outcome = .returned(response, at: end)
  }
}
