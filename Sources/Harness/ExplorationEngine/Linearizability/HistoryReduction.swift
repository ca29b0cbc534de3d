/// Removes operations from a history that breaks a promise, as long as a person can see why it does.
///
/// The result is a history that keeps the promise, and one response that breaks it. An operation is
/// removed only if the promise stays broken wherever that operation takes effect, so the removals
/// never create a violation. No live call is made.
struct HistoryReduction<Command: Sendable, Response: Sendable> {
  typealias Operation = History<Command, Response>.Operation

  /// Whether an operation can explain only responses that were given after its call.
  var isRealTime: Bool
  /// Whether operations keep the promise; `nil` if a limit was reached.
  var keepsPromise: ([Operation]) -> Bool?

  /// Returns the smallest history found, with its stamps; `nil` if no violation was found.
  ///
  /// - Parameters:
  ///   - operations: Operations that break the promise.
  ///   - time: The time after which the smallest history so far is returned.
  func reduced(_ operations: [Operation], within time: Duration) -> History<Command, Response>? {
    let deadline = ContinuousClock.now.advanced(by: time)
    guard let (operations, culprit) = shortestPrefix(operations) else { return nil }
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

  /// The operations up to the first return that no order of the calls explains, and the index of the
  /// operation that returned there. Operations that return later are pending.
  private func shortestPrefix(_ operations: [Operation]) -> ([Operation], culprit: Int)? {
    for end in operations.compactMap(\.end).sorted() {
      let prefix = operations.filter { !isRealTime || $0.call < end }.map { operation in
        if let other = operation.end, other <= end { return operation }
        return .init(client: operation.client, operation.command, from: operation.call)
      }
      if keepsPromise(prefix) == false, let culprit = prefix.firstIndex(where: { $0.end == end }) {
        return (prefix, culprit)
      }
    }
    return nil
  }

  /// Whether the kept operations break the promise, wherever the others take effect.
  private func isViolation(_ operations: [Operation], keeping kept: Set<Int>) -> Bool {
    let all = operations.indices.map { index in
      let operation = operations[index]
      return kept.contains(index)
        ? operation
        : .init(client: operation.client, operation.command, from: operation.call)
    }
    return keepsPromise(all) == false
  }

  /// Whether the kept operations keep the promise without the culprit's response.
  private func isExplained(_ operations: [Operation], _ kept: Set<Int>, _ culprit: Int) -> Bool {
    let others = operations.indices.filter { kept.contains($0) && $0 != culprit }
    return keepsPromise(others.map { operations[$0] }) == true
  }
}
