public import ContractEvidence
public import Foundation

/// Decides whether the evidence is good enough to rely on the fakes.
///
/// Nothing may fail. Every clause that holds on a fake must hold on a live implementation too, for
/// the contract's current revision and recently enough. Saboteurs must have shown that the package's
/// own contracts can fail. A result dated more than an hour in the future is a problem: it would not
/// age until then, and it hides results that are really newer.
public struct Gate: Hashable, Sendable {
  /// The kinds of implementation that must not be unavailable.
  public var required: Set<ImplementationKind>

  /// The maximum age in seconds of a live implementation's or a fake's results, or `nil` for no
  /// limit.
  public var maximumAge: Double?

  /// Clauses that may be unproven or dropped, as patterns `contract/clause`.
  public var allowedUnproven: [CasePattern]

  /// Contracts for which no saboteur has to run, as patterns for their ids.
  public var allowedWithoutStrength: [CasePattern]

  /// Changes from an earlier matrix that are accepted, as patterns for cases, clauses and implementations.
  public var allowedChanges: [CasePattern] = []

  /// The platforms on which every contract must have results, as journals name them.
  public var requiredPlatforms: Set<String> = []

  /// Whether a live implementation without a witness fails the gate.
  public var forbidsUnwitnessed = false

  /// Whether a deviation that an earlier matrix does not have fails the gate, and so does a case that does not apply
  /// any more.
  public var forbidsNewDeviations = false

  /// Whether the scores of mutants are checked as well, so that a contract without saboteurs may leave its clauses to them.
  public var checksMutants = false

  /// Creates a gate.
  public init(
    required: Set<ImplementationKind> = [], maximumAge: Double? = nil,
    allowedUnproven: [CasePattern] = [], allowedWithoutStrength: [CasePattern] = []
  ) {
    self.required = required
    self.maximumAge = maximumAge
    self.allowedUnproven = allowedUnproven
    self.allowedWithoutStrength = allowedWithoutStrength
  }

  /// A reason why the gate fails.
  public struct Problem: Hashable, Sendable {
    /// The clause, as `contract/clause`, if the problem concerns one.
    public var clause: String?
    /// A sentence that names the clause and the implementation.
    public var sentence: String
    /// The command that would produce the missing evidence, if there is one.
    public var command: String?
    /// What the problems of several clauses with the same reason have in common.
    var shared: Shared?

    struct Shared: Hashable, Sendable {
      var sentence: String
      var command: String
    }
  }

  /// Checks the evidence.
  ///
  /// - Parameters:
  ///   - matrix: The evidence.
  ///   - changes: The changes from an earlier matrix, if there is one.
  ///   - now: The time to compute ages from, in seconds since 1970-01-01 00:00 UTC.
  /// - Returns: The problems. If there are none, the gate passes.
  public func problems(
    in matrix: Matrix, changes: MatrixDifference? = nil, now: Double = Date().timeIntervalSince1970
  ) -> [Problem] {
    var problems = matrix.problems.map { Problem(sentence: $0) }
    if matrix.results.isEmpty {
      problems.append(
        Problem(
          sentence: "there is no evidence: the journals contain no result",
          command: "swift test --filter Contract"))
    }
    for table in matrix.tables {
      problems += self.problems(in: table, now: now) + missingPlatforms(in: table)
    }
    let rejected = (changes?.changes ?? []).filter(isRejected)
    problems += rejected.filter { !isAllowed($0) }.map { change in
      Problem(
        clause: change.contract.flatMap { contract in change.clause.map { "\(contract)/\($0)" } },
        sentence: change.sentence)
    }
    return Self.collapsed(problems) + unusedAllowances(in: matrix, rejected)
  }

  /// The problems with those in one line that differ only in the clause.
  private static func collapsed(_ problems: [Problem]) -> [Problem] {
    var lines: [(problem: Problem, clauses: [String])] = []
    var known: [Problem.Shared: Int] = [:]
    for problem in problems {
      let clause = problem.clause.map { String($0.drop { $0 != "/" }.dropFirst()) } ?? ""
      if let shared = problem.shared, let index = known[shared] {
        lines[index].clauses.append(clause)
      } else {
        if let shared = problem.shared { known[shared] = lines.count }
        lines.append((problem, [clause]))
      }
    }
    return lines.map { problem, clauses in
      guard clauses.count > 1, let shared = problem.shared else { return problem }
      return Problem(
        sentence: "\(shared.sentence) (\(clauses.count) clauses: "
          + clauses.joined(separator: ", ") + ")",
        command: shared.command)
    }
  }

