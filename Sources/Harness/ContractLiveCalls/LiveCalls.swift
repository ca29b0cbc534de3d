import ContractEvidence
import ContractTesting

/// The rules of one run for implementations that declare something about their live calls.
final class LiveCalls: LiveCallRules {
  /// The budget of the run, or `nil` if every call may be made.
  private let budget: LiveBudget?

  init(budget: Int?, journals: [String]) {
    self.budget = budget.map { LiveBudget($0, journals: journals) }
  }

  func register(_ one: LiveCase) {
    guard let budget, let cost = Terms(of: one).cost else { return }
    budget.register(one.id, costing: cost)
  }

  func refusal(of one: LiveCase) -> String? {
    guard let budget, let cost = Terms(of: one).cost else { return nil }
    return budget.refusal(of: one.id, costing: cost)
  }

  func begin(_ one: LiveCase) -> Duration? {
    let terms = Terms(of: one)
    return terms.rateLimit?.begin(terms.cost ?? 1)
  }

  /// Whether the budget covers another try of a case.
  func allowsAgain(_ one: LiveCase) -> Bool {
    guard let budget, let cost = Terms(of: one).cost else { return true }
    return budget.spend(cost)
  }
}
