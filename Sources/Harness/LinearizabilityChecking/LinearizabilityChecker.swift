public import ExplorationEngine

/// Decides whether a correct subject with atomic operations could have produced a history.
public struct LinearizabilityChecker<Model: SequentialModel>: Sendable {
  /// The model of the operations.
  public let model: Model

  /// The limits of a search.
  public let limits: LinearizabilityLimits

  /// Creates a checker.
  public init(_ model: Model, limits: LinearizabilityLimits = .init()) {
    self.model = model
    self.limits = limits
  }

  /// Searches for an order of the operations that agrees with the model and with the stamps.
  ///
  /// Pending operations may be in the order or not. If every command has a partition, the
  /// partitions are searched one by one. A violation in one takes precedence over another that is
  /// undecided.
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
    // In the first round each partition has an equal part of the limits, so that a hard one does
    // not use up the time in which another would have shown a violation. In the second round, the
    // undecided ones share the rest.
    for isLast in [false, true] {
      var undecided: [[Int]] = []
      reason = nil
      for (index, partition) in waiting.enumerated() {
        let now = ContinuousClock.now
        let parts = waiting.count - index
        var budget = rest
        budget.steps /= isLast ? 1 : parts
        var search = LinearizabilitySearch(model, operations, indices: partition)
        let end = isLast ? deadline : now.advanced(by: (deadline - now) / parts)
        switch search.run(budget, deadline: end) {
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

  /// The operations of each partition, smaller partitions first.
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

  /// Describes why the longest order cannot be continued.
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

  /// Merges the orders of the partitions into one order of all operations.
  ///
  /// Each operation gets the earliest instant that its partition's order allows. It lies within the
  /// operation's interval, so an order by instants agrees with the stamps.
  @usableFromInline
  func merged(
    _ orders: [[Int]], _ operations: [History<Model.Command, Model.Response>.Operation]
  ) -> [Int] {
    if orders.count == 1 { return orders[0] }
    var instants: [(instant: Int, partition: Int, position: Int, index: Int)] = []
    for (partition, order) in orders.enumerated() {
      var instant = Int.min
      for (position, index) in order.enumerated() {
        instant = max(instant, operations[index].call)
        instants.append((instant, partition, position, index))
      }
    }
    instants.sort {
      ($0.instant, $0.partition, $0.position) < ($1.instant, $1.partition, $1.position)
    }
    return instants.map(\.index)
  }
}

extension LinearizabilityResult.UnknownReason {
  /// The reason with the limit of the whole check instead of the part that the partition had.
  @usableFromInline
  func stating(_ limits: LinearizabilityLimits) -> Self {
    if case .steps = self { return .steps(limits.steps) }
    return self
  }
}