  /// Remarks that don't fail the gate: changes that are allowed or no loss of the gate's, and the contracts of other
  /// packages for which no saboteur ran.
  public func notes(on matrix: Matrix, changes: MatrixDifference? = nil) -> [String] {
    let noted = (changes?.changes ?? []).filter { change in
      change.kind.treatment != .ignored && (!isRejected(change) || isAllowed(change))
    }
    return noted.map(\.sentence)
      + matrix.tables.filter { $0.saboteurs.isEmpty && $0.contract.isOwn == false }.map {
        "\($0.contract.id): no saboteur ran; the contract comes from another package, which has to "
          + "show its strength"
      }
  }

  private func problems(in table: Matrix.Table, now: Double) -> [Problem] {
    var problems: [Problem] = []
    for row in table.rows {
      let clause = "\(table.contract.id)/\(row.clause.id)"
      if let reason = table.contract.dropped[row.clause.id] {
        if !isAllowed(row.clause, of: table.contract) {
          problems.append(Problem(clause: clause, sentence: "\(clause) was not run: \(reason)"))
        }
        continue
      }
      for (column, cell) in zip(table.columns, row.cells) {
        if let problem = problem(with: cell, of: column, clause: clause, now: now) {
          problems.append(problem)
        }
      }
      if let problem = problem(withLiveEvidenceFor: row, in: table, now: now) {
        problems.append(problem)
      }
    }
    return problems + witnessProblems(in: table) + expiredDeviations(in: table, now: now)
      + strengthProblems(in: table, now: now)
  }

  /// Live implementations of which nothing shows that they reach the real thing.
  private func witnessProblems(in table: Matrix.Table) -> [Problem] {
    table.columns.compactMap { column in
      let id = "\(table.contract.id)@\(column.implementation.id)"
      if let sentence = column.untouched {
        return Problem(
          sentence: "\(table.contract.id): \(sentence)", command: id.rerunCommand())
      }
      guard forbidsUnwitnessed, column.implementation.kind == .live, column.witness == nil else {
        return nil
      }
      return Problem(
        sentence:
          "\(id)\(column.suffix) has no witness, so nothing shows that it reaches the real thing; "
          + "call scope.witness(_:_:) where its fixture is made")
    }
  }

  // MARK: - One case

  /// The first problem with the result of one case.
  private func problem(
    with cell: Matrix.Cell?, of column: Matrix.Column, clause: String, now: Double
  ) -> Problem? {
    let implementation = column.implementation
    let id = "\(clause)@\(implementation.id)"
    func problem(_ sentence: String, isShared: Bool = false) -> Problem {
      let whole = "\(implementation.contract)@\(implementation.id)"
      return Problem(
        clause: clause, sentence: "\(id)\(column.suffix) \(sentence)", command: id.rerunCommand(),
        shared: isShared
          ? .init(sentence: "\(whole)\(column.suffix) \(sentence)", command: whole.rerunCommand())
          : nil)
    }
    guard let cell else { return problem("has not run") }
    let outcome = cell.result.outcome
    if outcome.isFailure {
      return problem(outcome.name + (outcome.reason.map { ": \($0)" } ?? ""))
    }
    if case .notRun(let reason) = outcome {
      return problem("was not run: \(reason)", isShared: true)
    }
    if case .unavailable(let reason) = outcome, required.contains(implementation.kind) {
      return problem("is unavailable: \(reason)", isShared: true)
    }
    if let future = future(cell.time, now: now) {
      return problem("ran \(future)", isShared: true)
    }
    // For a live implementation, age and revision are checked for the whole row: another live
    // implementation may have a newer result.
    if implementation.kind == .live { return nil }
    if !cell.isCurrent { return problem("ran another revision of the contract") }
    if let maximumAge, now - cell.time > maximumAge, outcome == .passed {
      return problem(
        "last ran \(Self.duration(now - cell.time)) ago; the maximum is \(Self.duration(maximumAge))"
      )
    }
    return nil
  }

  // MARK: - One clause

