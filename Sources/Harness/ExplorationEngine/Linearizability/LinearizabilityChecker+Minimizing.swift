extension LinearizabilityChecker {
  /// Removes the operations that a violation does not need.
  ///
  /// Removing a write makes every later read of its value look wrong. So an operation that may
  /// change the state is removed only if the rest is not linearizable even when the operation may
  /// happen or not, at any time after its call. The result therefore shows a violation of the whole
  /// history, never one that the removals created. Operations that return after the violation
  /// become pending, and stamps are renumbered from 1. No live call is made.
  ///
  /// - Parameters:
  ///   - history: A history that ``check(_:)`` found not linearizable.
  ///   - time: The time after which the smallest history so far is returned.
  /// - Returns: The smallest history found, or `nil` if no violation was found within the limits.
  public func minimized(
    _ history: History<Model.Command, Model.Response>, within time: Duration = .seconds(10)
  ) -> History<Model.Command, Model.Response>? {
    guard case .notLinearizable(let violation) = check(history) else { return nil }
    let deadline = ContinuousClock.now.advanced(by: time)
    var operations = shortestPrefix(violation.partition.map { history.operations[$0] }, deadline)
    var kept = Array(operations.indices)
    // Most removals are decided within 1,000 steps. The rest get more steps when fewer operations
    // are left.
    for steps in [1_000, 10_000, mostSteps(operations)] {
      kept = smallest(kept, deadline) { kept in
        !kept.isEmpty && isImpossible(operations, keeping: kept, steps, deadline)
      }
    }
    operations = kept.map { operations[$0] }
    return History(checked: renumbered(operations))
  }

  /// The operations up to the first return at which the history is not linearizable.
  ///
  /// A prefix of a linearizable history is linearizable, so a binary search finds that return.
  private func shortestPrefix(
    _ operations: [History<Model.Command, Model.Response>.Operation],
    _ deadline: ContinuousClock.Instant
  ) -> [History<Model.Command, Model.Response>.Operation] {
    let ends = operations.compactMap(\.end).sorted()
    var low = 0
    var high = ends.count - 1
    while low < high, ContinuousClock.now < deadline {
      let middle = (low + high) / 2
      let prefix = cut(operations, at: ends[middle])
      let all = Array(prefix.indices)
      if isImpossible(prefix, keeping: all, mostSteps(prefix), deadline) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return high < ends.count && high >= 0 ? cut(operations, at: ends[high]) : operations
  }

  /// The history as it was at a stamp: later calls are left out, and later returns become pending.
  private func cut(
    _ operations: [History<Model.Command, Model.Response>.Operation], at last: Int
  ) -> [History<Model.Command, Model.Response>.Operation] {
    operations.compactMap { operation in
      guard operation.call <= last else { return nil }
      guard let end = operation.end, end > last else { return operation }
      return .init(client: operation.client, operation.command, from: operation.call)
    }
  }

  /// The most steps for the decision on one removal.
  private func mostSteps(
    _ operations: [History<Model.Command, Model.Response>.Operation]
  ) -> Int { 50_000 + 500 * operations.count }

  private func isImpossible(
    _ operations: [History<Model.Command, Model.Response>.Operation], keeping kept: [Int],
    _ steps: Int, _ deadline: ContinuousClock.Instant
  ) -> Bool {
    var limits = limits
    limits.steps = min(limits.steps, steps)
    let dropped = Set(operations.indices).subtracting(kept)
    let indices = operations.indices.filter { isNeeded($0) }
    // Repeatable operations are not part of a configuration, so that search is small. It may not
    // end, for example with queues; then each removed operation may happen once.
    for isRepeatable in [true, false] {
      var search = LinearizabilitySearch(
        model, operations, indices: indices, dropped: dropped, isRepeatable: isRepeatable)
      switch search.run(limits, deadline: deadline) {
      case .stuck: return true
      case .order: return false
      case .unknown: continue
      }
    }
    return false

    // A removed read-only operation cannot explain any response.
    func isNeeded(_ index: Int) -> Bool {
      !dropped.contains(index) || !model.isReadOnly(operations[index].command)
    }
  }

  private func renumbered(
    _ operations: [History<Model.Command, Model.Response>.Operation]
  ) -> [History<Model.Command, Model.Response>.Operation] {
    // Equal stamps stay equal, so that closed intervals overlap as they did.
    let stamps = Set(operations.map(\.call) + operations.compactMap(\.end)).sorted()
    let ranks = Dictionary(uniqueKeysWithValues: stamps.enumerated().map { ($1, $0 + 1) })
    return operations.map { operation in
      var operation = operation
      operation.call = ranks[operation.call] ?? operation.call
      if case .returned(let response, let end) = operation.outcome {
        operation.outcome = .returned(response, at: ranks[end] ?? end)
      }
      return operation
    }
  }
}
