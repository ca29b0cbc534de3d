public import ExplorationEngine

extension LinearizabilityChecker {
  /// Removes the operations without which a violation can still be understood.
  ///
  /// The result shows a violation of the whole history, never one that the removals created: calls
  /// that the model explains from its initial state, and one response that does not fit them. The
  /// operations that led to that state stay, because two `add → 11` are impossible, but do not show
  /// that ten calls came before. Operations that return after the violation are pending, and stamps
  /// are renumbered from 1. No live call is made.
  ///
  /// - Parameters:
  ///   - history: A history that ``check(_:)`` found not linearizable.
  ///   - time: The time after which the smallest history so far is returned.
  /// - Returns: The smallest history found, or `nil` if no violation was found within the limits.
  public func minimized(
    _ history: History<Model.Command, Model.Response>, within time: Duration = .seconds(10)
  ) -> History<Model.Command, Model.Response>? {
    guard case .notLinearizable(let violation) = check(history) else { return nil }
    return reduced(history, violation, within: time)?.history.renumbered
  }

  /// The smallest part found of a history that is not linearizable, with its stamps.
  package func reduced(
    _ history: History<Model.Command, Model.Response>,
    _ violation: LinearizabilityViolation<Model.Response>, within time: Duration
  ) -> HistoryReduction<Model.Command, Model.Response>.Result? {
    let deadline = ContinuousClock.now.advanced(by: time)
    let reduction = HistoryReduction<Model.Command, Model.Response> { operations, dropped, steps in
      isLinearizable(operations, dropping: dropped, within: steps, until: deadline)
    }
    var result = reduction.reduced(
      violation.partition.map { history.operations[$0] }, until: deadline)
    if let indices = result?.indices { result?.indices = indices.map { violation.partition[$0] } }
    return result
  }

  /// The lines of a report about a history that is not linearizable.
  ///
  /// - Returns: The smallest part found, the indices of its operations in the history, the one whose
  ///   response does not fit, and the model's responses in its place.
  package func explanation(
    of history: History<Model.Command, Model.Response>,
    _ violation: LinearizabilityViolation<Model.Response>, within time: Duration
  ) -> LinearizabilityExplanation<Model>? {
    guard let part = reduced(history, violation, within: time) else { return nil }
    var expected: [Model.Response] = []
    if case .notLinearizable(let violation) = check(part.history) {
      expected = violation.blocked.filter { $0.operation == part.culprit }.map(\.expected)
    }
    return LinearizabilityExplanation(
      history: part.history, indices: part.indices, culprit: part.indices[part.culprit],
      expected: expected)
  }

  /// Whether operations are linearizable if the dropped ones may take effect or not; `nil` if that is
  /// not decided within the limits.
  private func isLinearizable(
    _ operations: [History<Model.Command, Model.Response>.Operation], dropping dropped: Set<Int>,
    within steps: Int, until deadline: ContinuousClock.Instant
  ) -> Bool? {
    var limits = limits
    limits.steps = min(limits.steps, steps)
    // A dropped read-only operation cannot explain any response.
    let indices = operations.indices.filter {
      !dropped.contains($0) || !model.isReadOnly(operations[$0].command)
    }
    // Repeatable operations are not part of a configuration, so that search is small. It may not
    // end, for example with queues; then each dropped operation may happen once.
    for isRepeatable in dropped.isEmpty ? [false] : [true, false] {
      var search = LinearizabilitySearch(
        model, operations, indices: indices, dropped: dropped, isRepeatable: isRepeatable)
      switch search.run(limits, deadline: deadline) {
      case .stuck: return false
      case .order:
        // More may be explained by an operation that happens twice than by one.
        if !isRepeatable { return true }
      case .unknown: break
      }
    }
    return nil
  }
}

/// Why a history is not linearizable.
package struct LinearizabilityExplanation<Model: SequentialModel>: Sendable {
  /// The smallest part found that is not linearizable.
  package let history: History<Model.Command, Model.Response>
  /// The index of each of its operations in the whole history.
  package let indices: [Int]
  /// The index in the whole history of the operation whose response does not fit.
  package let culprit: Int
  /// The responses that the model gives in its place.
  package let expected: [Model.Response]
}

extension History {
  /// The history with stamps from 1; equal stamps stay equal.
  var renumbered: History {
    let stamps = Set(operations.map(\.call) + operations.compactMap(\.end)).sorted()
    let ranks = Dictionary(uniqueKeysWithValues: stamps.enumerated().map { ($1, $0 + 1) })
    return History(
      checked: operations.map { operation in
        var operation = operation
        operation.call = ranks[operation.call] ?? operation.call
        if case .returned(let response, let end) = operation.outcome {
          operation.outcome = .returned(response, at: ranks[end] ?? end)
        }
        return operation
      })
  }
}