  /// The problem with the live evidence for one clause, if a fake relies on it.
  private func problem(
    withLiveEvidenceFor row: Matrix.Row, in table: Matrix.Table, now: Double
  ) -> Problem? {
    let fake = zip(table.columns, row.cells).first { column, cell in
      column.implementation.kind != .live && cell?.result.outcome == .passed
    }?.0.name
    // An absence clause needs no live evidence: there may be no live implementation that lacks the
    // capability.
    guard row.clause.absenceOf == nil, let fake, !isAllowed(row.clause, of: table.contract) else {
      return nil
    }
    let clause = "\(table.contract.id)/\(row.clause.id)"
    let live = zip(table.columns, row.cells).filter { $0.0.implementation.kind == .live }
    let names = live.map(\.0.name).joined(separator: ", ")
    func problem(_ sentence: String) -> Problem {
      let selection = live.count == 1 ? "\(clause)@\(live[0].0.implementation.id)" : clause
      return Problem(
        clause: clause, sentence: "\(clause) \(sentence)",
        command: selection.rerunCommand(kind: .live))
    }
    let held = live.compactMap(\.1).filter(\.result.outcome.holds)
    guard !held.isEmpty else {
      return problem(
        "is unproven: it holds on \(fake), and "
          + (live.isEmpty
            ? "the contract has no live implementation" : "on no live implementation (\(names))"))
    }
    let times = held.filter(\.isCurrent).map(\.time)
    guard let latest = times.max() else {
      return problem(
        "holds on a live implementation only for another revision of the contract; run \(names) on the current one "
          + "(digest \(table.contract.digest))")
    }
    guard let maximumAge, now - latest > maximumAge else { return nil }
    return problem(
      "last held on a live implementation \(Self.duration(now - latest)) ago; the maximum is "
        + Self.duration(maximumAge))
  }

  /// The accepted difference between the clocks of two machines, in seconds.
  private static let clockTolerance = 3600.0

  /// Says how far in the future a result is dated, or `nil` if it is not.
  private func future(_ time: Double, now: Double) -> String? {
    guard time - now > Self.clockTolerance else { return nil }
    return
      "at a time \(Self.duration(time - now)) in the future; check the clock of the machine that "
      + "ran it, and run it again"
  }

  // MARK: - Strength

  private func strengthProblems(in table: Matrix.Table, now: Double) -> [Problem] {
    let contract = table.contract
    if table.saboteurs.isEmpty {
      let isAllowed = allowedWithoutStrength.contains { Self.matches($0, contract.id) }
      let isLeftToMutants = !contract.leftToMutants.isEmpty
      if contract.isOwn != true || isAllowed || isLeftToMutants && checksMutants { return [] }
      return [
        Problem(
          sentence: "\(contract.id): no saboteur ran, so nothing shows that the contract's clauses "
            + "can fail"
            + (isLeftToMutants
              ? "; it leaves them to mutants, so run 'contracts mutate' and add --mutation-score"
              : ""),
          command: "\(contract.id)@saboteur.*".rerunCommand())
      ]
    }
    let escaped = table.saboteurs.filter { !$0.isCaught }.map { result in
      Problem(
        clause: "\(result.contract)/\(result.clause)",
        sentence: "the saboteur \(result.saboteur) of \(result.contract) \(result.message)",
        command: result.caseID.rerunCommand())
    }
    let withoutSaboteur = contract.clausesWithoutSaboteur.map { clause in
      Problem(
        clause: "\(contract.id)/\(clause)",
        sentence: "\(contract.id)/\(clause) has no saboteur, so nothing shows that it can fail")
    }
    return escaped + withoutSaboteur + incompleteStrength(of: table, now: now)
  }

  /// Saboteurs that are named and did not run, or ran too long ago.
  private func incompleteStrength(of table: Matrix.Table, now: Double) -> [Problem] {
    let contract = table.contract
    if contract.isOwn != true
      || allowedWithoutStrength.contains(where: { Self.matches($0, contract.id) })
    {
      return []
    }
    let command = "\(contract.id)@saboteur.*".rerunCommand()
    var problems: [Problem] = []
    let seen = Set(
      table.saboteurs.map(\.clause) + contract.clausesWithoutSaboteur + contract.leftToMutants)
    let missing = contract.clauses.map(\.id).filter {
      !seen.contains($0) && contract.dropped[$0] == nil
    }
    if !missing.isEmpty {
      problems.append(
        Problem(
          sentence: "\(contract.id): no saboteur ran for \(missing.joined(separator: ", "))",
          command: command))
    }
    if let time = table.latestStrengthTime, let future = future(time, now: now) {
      problems.append(
        Problem(sentence: "\(contract.id): saboteurs ran \(future)", command: command))
    } else if let maximumAge, let time = table.strengthTime, now - time > maximumAge {
      problems.append(
        Problem(
          sentence:
            "\(contract.id): saboteurs last ran \(Self.duration(now - time)) ago; the maximum is "
            + Self.duration(maximumAge), command: command))
    }
    return problems
  }

