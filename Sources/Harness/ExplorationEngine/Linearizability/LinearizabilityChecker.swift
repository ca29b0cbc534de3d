/// Decides whether a history could have come from a correct subject whose operations are atomic.
public struct LinearizabilityChecker<Model: SequentialModel>: Sendable {
  /// What the operations mean.
  public let model: Model

  /// When a search gives up.
  public let limits: LinearizabilityLimits

  /// A checker with a model and its limits.
  public init(_ model: Model, limits: LinearizabilityLimits = .init()) {
    self.model = model
    self.limits = limits
  }

  /// Searches for an order of the operations that agrees with the model and with the stamps.
  ///
  /// Pending operations may be in the order or not. If every command names a partition, the
  /// partitions are searched one by one; a violation in one outweighs an undecided other.
  @inlinable
  public func check(
    _ history: History<Model.Command, Model.Response>
  ) -> LinearizabilityResult<Model.Response> {
    let operations = history.operations
    let deadline = ContinuousClock.now.advanced(by: limits.time)
    var waiting = partitions(of: operations)
    var orders: [[Int]] = []
    var rest = limits
    var reason: LinearizabilityResult<Model.Response>.UnknownReason?
    // First each partition gets its share, so that a hard one does not use up what would have
    // shown a violation in another; then the hard ones share what is left.
    for isLast in [false, true] {
      var undecided: [[Int]] = []
      reason = nil
      for (index, partition) in waiting.enumerated() {
        let now = ContinuousClock.now
        let parts = waiting.count - index
        var share = rest
        share.steps /= isLast ? 1 : parts
        var search = LinearizabilitySearch(model, operations, indices: partition)
        let end = isLast ? deadline : now.advanced(by: (deadline - now) / parts)
        switch search.run(share, deadline: end) {
        case .order(let order):
          orders.append(order)
        case .stuck(let prefix):
          return .notLinearizable(violation(after: prefix, in: partition, operations))
        case .unknown(let new):
          undecided.append(partition)
          reason = new.stating(limits)
        }
        rest.steps = max(0, rest.steps - search.steps)
      }
      waiting = undecided
      if waiting.isEmpty || reason == .memory(bytes: limits.memory) { break }
    }
    if let reason { return .unknown(reason) }
    return .linearizable(order: merged(orders, operations))
  }

  /// The operations that can be judged together, smaller groups first.
  @usableFromInline
  func partitions(of operations: [History<Model.Command, Model.Response>.Operation]) -> [[Int]] {
    var groups: [AnyHashable: Int] = [:]
    var partitions: [[Int]] = []
    for (index, operation) in operations.enumerated() {
      guard let key = model.partition(of: operation.command) else {
        return [Array(operations.indices)]
      }
      if let group = groups[key] {
        partitions[group].append(index)
      } else {
        groups[key] = partitions.count
        partitions.append([index])
      }
    }
    return partitions.sorted { $0.count < $1.count }
  }

  /// Explains what keeps an order from being continued.
  @usableFromInline
  func violation(
    after prefix: [Int], in partition: [Int],
    _ operations: [History<Model.Command, Model.Response>.Operation]
  ) -> LinearizabilityViolation<Model.Response> {
    var state = model.initialState
    for index in prefix { _ = model.apply(operations[index].command, to: &state) }
    let placed = Set(prefix)
    let waiting = partition.filter { !placed.contains($0) && operations[$0].end != nil }
    let firstEnd = waiting.compactMap { operations[$0].end }.min() ?? .max
    let blocked = waiting.filter { operations[$0].call <= firstEnd }.map { index in
      var copy = state
      let expected = model.apply(operations[index].command, to: &copy)
      return LinearizabilityViolation<Model.Response>.Blocked(operation: index, expected: expected)
    }
    return LinearizabilityViolation(prefix: prefix, blocked: blocked, partition: partition)
  }

  /// One order of all operations from the orders of the partitions.
  ///
  /// Each operation gets the earliest instant that its partition's order allows, which lies
  /// within its interval; sorting by that instant respects all intervals.
  @usableFromInline
  func merged(
    _ orders: [[Int]], _ operations: [History<Model.Command, Model.Response>.Operation]
  ) -> [Int] {
    if orders.count == 1 { return orders[0] }
    var instants: [(instant: Int, partition: Int, place: Int, index: Int)] = []
    for (partition, order) in orders.enumerated() {
      var instant = Int.min
      for (place, index) in order.enumerated() {
        instant = max(instant, operations[index].call)
        instants.append((instant, partition, place, index))
      }
    }
    instants.sort {
      ($0.instant, $0.partition, $0.place) < ($1.instant, $1.partition, $1.place)
    }
    return instants.map(\.index)
  }
}

extension LinearizabilityResult.UnknownReason {
  /// The reason in terms of the limit that was set, not of what was left of it.
  @usableFromInline
  func stating(_ limits: LinearizabilityLimits) -> Self {
    if case .steps = self { return .steps(limits.steps) }
    return self
  }
}
