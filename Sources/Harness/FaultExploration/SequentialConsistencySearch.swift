internal import ExplorationEngine
internal import LinearizabilityChecking

/// Searches for an order of calls that explains every answer and keeps the order of each client.
///
/// Unlike linearizability, this property of a whole does not follow from that of its partitions, so
/// the history is searched as one.
struct SequentialConsistencySearch<Model: SequentialModel> {
  typealias Operation = History<Model.Command, Model.Response>.Operation

  /// A place in the search.
  private struct Place: Hashable {
    /// How many answered calls of each client are in the order.
    var positions: [Int]
    /// The calls without an answer that are in the order.
    var used: Set<Int>
    var state: Model.State
  }

  private let model: Model
  private let limits: LinearizabilityLimits
  /// The answered calls of each client, in its order.
  private var chains: [[(command: Model.Command, response: Model.Response)]] = []
  /// The calls without an answer. Each may come after those of its client that returned before it.
  private var unanswered: [(command: Model.Command, chain: Int, after: Int)] = []

  init(_ model: Model, _ operations: [Operation], _ limits: LinearizabilityLimits) {
    self.model = model
    self.limits = limits
    let clients = Set(operations.map(\.client)).sorted()
    chains = Array(repeating: [], count: clients.count)
    for operation in operations.sorted(by: { $0.call < $1.call }) {
      guard let chain = clients.firstIndex(of: operation.client) else { continue }
      if case .returned(let response, _) = operation.outcome {
        chains[chain].append((operation.command, response))
      } else if !model.isReadOnly(operation.command) {
        unanswered.append((operation.command, chain, chains[chain].count))
      }
    }
  }

  mutating func run() -> PromiseVerdict {
    let deadline = ContinuousClock.now + limits.time
    var stack = [
      Place(positions: chains.map { _ in 0 }, used: [], state: model.initialState)
    ]
    var seen: Set<Place> = []
    var steps = 0
    while var place = stack.popLast() {
      takeReads(&place)
      if isComplete(place) { return .kept }
      guard seen.insert(place).inserted else { continue }
      steps += 1
      if steps > limits.steps { return .undecided("undecided after \(steps) steps") }
      if steps % 1024 == 0, ContinuousClock.now > deadline {
        return .undecided("undecided after \(limits.time)")
      }
      // The last place pushed is the first tried: answered calls before those without an answer.
      for (index, call) in unanswered.enumerated()
      where !place.used.contains(index) && place.positions[call.chain] >= call.after {
        var next = place
        _ = model.apply(call.command, to: &next.state)
        guard next.state != place.state else { continue }
        next.used.insert(index)
        stack.append(next)
      }
      for chain in chains.indices where place.positions[chain] < chains[chain].count {
        let call = chains[chain][place.positions[chain]]
        var next = place
        guard model.apply(call.command, to: &next.state) == call.response else { continue }
        next.positions[chain] += 1
        stack.append(next)
      }
    }
    return .broken
  }

  private func isComplete(_ place: Place) -> Bool {
    zip(place.positions, chains).allSatisfy { $0 == $1.count }
  }

  /// Takes the reads that the state explains. They change nothing, so waiting would gain nothing.
  private func takeReads(_ place: inout Place) {
    var isChanged = true
    while isChanged {
      isChanged = false
      for chain in chains.indices where place.positions[chain] < chains[chain].count {
        let call = chains[chain][place.positions[chain]]
        guard model.isReadOnly(call.command) else { continue }
        var state = place.state
        guard model.apply(call.command, to: &state) == call.response else { continue }
        place.positions[chain] += 1
        isChanged = true
      }
    }
  }
}