  // MARK: - Deviations

  /// Deviations whose last day is over, whenever the case ran.
  private func expiredDeviations(in table: Matrix.Table, now: Double) -> [Problem] {
    table.columns.flatMap { column in
      column.implementation.deviations.compactMap { deviation -> Problem? in
        guard let until = deviation.until, let last = Day(until), last < Day(at: now) else {
          return nil
        }
        let clause = "\(table.contract.id)/\(deviation.clause)"
        return Problem(
          clause: clause,
          sentence: "\(clause)@\(column.name) was to deviate until \(until): \(deviation.reason)")
      }
    }
  }

  // MARK: - Changes

  private func isRejected(_ change: MatrixDifference.Change) -> Bool {
    switch change.kind.treatment {
    case .rejected: true
    case .excuse: forbidsNewDeviations
    case .noted, .ignored: false
    }
  }

  private func isAllowed(_ change: MatrixDifference.Change) -> Bool {
    change.contract != nil && allowedChanges.contains { $0.matches(change.id) }
  }

  /// The platforms that are required and have no results of the contract.
  private func missingPlatforms(in table: Matrix.Table) -> [Problem] {
    let columns = table.columns.indices.filter { index in
      table.rows.contains { $0.cells[index] != nil }
    }
    let platforms = Set(columns.flatMap { table.columns[$0].platforms })
    return requiredPlatforms.subtracting(platforms).sorted().map {
      Problem(sentence: "\(table.contract.id) has no result on \($0)")
    }
  }

  // MARK: - Allowances

  private func isAllowed(_ clause: ClauseSummary, of contract: ContractSummary) -> Bool {
    allowedUnproven.contains { Self.matches($0, contract.id, clause.id) }
  }

  /// Whether a pattern matches a contract or a clause. A pattern that names a clause does not match
  /// a contract, and one that names an implementation matches neither.
  private static func matches(
    _ pattern: CasePattern, _ contract: String, _ clause: String = ""
  ) -> Bool {
    pattern.matches(CaseID(contract: contract, clause: clause, implementation: ""))
  }

  /// An allowance that matches nothing is mistyped or no longer needed.
  private func unusedAllowances(
    in matrix: Matrix, _ rejected: [MatrixDifference.Change]
  ) -> [Problem] {
    let unproven = allowedUnproven.filter { pattern in
      !matrix.tables.contains { table in
        table.rows.contains { Self.matches(pattern, table.contract.id, $0.clause.id) }
      }
    }
    let withoutStrength = allowedWithoutStrength.filter { pattern in
      !matrix.tables.contains { Self.matches(pattern, $0.contract.id) }
    }
    let changes = allowedChanges.filter { pattern in
      !rejected.contains { $0.contract != nil && pattern.matches($0.id) }
    }
    return unproven.map {
      Problem(sentence: "--allow unproven=\($0) matches no clause; remove it")
    }
      + changes.map {
        Problem(sentence: "--allow change=\($0) matches no change that the gate rejects; remove it")
      }
      + withoutStrength.map {
        Problem(sentence: "--allow strength=\($0) matches no contract; remove it")
      }
  }

  /// A time in the largest unit of which it has at least one, such as `1.5 hours`.
  private static func duration(_ seconds: Double) -> String {
    let units = [("day", 86_400.0), ("hour", 3_600), ("minute", 60), ("second", 1)]
    let (name, length) = units.first { seconds >= $0.1 } ?? units[3]
    let number = (seconds / length * 10).rounded() / 10
    let text = number == number.rounded() ? String(Int(number)) : String(number)
    return "\(text) \(name)" + (text == "1" ? "" : "s")
  }
}
