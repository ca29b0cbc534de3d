import ContractEvidence
import Foundation
import SystemLocks

/// Decides which live cases of a run are spared: those that earlier evidence shows, and those that the
/// budget does not cover.
final class LiveCalls: Sendable {
  /// Reads the contract's and the adapters' sources.
  let folders = SourceFolders()

  /// The oldest evidence that spares a case, in seconds, or `nil` if every case runs.
  private let maximumAge: Double?
  private let paths: [String]
  private let run: String
  private let budget: LiveBudget?
  private let store = Mutex<EvidenceStore?>(nil)

  /// How far the clock of another machine may be ahead, in seconds.
  private static let clockTolerance = 3600.0

  /// Reads `CONTRACT_FRESH`, `CONTRACT_FRESH_FROM` and `CONTRACT_BUDGET`.
  ///
  /// - Parameters:
  ///   - environment: The process's environment.
  ///   - run: The run's id.
  ///   - folder: The folder of the journals.
  ///   - problems: Receives what is wrong with a variable. Then it has no effect.
  init(
    environment: [String: String], run: String, folder: String, problems: inout [String]
  ) {
    self.run = run
    let named = (environment["CONTRACT_FRESH_FROM"] ?? "").split(separator: ",").map(String.init)
    paths = named.isEmpty ? [folder, environment["CONTRACT_JOURNAL"]].compactMap(\.self) : named
    var maximumAge: Double?
    if let text = environment["CONTRACT_FRESH"] {
      maximumAge = TimeSpan.seconds(text)
      if maximumAge == nil {
        problems.append(
          EnvironmentError(
            variable: "CONTRACT_FRESH", value: text, expected: TimeSpan.expected
          ).description)
      }
    }
    self.maximumAge = maximumAge
    var budget: LiveBudget?
    if let text = environment["CONTRACT_BUDGET"] {
      if let calls = UInt32(text) {
        budget = LiveBudget(Int(calls))
      } else {
        problems.append(
          EnvironmentError(
            variable: "CONTRACT_BUDGET", value: text,
            expected: "the number of live calls that the run may make, such as 200"
          ).description)
      }
    }
    self.budget = budget
  }

  /// What to do with a live case.
  enum Decision {
    case run
    /// The case does not run, and has this result.
    case spare(CaseResult)
  }

  /// Registers a case that may run, so that the budget is divided among all.
  func register<Fixture>(
    _ id: CaseID, _ clause: Clause<Fixture>, _ implementation: Implementation<Fixture>,
    _ sources: ContractSources?
  ) {
    guard let budget, implementation.kind == .live, let cost = implementation.terms.cost,
      implementation.inapplicability(of: clause) == nil
    else { return }
    budget.register(
      .init(id: id, cost: cost) {
        self.proof(of: id, clause, implementation, sources) != nil
      })
  }

  /// Decides about a case of a live implementation.
  func decision<Fixture>(
    about id: CaseID, _ clause: Clause<Fixture>, _ implementation: Implementation<Fixture>,
    _ sources: ContractSources?
  ) -> Decision {
    if let proof = proof(of: id, clause, implementation, sources) { return .spare(proof) }
    guard let budget, let cost = implementation.terms.cost else { return .run }
    let refusal = budget.refusal(of: id, costing: cost) { self.lastRun(of: $0) }
    return refusal.map { .spare(CaseResult(id: id, outcome: .notRun(reason: $0), seconds: 0)) }
      ?? .run
  }

  /// Whether the budget covers another try of a case.
  func allowsAgain<Fixture>(_ implementation: Implementation<Fixture>) -> Bool {
    guard let budget, let cost = implementation.terms.cost else { return true }
    return budget.spend(cost)
  }

  // MARK: - Evidence

  private func results(of id: CaseID) -> [EvidenceStore.Result] {
    let store = store.withLock { store in
      let known = store ?? EvidenceStore(paths, platform: Platform.currentName, without: run)
      store = known
      return known
    }
    return store.results(of: id)
  }

  /// When a case last ran, with whatever code.
  private func lastRun(of id: CaseID) -> Double? {
    results(of: id).last {
      switch $0.result.outcome {
      case .notRun, .notApplicable, .unavailable: false
      default: true
      }
    }?.time
  }

  /// The result that repeats earlier evidence, or `nil` if the case has to run.
  ///
  /// Only results of the same code within the maximum age count. One of them that fails makes the case run,
  /// and so does a later failure whose code is not known.
  private func proof<Fixture>(
    of id: CaseID, _ clause: Clause<Fixture>, _ implementation: Implementation<Fixture>,
    _ sources: ContractSources?
  ) -> CaseResult? {
    guard let maximumAge, implementation.kind == .live else { return nil }
    let now = Date().timeIntervalSince1970
    let deviation = implementation.deviation(from: clause)
    // An intermittent deviation may hold the next time, and one that is over is a failure.
    if let deviation, deviation.isIntermittent || deviation.isOver(at: now) { return nil }
    guard let code = sources?.code(of: clause, on: implementation) else { return nil }
    let all = results(of: id).filter { now - $0.time <= maximumAge }
    let known = all.filter { $0.result.code == code }
    guard let evidence = known.last, evidence.time - now <= Self.clockTolerance,
      !known.contains(where: \.result.outcome.isFailure),
      !all.contains(where: { $0.time > evidence.time && $0.result.isBadOfUnknownCode })
    else { return nil }
    var proof = CaseResult(
      id: id, outcome: .proven(at: evidence.time), seconds: 0, witness: evidence.result.witness,
      code: code, evidenceTime: evidence.time)
    switch evidence.result.outcome {
    case .passed, .proven:
      if deviation != nil { return nil }
    case .deviates:
      guard let deviation else { return nil }
      proof.outcome = .deviates(reason: "\(deviation.reason); seen on \(Day(at: evidence.time))")
    default: return nil
    }
    return proof
  }
}

extension CaseResult {
  /// Whether the case failed, crashed or was unavailable, and the journal doesn't say with which code.
  fileprivate var isBadOfUnknownCode: Bool {
    if code != nil { return false }
    if case .unavailable = outcome { return true }
    return outcome.isFailure
  }
}
