extension LinearizabilityChecker {
  /// Deletes the operations that a violation does not need.
  ///
  /// Deleting a write makes every later read of it look wrong, so an operation that may change
  /// the state is deleted only if the rest stays impossible even when that operation may happen
  /// or not, at any time after its call. What remains is therefore a violation of the whole
  /// history, not one that the deletions made. Operations that end too late to matter
  /// become pending, and stamps are renumbered from 1. Nothing is run live.
  ///
  /// - Parameters:
  ///   - history: A history that ``check(_:)`` found not linearizable.
  ///   - time: When to stop and return the smallest history so far.
  /// - Returns: The smallest history found, or `nil` if no violation was found within the limits.
  public func minimized(
    _ history: History<Model.Command, Model.Response>, within time: Duration = .seconds(10)
  ) -> History<Model.Command, Model.Response>? {
    guard case .notLinearizable(let violation) = check(history) else { return nil }
    let deadline = ContinuousClock.now.advanced(by: time)
    var operations = shortestPrefix(violation.partition.map { history.operations[$0] }, deadline)
    var kept = Array(operations.indices)
    // Most deletions are judged soon; those that take long are judged among fewer operations.
    for steps in [1_000, 10_000, mostSteps(operations)] {
      var size = max(kept.count / 2, 1)
      while size > 0, ContinuousClock.now < deadline {
        var isSmaller = false
        var end = kept.count
        while end > 0, ContinuousClock.now < deadline {
          let start = max(end - size, 0)
          var fewer = kept
          fewer.removeSubrange(start..<end)
          if !fewer.isEmpty, isImpossible(operations, keeping: fewer, steps, deadline) {
            kept = fewer
            isSmaller = true
          }
          end = start
        }
        if !isSmaller || size > 1 { size /= 2 }
      }
    }
    operations = kept.map { operations[$0] }
    return History(checked: renumbered(operations))
  }

  /// The operations up to the earliest return at which no order is left.
  ///
  /// A prefix of a linearizable history is linearizable, so that return is found by bisection.
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

  private func cut(
    _ operations: [History<Model.Command, Model.Response>.Operation], at last: Int
  ) -> [History<Model.Command, Model.Response>.Operation] {
    operations.compactMap { operation in
      guard operation.call <= last else { return nil }
      guard let end = operation.end, end > last else { return operation }
      return .init(client: operation.client, operation.command, from: operation.call)
    }
  }

  /// How long a deletion is worth judging.
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
    // Repeatable operations need no memory of which have happened, so that search is small; where
    // it does not end, each may happen once.
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

    // A read-only operation can be deleted outright.
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
