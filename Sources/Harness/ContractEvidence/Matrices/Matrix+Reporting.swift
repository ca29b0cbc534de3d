extension Matrix {
  /// The numbers of cases, verdicts, saboteurs and problems in a matrix.
  public struct Summary: Equatable, Sendable {
    /// The number of cases with a result.
    public var cases: Int
    /// The number of cases for each outcome, by the outcome's name.
    public var outcomes: [String: Int]
    /// The number of clauses for each verdict.
    public var verdicts: [Verdict: Int]
    /// The number of times that a clause caught a saboteur.
    public var caught: Int
    /// The number of times that a saboteur escaped.
    public var escaped: Int
    /// The number of times that a clause must catch a saboteur, in the contracts of which any ran.
    public var expectedCatches: Int
    /// The number of problems.
    public var problems: Int
    /// Whether anything fails the run.
    public var isFailure: Bool
  }

  /// The matrix in numbers.
  public var summary: Summary {
    let results = cells.map(\.result)
    let saboteurs = tables.flatMap(\.saboteurs)
    let verdicts = tables.flatMap { $0.rows.compactMap(\.verdict) }
    return Summary(
      cases: results.count,
      outcomes: Dictionary(results.map { ($0.outcome.name, 1) }, uniquingKeysWith: +),
      verdicts: Dictionary(verdicts.map { ($0, 1) }, uniquingKeysWith: +),
      caught: saboteurs.count(where: \.isCaught), escaped: saboteurs.count { !$0.isCaught },
      expectedCatches: tables.filter { !$0.saboteurs.isEmpty }
        .map { max($0.saboteurs.count, $0.contract.saboteurResults ?? 0) }.reduce(0, +),
      problems: problems.count, isFailure: isFailure)
  }
}

extension Matrix.Summary {
  /// The summary on one line, and a second line if there are verdicts.
  public var text: String {
    func count(_ name: String) -> Int { outcomes[name] ?? 0 }
    var parts = ["\(cases) case\(cases == 1 ? "" : "s")", "\(count("passed")) passed"]
    for (name, label) in [
      ("failed", "failed"), ("crashed", "crashed"), ("timed-out", "timed out"),
      ("flaky", "flaky"),
      ("deviates", "deviate"), ("not-applicable", "not applicable"),
      ("unavailable", "unavailable"), ("not-run", "not run"),
    ] where name == "failed" || count(name) > 0 {
      parts.append("\(count(name)) \(label)")
    }
    if problems > 0 { parts.append("\(problems) problem\(problems == 1 ? "" : "s")") }
    if caught + escaped > 0 {
      let left = expectedCatches - caught - escaped
      parts.append(
        (escaped == 0
          ? "saboteurs caught \(caught) of \(expectedCatches)"
          : "saboteurs escaped \(escaped) of \(expectedCatches)")
          + (left > 0 ? ", \(left) did not run" : ""))
    }
    let rows = Verdict.allCases.compactMap { verdict in
      verdicts[verdict].map { "\($0) \(verdict.rawValue)" }
    }
    return parts.joined(separator: " · ")
      + (rows.isEmpty ? "" : "\nclauses: " + rows.joined(separator: " · "))
  }
}

extension Matrix.Column {
  /// How many cases touched the witness, and how they were sampled: what could imitate the real thing. `nil` if
  /// nothing is known, as of a fake.
  public var witnessText: String? {
    guard let witness else {
      // Journals of format 1 have neither versions nor witnesses.
      let isKnown = implementation.kind == .live && runs.contains { !$0.versions.isEmpty }
      return isKnown ? "no witness" : nil
    }
    let kinds = witness.kinds.map(\.text).joined(separator: "; ")
    return "\(witness.touchingCases) of \(witness.sampledCases) cases touched \(witness.name)"
      + (kinds.isEmpty ? "" : " (\(kinds))")
  }
}

