import ContractExploration
import ContractTesting
import Foundation
import SystemLocks

/// The answer of a mutant that passed too many switches.
struct EndlessLoop: Error {}

extension DriftExplorer {
  /// Looks for calls that each mutant answers otherwise than the original, and states them as clauses where the
  /// live side confirms the original.
  ///
  /// - Returns: Whether this process was started for that.
  /// - Throws: ``SuggestionError``.
  func suggest(besideFile file: String) async throws -> Bool {
    guard let request = SuggestionRequest.current else { return false }
    if let fixtures = request.fixtures, !fixtures.contains(String(describing: Subject.self)) {
      return true
    }
    let mutants = try MutantSwitch(request)
    var ids = ClauseIDs(besideFile: file)
    let pending = request.pending
    // Without a mutant, calls differ in nothing, and show which code they reach.
    mutants.chosen = 0
    var reached: [DriftMode.Side: Set<Int>] = [:]
    for side in [DriftMode.Side.fake, .live] {
      for mutant in pending { mutants.forgetReached(mutant) }
      _ = await difference(in: side, seconds: request.seconds, mutants)
      reached[side] = Set(pending.filter(mutants.isReached))
    }
    var rest = pending[...]
    while let mutant = rest.popFirst(), !Task.isCancelled {
      mutants.chosen = mutant
      let side = [DriftMode.Side.fake, .live].first { reached[$0]?.contains(mutant) == true }
      guard let side else {
        try request.append(
          Suggestion(mutants: [mutant], reason: "not reached by these operations"))
        continue
      }
      guard let failure = await difference(in: side, seconds: request.seconds, mutants) else {
        try request.append(
          Suggestion(
            mutants: [mutant],
            reason:
              "answered alike for \(request.seconds) s: equivalent, or not noticed by these operations"
          ))
        continue
      }
      var others: [Int] = []
      for (side, numbers) in reached {
        let reached = rest.filter { numbers.contains($0) }
        others += await noticed(by: failure.commands, of: reached, in: side, mutants)
        rest.removeAll { others.contains($0) }
      }
      mutants.chosen = mutant
      var suggestion = await confirmed(failure, in: side, &ids)
      suggestion.mutants = [mutant] + others
      try request.append(suggestion)
    }
    return true
  }

  /// The shortest calls that the chosen mutant of a side answers otherwise than the original.
  ///
  /// A side may answer otherwise than itself without a mutant, in an order that is left to chance. Such calls show
  /// nothing, and the search goes on.
  private func difference(
    in side: DriftMode.Side, seconds: Double, _ switches: MutantSwitch
  ) async -> Failure? {
    var settings = settings
    settings.time = .seconds(seconds)
    settings.runLimit = .seconds(2)
    let mode = DriftMode.mutated(side)
    let chosen = switches.chosen
    for _ in 0..<Self.repetitions where settings.time.map({ $0 > .zero }) == true {
      let result = await lockStep(mode, settings).sendingCommands().explore()
      guard var failure = result.failure else { return nil }
      settings.time = settings.time.map { $0 - result.searchTime }
      settings.seed = (failure.seed ?? settings.seed) &+ 1
      switches.chosen = 0
      let varies = await varies(side, failure.commands)
      switches.chosen = chosen
      if chosen == 0 || varies { continue }
      await condense(&failure, mode)
      return failure
    }
    return nil
  }

  /// The mutants that calls notice.
  private func noticed(
    by commands: [Call], of mutants: [Int], in side: DriftMode.Side, _ switches: MutantSwitch
  ) async -> [Int] {
    guard let first = mutants.first else { return [] }
    switches.chosen = first
    let runs = Mutex(0)
    let noticed = await lockStep(.mutated(side), settings).sendingCommands()
      .run(each: mutants.map { _ in commands }) { kind, _ in
        let next = runs.withLock {
          $0 += 1
          return $0
        }
        if mutants.indices.contains(next) { switches.chosen = mutants[next] }
        return kind != nil
      }
    return zip(mutants, noticed).filter(\.1).map(\.0)
  }

  /// What the live side and the unchanged fake say to the calls.
  private func confirmed(
    _ failure: Failure, in side: DriftMode.Side, _ ids: inout ClauseIDs
  ) async -> Suggestion {
    var finding = DriftFinding(failure, specification: specification)
    let transcripts = await transcripts(of: failure.commands, count: 2)
    finding.steps = transcripts.first ?? []
    finding.isStable =
      transcripts.count == 2 && transcripts[0].map(\.live) == transcripts[1].map(\.live)
    func text() -> FindingText<Subject> {
      FindingText(
        finding, live: live.id, fake: fake.id, operations: operations, observations: observations)
    }
    if let first = finding.steps.firstIndex(where: \.differs) {
      finding.steps = Array(finding.steps[...first])
      let isUnknown = await lockStep(DriftMode(), settings).sendingCommands()
        .run(each: [failure.commands]) { kind, _ in kind != nil }.first
      guard isUnknown != false else {
        return Suggestion(mutants: [], reason: "noticed only after a difference that is declared")
      }
      return Suggestion(mutants: [], text: text().description, isDrift: true)
    }
    guard !finding.steps.isEmpty else {
      return Suggestion(mutants: [], reason: "noticed by calls that the live side does not answer")
    }
    // The clause states the answer that the mutant changes: the last, if it ends the process.
    let mutated = await self.transcripts(of: failure.commands, count: 1, in: .mutated(side)).first
    let index = mutated?.firstIndex(where: \.differs) ?? finding.steps.count - 1
    finding.steps[min(index, finding.steps.count - 1)].differs = true
    guard let clause = text().clause(&ids) else {
      return Suggestion(mutants: [], reason: "noticed by calls that no clause can state")
    }
    return Suggestion(mutants: [], text: clause)
  }
}

extension DriftMode {
  /// Compares an implementation with itself, while a mutant is switched on for one of the two.
  static func mutated(_ side: Side) -> DriftMode {
    var mode = DriftMode()
    mode.mutated = side
    return mode
  }
}
