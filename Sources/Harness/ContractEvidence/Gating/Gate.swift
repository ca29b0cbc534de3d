import Foundation

/// Decides whether the evidence is good enough to rely on the fakes.
///
/// Every clause of a contract that has a fake must have been proven by a live implementation, on the
/// contract as it is now, recently enough; and nothing may fail.
public struct Gate: Hashable, Sendable {
  /// Kinds of implementation that must not be unavailable.
  public var required: Set<ImplementationKind>

  /// How old the proof of a clause, and the run of a fake beside it, may be, in seconds, or `nil` for
  /// any age.
  public var maximumAge: Double?

  /// Clauses that may stay unproven, dropped ones included, as patterns `contract/clause`.
  public var allowedUnproven: [CasePattern]

  /// A gate with these demands.
  public init(
    required: Set<ImplementationKind> = [], maximumAge: Double? = nil,
    allowedUnproven: [CasePattern] = []
  ) {
    self.required = required
    self.maximumAge = maximumAge
    self.allowedUnproven = allowedUnproven
  }

  /// One thing that keeps the gate shut.
  public struct Objection: Hashable, Sendable {
    /// The clause, as `contract/clause`, where it is about one.
    public var clause: String?
    /// What is wrong, naming the clause and the implementation.
    public var sentence: String
    /// The command that would produce the missing evidence, where one would.
    public var command: String?
  }

  /// What is wrong with the evidence; nothing, where the gate opens.
  ///
  /// - Parameters:
  ///   - matrix: The evidence.
  ///   - now: The time to judge its age by, in seconds since 1970-01-01 00:00 UTC.
  public func objections(
    to matrix: Matrix, now: Double = Date().timeIntervalSince1970
  ) -> [Objection] {
    var objections = matrix.problems.map { Objection(clause: nil, sentence: $0, command: nil) }
    if matrix.results.isEmpty {
      objections.append(
        Objection(
          clause: nil, sentence: "there is no evidence at all: the journals hold no result",
          command: "swift test --filter Contract"))
    }
    for table in matrix.tables { objections += self.objections(to: table, now: now) }
    for pattern in allowedUnproven where !Self.names(pattern, aClauseOf: matrix) {
      objections.append(
        Objection(
          clause: nil,
          sentence: "'\(pattern)' may stay unproven, and it names no clause: remove it",
          command: nil))
    }
    return objections
  }

  private func objections(to table: Matrix.Table, now: Double) -> [Objection] {
    var objections: [Objection] = []
    for row in table.rows {
      let clause = "\(table.contract.id)/\(row.clause.id)"
      if let reason = table.contract.dropped[row.clause.id] {
        if isAllowed(clause) { continue }
        objections.append(
          Objection(clause: clause, sentence: "\(clause) was not run: \(reason)", command: nil))
        continue
      }
      for (implementation, cell) in zip(table.implementations, row.cells) {
        objections += self.objections(to: cell, of: implementation, clause: clause, now: now)
      }
      objections += self.objections(to: row, of: table, clause: clause, now: now)
    }
    for result in table.saboteurs where !result.isCaught {
      objections.append(
        Objection(
          clause: "\(result.contract)/\(result.clause)",
          sentence: "the saboteur \(result.saboteur) of \(result.contract) \(result.message)",
          command: Self.command("\(result.contract)/\(result.clause)@saboteur.\(result.saboteur)")))
    }
    if !table.saboteurs.isEmpty {
      for clause in table.contract.unproven {
        objections.append(
          Objection(
            clause: "\(table.contract.id)/\(clause)",
            sentence: "nothing shows that \(table.contract.id)/\(clause) can fail: it has no "
              + "saboteur", command: nil))
      }
    }
    return objections
  }

