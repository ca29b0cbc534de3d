import ExplorationEngine

/// Removes operations from a history that breaks a promise, as long as a person can see why it does.
///
/// The result is a history that keeps the promise, and one response that breaks it. Removing a write
/// makes every later read of its value look wrong, so an operation is removed only if the promise
/// stays broken wherever that operation takes effect. The removals therefore never create a
/// violation. No live call is made.
package struct HistoryReduction<Command: Sendable, Response: Sendable> {
  package typealias Operation = History<Command, Response>.Operation

  /// The operations that are left.
  package struct Result {
    /// The operations. Those that return after the culprit are pending.
    package var history: History<Command, Response>
    /// The index of each operation in the original list.
    package var indices: [Int]
    /// The position of the operation whose response breaks the promise.
    package var culprit: Int
  }

  /// Whether operations keep the promise, of which those with the dropped indices may take effect or
  /// not, with any response; `nil` if that is not decided within some steps.
  private let keepsPromise: (_ operations: [Operation], _ dropped: Set<Int>, _ steps: Int) -> Bool?

  package init(
    keepsPromise: @escaping (_ operations: [Operation], _ dropped: Set<Int>, _ steps: Int) -> Bool?
  ) {
    self.keepsPromise = keepsPromise
  }

  /// Returns the smallest history found; `nil` if no violation was found.
  ///
  /// - Parameters:
  ///   - operations: Operations that break the promise.
  ///   - deadline: When to return the smallest history so far.
  package func reduced(_ operations: [Operation], until deadline: ContinuousClock.Instant)
    -> Result?
  {
    let most = 50_000 + 500 * operations.count
    guard let (prefix, last) = shortestPrefix(operations, most) else { return nil }
    // Later calls make no difference.
    let end = prefix[last].end ?? .max
    let relevant = prefix.indices.filter { prefix[$0].call <= end }
    let part = relevant.map { prefix[$0] }
    let culprit = relevant.firstIndex(of: last) ?? 0
    let all = Set(part.indices)
    var kept = part.indices.filter { $0 != culprit }
    // What the culprit did may be needed to explain the others.
    let isNeeded = keepsPromise(kept.map { part[$0] }, [], most) != true
    // Most removals are decided within 10,000 steps. The rest get more steps when fewer operations
    // are left.
    for steps in [10_000, most] {
      kept = minimized(kept, until: ContinuousClock.now >= deadline) { others in
        let explained = others.map { part[$0] } + (isNeeded ? [part[culprit].pending] : [])
        return keepsPromise(part, all.subtracting(others + [culprit]), steps) == false
          && keepsPromise(explained, [], steps) == true
      }
    }
    let left = (kept + [culprit]).sorted()
    return Result(
      history: History(checked: left.map { part[$0] }), indices: left.map { relevant[$0] },
      culprit: left.firstIndex(of: culprit) ?? 0)
  }

  /// The operations as they were at the first return that no order of the calls explains, and the
  /// index of the operation that returned there. Operations that return later are pending.
  ///
  /// A promise that is broken at a return is broken at every later one, so a binary search finds it.
  private func shortestPrefix(
    _ operations: [Operation], _ steps: Int
  ) -> ([Operation], culprit: Int)? {
    let returned = operations.indices.compactMap { index in
      operations[index].end.map { (end: $0, index: index) }
    }.sorted { $0 < $1 }.map(\.index)
    func prefix(_ last: Int) -> [Operation] {
      let open = Set(returned[(last + 1)...])
      return operations.indices.map { open.contains($0) ? operations[$0].pending : operations[$0] }
    }
    guard var high = returned.indices.last else { return nil }
    var low = 0
    while low < high {
      let middle = (low + high) / 2
      if keepsPromise(prefix(middle), [], steps) == false {
        high = middle
      } else {
        low = middle + 1
      }
    }
    let shortest = prefix(high)
    return keepsPromise(shortest, [], steps) == false ? (shortest, returned[high]) : nil
  }
}

extension History.Operation {
  /// The same call without a return.
  package var pending: Self { .init(client: client, command, from: call) }
}
