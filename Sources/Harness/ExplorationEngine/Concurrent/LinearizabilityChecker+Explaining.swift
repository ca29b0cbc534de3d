extension LinearizabilityChecker {
  /// Removes the operations without which a violation can still be understood.
  ///
  /// The result is a history that the model explains from its initial state, and one response that
  /// does not fit it. ``minimized(_:within:)`` also removes the operations that led to the state in
  /// which that response is wrong: two `add → 11` are impossible, but do not show that ten calls
  /// came before. An operation is removed only if the violation remains wherever that operation
  /// takes effect, so the removals never create one.
  ///
  /// - Parameters:
  ///   - history: A history that ``check(_:)`` found not linearizable.
  ///   - time: The time after which the smallest history so far is returned.
  /// - Returns: The smallest history found, with its stamps; `nil` if no violation was found within
  ///   the limits.
  func explained(
    _ history: History<Model.Command, Model.Response>, within time: Duration
  ) -> History<Model.Command, Model.Response>? {
    typealias Operation = History<Model.Command, Model.Response>.Operation
    guard case .notLinearizable(let violation) = check(history) else { return nil }
    let deadline = ContinuousClock.now.advanced(by: time)
    let part = violation.partition.map { history.operations[$0] }
    guard let (operations, culprit) = shortestPrefix(part) else { return nil }
    var kept = Set(operations.indices)
    var size = max(operations.count / 2, 1)
    while ContinuousClock.now < deadline {
      var isSmaller = false
      // The latest operations are removed first, because the earlier ones led to the state.
      let removable = operations.indices.filter { kept.contains($0) && $0 != culprit }
      var end = removable.count
      while end > 0, ContinuousClock.now < deadline {
        let start = max(end - size, 0)
        let fewer = kept.subtracting(removable[start..<end])
        if isViolation(operations, keeping: fewer), isExplained(operations, fewer, culprit) {
          kept = fewer
          isSmaller = true
        }
        end = start
      }
      if size == 1, !isSmaller { break }
      size = max(size / 2, 1)
    }
    return History(checked: operations.indices.filter { kept.contains($0) }.map { operations[$0] })
  }

  /// The operations up to the first return that no order of the calls before it explains, and the
  /// index of the operation that returned there. Operations that return later are pending.
  private func shortestPrefix(
    _ operations: [History<Model.Command, Model.Response>.Operation]
  ) -> ([History<Model.Command, Model.Response>.Operation], culprit: Int)? {
    for end in operations.compactMap(\.end).sorted() {
      let prefix = operations.filter { $0.call < end }.map { operation in
        if let other = operation.end, other <= end { return operation }
        return .init(client: operation.client, operation.command, from: operation.call)
      }
      if case .notLinearizable = check(History(checked: prefix)),
        let culprit = prefix.firstIndex(where: { $0.end == end })
      {
        return (prefix, culprit)
      }
    }
    return nil
  }

  /// Whether the kept operations are not linearizable, wherever the others take effect.
  private func isViolation(
    _ operations: [History<Model.Command, Model.Response>.Operation], keeping kept: Set<Int>
  ) -> Bool {
    let all = operations.indices.map { index in
      let operation = operations[index]
      return kept.contains(index)
        ? operation
        : .init(client: operation.client, operation.command, from: operation.call)
    }
    if case .notLinearizable = check(History(checked: all)) { return true }
    return false
  }

  /// Whether the kept operations are linearizable without the culprit's response.
  private func isExplained(
    _ operations: [History<Model.Command, Model.Response>.Operation], _ kept: Set<Int>,
    _ culprit: Int
  ) -> Bool {
    let others = operations.indices.filter { kept.contains($0) && $0 != culprit }
    if case .linearizable = check(History(checked: others.map { operations[$0] })) { return true }
    return false
  }
}

extension History {
  /// The history with stamps from 1; equal stamps stay equal.
  var renumbered: History {
    let stamps = operations.flatMap { [$0.call] + ($0.end.map { [$0] } ?? []) }.sorted()
    let numbers = Dictionary(
      zip(stamps, 1...max(stamps.count, 1)), uniquingKeysWith: { first, _ in first })
    return History(
      checked: operations.map { operation in
        let call = numbers[operation.call] ?? operation.call
        guard case .returned(let response, let end) = operation.outcome else {
          return .init(client: operation.client, operation.command, from: call)
        }
        return .init(
          client: operation.client, operation.command, from: call, to: numbers[end] ?? end,
          returning: response)
      })
  }
}
