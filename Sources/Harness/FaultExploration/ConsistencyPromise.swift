internal import ExplorationEngine
internal import LinearizabilityChecking

/// What a port promises about calls that run concurrently or while faults happen.
///
/// In each promise, a call without an answer may have happened at any time after it began, or never.
public enum ConsistencyPromise: String, Sendable, Hashable, CaseIterable, Codable {
  /// There is one order of the calls that explains every answer, and in which a call that began after
  /// another had returned comes after it.
  case linearizable

  /// There is one order of the calls that explains every answer, and that keeps the order of each
  /// client's calls. A client may see old state for any time, but never goes back.
  case sequentiallyConsistent

  /// The same as ``linearizable``, without the answers of read-only commands that began before the last
  /// fault was over.
  ///
  /// Such reads may be stale; acknowledged writes may not be lost, and later reads show them.
  /// ``SequentialModel/isReadOnly(_:)`` says what a read is.
  case acknowledgedWritesSurvive
}

/// Whether a history keeps a promise.
enum PromiseVerdict {
  case kept
  case broken
  /// The search reached a limit.
  case undecided(String)
}

extension ConsistencyPromise {
  /// Checks a history.
  func verdict<Model: SequentialModel>(
    of history: FaultHistory<Model.Command, Model.Response>, _ model: Model,
    limits: LinearizabilityLimits
  ) -> PromiseVerdict {
    let calls = promised(history, model)
    if self == .sequentiallyConsistent {
      var search = SequentialConsistencySearch(model, calls.operations, limits)
      return search.run()
    }
    switch LinearizabilityChecker(model, limits: limits).check(calls) {
    case .linearizable: return .kept
    case .notLinearizable: return .broken
    case .unknown(let reason): return .undecided(reason.description)
    }
  }

  /// The smallest part of a history found that breaks the promise. It makes no live calls.
  func minimal<Model: SequentialModel>(
    _ history: FaultHistory<Model.Command, Model.Response>, _ model: Model, within time: Duration
  ) -> FaultHistory<Model.Command, Model.Response>? {
    let promised = promised(history, model)
    var part = history
    if self == .sequentiallyConsistent {
      let deadline = ContinuousClock.now.advanced(by: time)
      let reduction = HistoryReduction<Model.Command, Model.Response> {
        operations, dropped, steps in
        let calls = operations.indices.map {
          dropped.contains($0) ? operations[$0].pending : operations[$0]
        }
        var search = SequentialConsistencySearch(
          model, calls, LinearizabilityLimits(steps: steps, time: .seconds(1)))
        switch search.run() {
        case .kept: return true
        case .broken: return false
        case .undecided: return nil
        }
      }
      guard let reduced = reduction.reduced(promised.operations, until: deadline) else {
        return nil
      }
      part.calls = reduced.history
    } else {
      let checker = LinearizabilityChecker(model)
      guard case .notLinearizable(let violation) = checker.check(promised),
        let reduced = checker.reduced(promised, violation, within: time)
      else { return nil }
      part.calls = reduced.history
    }
    return part.trimmed
  }

  /// The calls that the promise is about.
  private func promised<Model: SequentialModel>(
    _ history: FaultHistory<Model.Command, Model.Response>, _ model: Model
  ) -> History<Model.Command, Model.Response> {
    guard self == .acknowledgedWritesSurvive, !history.faults.isEmpty else { return history.calls }
    let end = history.endOfFaults()
    return History(
      checked: history.calls.operations.filter { $0.call > end || !model.isReadOnly($0.command) })
  }
}