  private func objections(
    to cell: Matrix.Cell?, of implementation: ImplementationSummary, clause: String, now: Double
  ) -> [Objection] {
    let id = "\(clause)@\(implementation.id)"
    guard let cell else {
      return [
        Objection(clause: clause, sentence: "\(id) has not run", command: Self.command(id))
      ]
    }
    let outcome = cell.result.outcome
    if outcome.isFailure {
      let reason = outcome.reason.map { ": \($0)" } ?? ""
      return [
        Objection(
          clause: clause, sentence: "\(id) \(outcome.name)\(reason)", command: Self.command(id))
      ]
    }
    if !cell.isCurrent, implementation.kind != .live {
      return [
        Objection(
          clause: clause, sentence: "\(id) was run on another revision of the contract",
          command: Self.command(id))
      ]
    }
    if let maximumAge, now - cell.time > maximumAge, implementation.kind != .live,
      outcome == .passed
    {
      return [
        Objection(
          clause: clause,
          sentence: "\(id) was last run \(Self.days(now - cell.time)) ago, and at most "
            + "\(Self.days(maximumAge)) are allowed", command: Self.command(id))
      ]
    }
    if case .unavailable(let reason) = outcome, required.contains(implementation.kind) {
      return [
        Objection(
          clause: clause, sentence: "\(id) is unavailable: \(reason)", command: Self.command(id))
      ]
    }
    return []
  }

  /// What is missing for fakes to be relied on in one clause.
  private func objections(
    to row: Matrix.Row, of table: Matrix.Table, clause: String, now: Double
  ) -> [Objection] {
    let fakes = zip(table.implementations, row.cells).filter { implementation, cell in
      implementation.kind != .live && cell?.result.outcome == .passed
    }
    // What happens where a capability is lacking needs no live implementation that lacks it.
    guard row.clause.absenceOf == nil, let fake = fakes.first?.0.id, !isAllowed(clause) else {
      return []
    }
    let live = zip(table.implementations, row.cells).filter { $0.0.kind == .live }
    let command = Self.command(
      live.count == 1 ? "\(clause)@\(live[0].0.id)" : clause, variables: "CONTRACT_KIND=live ")
    let names = live.map(\.0.id).joined(separator: ", ")
    let proofs = live.compactMap(\.1).filter { $0.result.outcome == .passed }
    func objection(_ sentence: String) -> [Objection] {
      [Objection(clause: clause, sentence: sentence, command: command)]
    }
    guard !proofs.isEmpty else {
      return objection(
        "\(clause) is unproven: \(fake) holds it, and "
          + (live.isEmpty
            ? "the contract has no live implementation" : "no live implementation did (\(names))"))
    }
    let current = proofs.filter(\.isCurrent)
    guard let first = current.map(\.time).min() else {
      return objection(
        "\(clause) is proven for another revision of the contract only: run \(names) on this one "
          + "(digest \(table.contract.digest))")
    }
    guard let maximumAge else { return [] }
    // What a clock that is wrong has dated would stay fresh until then.
    guard let latest = current.map(\.time).filter({ $0 - now <= Self.clockTolerance }).max() else {
      return objection(
        "\(clause) was proven at a time that is \(Self.days(first - now)) ahead: check the clock of "
          + "the machine that ran \(names)")
    }
    if now - latest > maximumAge {
      return objection(
        "\(clause) was last proven by a live implementation \(Self.days(now - latest)) ago, and at "
          + "most \(Self.days(maximumAge)) are allowed")
    }
    return []
  }

  /// How far the clocks of two machines may differ, in seconds.
  private static let clockTolerance = 3600.0

  private static func names(_ pattern: CasePattern, aClauseOf matrix: Matrix) -> Bool {
    matrix.tables.contains { table in
      table.rows.contains { row in
        CaseID("\(table.contract.id)/\(row.clause.id)@any").map(pattern.matches) ?? false
      }
    }
  }

  private func isAllowed(_ clause: String) -> Bool {
    guard let id = CaseID("\(clause)@any") else { return false }
    return allowedUnproven.contains { $0.matches(id) }
  }

  private static func command(_ selection: String, variables: String = "") -> String {
    "CONTRACT=\(selection.shellQuoted) \(variables)swift test --filter Contract"
  }

  private static func days(_ seconds: Double) -> String {
    let days = (seconds / 86_400 * 10).rounded() / 10
    return "\(days) days"
  }
}