extension Matrix.Table {
  /// Clauses that neither hold nor fail, all for the same reason and on the same implementations.
  public struct Note: Equatable, Sendable {
    /// The names of the implementations' columns.
    public var implementations: [String]
    /// The outcome, with the reason.
    public var outcome: Outcome
    /// The kind of the deviation (`bug`, `unsupported`, `planned`), if it is one.
    public var kind: String?
    /// The address of the bug report, if there is one.
    public var link: String?
    /// The clauses' ids, in the contract's order.
    public var clauses: [String]
  }

  /// The deviations, the clauses that do not apply and the unavailable cases, each reason once for
  /// the implementations with the same clauses.
  public var notes: [Note] {
    var merged: [Note] = []
    for note in notesByColumn {
      let isEqual = { (other: Note) in
        other.outcome == note.outcome && other.kind == note.kind && other.link == note.link
          && other.clauses == note.clauses
      }
      if let known = merged.firstIndex(where: isEqual) {
        merged[known].implementations += note.implementations
      } else {
        merged.append(note)
      }
    }
    return merged
  }

  private var notesByColumn: [Note] {
    columns.enumerated().flatMap { index, column in
      var notes: [Note] = []
      for row in rows {
        let deviation = column.implementation.deviations.first { $0.clause == row.clause.id }
        guard let outcome = row.cells[index]?.noted(deviation) else { continue }
        // An absence clause doesn't apply where the capability exists, which is the normal case.
        if case .notApplicable = outcome, row.clause.absenceOf != nil { continue }
        var isDeviation = false
        if case .deviates = outcome { isDeviation = true }
        let note = Note(
          implementations: [column.name], outcome: outcome,
          kind: isDeviation ? deviation?.kind : nil,
          link: isDeviation ? deviation?.link : nil, clauses: [row.clause.id])
        let hasSameReason = { (other: Note) in
          other.outcome == note.outcome && other.kind == note.kind && other.link == note.link
        }
        if let known = notes.firstIndex(where: hasSameReason) {
          notes[known].clauses.append(row.clause.id)
        } else {
          notes.append(note)
        }
      }
      return notes
    }
  }

  /// Something that weakens the evidence and fails no case.
  public struct Remark: Equatable, Sendable {
    /// The name of the implementation's column.
    public var subject: String
    /// The remark.
    public var sentence: String
  }

  /// Remarks about live implementations that may be fakes, and results for another revision.
  public var remarks: [Remark] {
    columns.compactMap { column in
      column.untouched.map { Remark(subject: column.name, sentence: $0) }
    } + outdated
  }

  /// The results that are no evidence about the contract's current revision.
  private var outdated: [Remark] {
    columns.enumerated().compactMap { index, column in
      let clauses = rows.filter { $0.cells[index]?.isCurrent == false }.map(\.clause.id)
      guard !clauses.isEmpty else { return nil }
      return Remark(
        subject: column.name,
        sentence: "\(column.name) ran another revision of the contract: "
          + clauses.joined(separator: ", "))
    }
  }

  /// The number of clauses that caught a saboteur.
  public var shownClauses: Int { Set(saboteurs.filter(\.isCaught).map(\.clause)).count }

  /// How many clauses are known to fail on broken implementations, in words.
  public var strength: String {
    let others = contract.leftToMutants.count
    let mutants = others == 0 ? "" : ", \(others) left to mutants"
    return saboteurs.isEmpty
      ? "not shown, no saboteur ran" + mutants
      : "\(shownClauses) of \(contract.clauses.count) clauses seen to fail" + mutants
  }
}

extension Matrix.Cell {
  /// The outcome if it has a reason and is no failure. An intermittent deviation says how often the
  /// clause held, even if it held last.
  fileprivate func noted(_ deviation: DeviationSummary?) -> Outcome? {
    let outcome = result.outcome
    if outcome.isFailure { return nil }
    if let deviation, deviation.isIntermittent, deviatedRuns > 0, heldRuns > 0 {
      return .deviates(
        reason: "\(deviation.reason); held in \(heldRuns) of \(heldRuns + deviatedRuns) runs")
    }
    return outcome.reason == nil ? nil : outcome
  }
}
