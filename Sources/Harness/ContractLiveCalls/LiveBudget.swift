import ContractEvidence
import SystemLocks

/// Divides the live calls that a run may make among its cases: those that ran longest ago come first.
final class LiveBudget: Sendable {
  private struct State {
    /// The cases that may run, with the number of live calls that each makes.
    var candidates: [(id: CaseID, cost: Int)] = []
    /// The cases that run and those that don't, once the budget is divided.
    var isCovered: [CaseID: Bool]?
    var lastRuns: LastRuns?
    var remaining: Int
  }

  private let total: Int
  private let journals: [String]
  private let state: Mutex<State>

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - total: The number of live calls.
  ///   - journals: The paths of earlier journals, and of folders with journals.
  init(_ total: Int, journals: [String]) {
    self.total = total
    self.journals = journals
    state = Mutex(State(remaining: total))
  }

  /// Adds a case. Swift Testing evaluates the arguments of all tests before it runs the first, so all
  /// parameterised cases are known by then.
  func register(_ id: CaseID, costing cost: Int) {
    state.withLock { $0.candidates.append((id, cost)) }
  }

  /// Why a case does not run, or `nil` if the budget covers it. The first call divides the budget.
  ///
  /// - Parameters:
  ///   - id: The case.
  ///   - cost: The number of live calls that it makes.
  func refusal(of id: CaseID, costing cost: Int) -> String? {
    let (isCovered, lastRun) = state.withLock { state in
      if state.isCovered == nil { divide(&state) }
      let lastRun = state.lastRuns?.time(of: id)
      if let known = state.isCovered?.removeValue(forKey: id) { return (known, lastRun) }
      // A case in a loop is known only when it runs, and a case that runs twice costs twice.
      let fits = cost <= state.remaining
      if fits { state.remaining -= cost }
      return (fits, lastRun)
    }
    if isCovered { return nil }
    let last = lastRun.map { "it last ran on \(Day(at: $0))" } ?? "it never ran"
    return cost > total
      ? "it costs \(cost), more than the whole CONTRACT_BUDGET=\(total); \(last)"
      : "CONTRACT_BUDGET=\(total) is spent on cases with older evidence; \(last)"
  }

  private func divide(_ state: inout State) {
    let lastRuns = LastRuns(of: Set(state.candidates.map(\.id.implementation)), in: journals)
    let waiting = state.candidates.map { (candidate: $0, time: lastRuns.time(of: $0.id) ?? 0) }
      .sorted { ($0.time, $0.candidate.id) < ($1.time, $1.candidate.id) }
    var isCovered: [CaseID: Bool] = [:]
    for (candidate, _) in waiting where isCovered[candidate.id] == nil {
      let fits = candidate.cost <= state.remaining
      if fits { state.remaining -= candidate.cost }
      isCovered[candidate.id] = fits
    }
    state.isCovered = isCovered
    state.lastRuns = lastRuns
  }

  /// Spends some of what no case has; returns `false` if there is not enough.
  func spend(_ cost: Int) -> Bool {
    state.withLock { state in
      guard cost <= state.remaining else { return false }
      state.remaining -= cost
      return true
    }
  }
}
