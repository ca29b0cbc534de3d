extension LinearizabilityChecker {
  /// Removes the operations without which a violation can still be understood.
  ///
  /// The result is a history that the model explains from its initial state, and one response that
  /// does not fit it. ``minimized(_:within:)`` also removes the operations that led to the state in
  /// which that response is wrong: two `add → 11` are impossible, but do not show that ten calls
  /// came before.
  ///
  /// - Parameters:
  ///   - history: A history that ``check(_:)`` found not linearizable.
  ///   - time: The time after which the smallest history so far is returned.
  /// - Returns: The smallest history found, with its stamps; `nil` if no violation was found within
  ///   the limits.
  func explained(
    _ history: History<Model.Command, Model.Response>, within time: Duration
  ) -> History<Model.Command, Model.Response>? {
    guard case .notLinearizable(let violation) = check(history) else { return nil }
    let reduction = HistoryReduction<Model.Command, Model.Response>(isRealTime: true) {
      operations in
      switch check(History(checked: operations)) {
      case .linearizable: true
      case .notLinearizable: false
      case .unknown: nil
      }
    }
    return reduction.reduced(violation.partition.map { history.operations[$0] }, within: time)
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
