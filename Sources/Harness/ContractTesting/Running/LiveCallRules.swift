import ContractEvidence
package import Testing

/// What ContractLiveCalls decides about the live cases of a run: which cases the budget leaves out, when a
/// case may begin, and how often it is tried.
///
/// The code is in a module of its own because most packages need none of it at first.
package protocol LiveCallRules: Sendable {
  /// Says that a case may run, so that the budget is divided among all.
  func register(_ one: LiveCase)

  /// Why a case is left out of the run, or `nil` if it runs.
  func refusal(of one: LiveCase) -> String?

  /// Begins the calls of a case, or returns how long to wait before asking again.
  func begin(_ one: LiveCase) -> Duration?

  /// Whether a case that fails is tried again.
  func mayRetry(_ one: LiveCase) -> Bool

  /// Tries a case until it holds, as often as is allowed.
  ///
  /// - Parameters:
  ///   - one: The case.
  ///   - isAlone: Whether each try has its own process, which a crash or a timeout ends.
  ///   - execute: Tries the case once.
  /// - Returns: The last try, and the tries before it, all of which failed.
  func execute(
    _ one: LiveCase, inOwnProcess isAlone: Bool, _ execute: @Sendable () async -> RawResult
  ) async -> (last: RawResult, failures: [RawResult])

  /// The outcome of a case that failed and then held.
  func flaky(_ one: LiveCase, after failures: [RawResult]) -> Outcome
}

/// What an implementation declares about its live calls.
package protocol LiveTerms: Sendable {
  /// Makes the rules of a run.
  ///
  /// - Parameters:
  ///   - budget: The number of live calls that the run may make, or `nil` for any number.
  ///   - journals: The paths of earlier journals, and of folders with journals.
  func rules(budget: Int?, journals: [String]) -> any LiveCallRules

  /// Whether `CONTRACT_BUDGET` limits the implementation's calls.
  var isBudgeted: Bool { get }

  /// The mistakes in what an implementation declares, each as the rest of a sentence that begins with its
  /// name.
  func problems(for kind: ImplementationKind) -> [String]
}

/// A clause on a live implementation that declares something about its calls.
package struct LiveCase: Sendable {
  package let id: CaseID
  package let terms: any LiveTerms
  /// Whether the implementation declares that it deviates from the clause.
  package let deviates: Bool
  /// Where the clause is declared.
  package let sourceLocation: SourceLocation

  /// Creates a case; returns `nil` if no rules concern it.
  init?<Fixture>(
    _ id: CaseID, _ clause: Clause<Fixture>, _ implementation: Implementation<Fixture>
  ) {
    guard implementation.kind == .live, let terms = implementation.liveTerms,
      implementation.inapplicability(of: clause) == nil
    else { return nil }
    self.id = id
    self.terms = terms
    deviates = implementation.deviation(from: clause) != nil
    sourceLocation = clause.sourceLocation
  }
}
