import ContractEvidence
import SystemLocks

/// Divides the live calls that a run may make among its cases: those with the oldest evidence first.
final class LiveBudget: Sendable {
  /// A case that may run.
  struct Candidate: Sendable {
    var id: CaseID
    /// The number of live calls that the case makes.
    var cost: Int
    /// Whether earlier evidence spares the case.
    var isProven: @Sendable () -> Bool

    init(id: CaseID, cost: Int, isProven: @escaping @Sendable () -> Bool) {
      self.id = id
      self.cost = cost
      self.isProven = isProven
    }
  }

  private struct State {
    var candidates: [Candidate] = []
    /// The cases that run and those that don't, once the budget is divided.
    var isCovered: [CaseID: Bool]?
    var remaining: Int
  }

  private let total: Int
  private let state: Mutex<State>

  init(_ total: Int) {
    self.total = total
    state = Mutex(State(remaining: total))
  }

  /// Adds a case. Swift Testing evaluates the arguments of all tests before it runs the first, so all
  /// parameterised cases are known by then.
  func register(_ candidate: Candidate) { state.withLock { $0.candidates.append(candidate) } }

  /// Why a case does not run, or `nil` if the budget covers it. The first call divides the budget.
  ///
  /// - Parameters:
  ///   - id: The case.
  ///   - cost: The number of live calls that it makes.
  ///   - lastRun: When a case last ran, in seconds since 1970-01-01 00:00 UTC, or `nil` if it never did.
  func refusal(
    of id: CaseID, costing cost: Int, lastRun: (CaseID) -> Double?
  ) -> String? {
    let isCovered = state.withLock { state in
      if state.isCovered == nil { Self.divide(&state, lastRun) }
      if let known = state.isCovered?.removeValue(forKey: id) { return known }
      // A case in a loop is known only when it runs, and a case that runs twice costs twice.
      let fits = cost <= state.remaining
      if fits { state.remaining -= cost }
      return fits
    }
    if isCovered { return nil }
    let last = lastRun(id).map { "it last ran on \(Day(at: $0))" } ?? "it never ran"
    return cost > total
      ? "it costs \(cost), more than the whole CONTRACT_BUDGET=\(total); \(last)"
      : "CONTRACT_BUDGET=\(total) is spent on cases with older evidence; \(last)"
  }

  private static func divide(_ state: inout State, _ lastRun: (CaseID) -> Double?) {
    let waiting = state.candidates.filter { !$0.isProven() }
      .map { (candidate: $0, time: lastRun($0.id) ?? 0) }
      .sorted { ($0.time, $0.candidate.id) < ($1.time, $1.candidate.id) }
    var isCovered: [CaseID: Bool] = [:]
    for (candidate, _) in waiting where isCovered[candidate.id] == nil {
      let fits = candidate.cost <= state.remaining
      if fits { state.remaining -= candidate.cost }
      isCovered[candidate.id] = fits
    }
    state.isCovered = isCovered
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
