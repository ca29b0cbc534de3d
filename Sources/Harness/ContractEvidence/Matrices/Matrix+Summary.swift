extension Matrix {
  /// The numbers of cases, verdicts, saboteurs and problems in a matrix.
  public struct Summary: Hashable, Sendable {
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
    /// The number of problems.
    public var problems: Int
    /// Whether anything fails the run.
    public var isFailure: Bool
  }

  /// The matrix in numbers.
  public var summary: Summary {
    let results = self.results
    let saboteurs = tables.flatMap(\.saboteurs)
    let verdicts = tables.flatMap { $0.rows.compactMap(\.verdict) }
    return Summary(
      cases: results.count,
      outcomes: Dictionary(results.map { ($0.outcome.name, 1) }, uniquingKeysWith: +),
      verdicts: Dictionary(verdicts.map { ($0, 1) }, uniquingKeysWith: +),
      caught: saboteurs.count(where: \.isCaught), escaped: saboteurs.count { !$0.isCaught },
      problems: problems.count, isFailure: isFailure)
  }

  /// The slowest cases, slowest first.
  ///
  /// - Parameter count: The maximum number of cases to return.
  public func slowest(_ count: Int) -> [CaseResult] {
    Array(
      results.filter { $0.seconds > 0 }
        .sorted { ($1.seconds, $0.id) < ($0.seconds, $1.id) }.prefix(count))
  }
}

extension Matrix.Summary {
  /// The summary on one line, and a second line if there are verdicts.
  public var text: String {
    func count(_ name: String) -> Int { outcomes[name] ?? 0 }
    var parts = ["\(cases) case\(cases == 1 ? "" : "s")", "\(count("passed")) passed"]
    for (name, label) in [
      ("failed", "failed"), ("crashed", "crashed"), ("timed-out", "timed out"),
      ("deviates", "deviate"), ("not-applicable", "not applicable"),
      ("unavailable", "unavailable"),
    ] where name == "failed" || count(name) > 0 {
      parts.append("\(count(name)) \(label)")
    }
    if problems > 0 { parts.append("\(problems) problem\(problems == 1 ? "" : "s")") }
    if caught + escaped > 0 {
      parts.append(
        escaped == 0
          ? "saboteurs caught \(caught) of \(caught)"
          : "saboteurs escaped \(escaped) of \(caught + escaped)")
    }
    let rows = Verdict.allCases.compactMap { verdict in
      verdicts[verdict].map { "\($0) \(verdict.rawValue)" }
    }
    return parts.joined(separator: " · ")
      + (rows.isEmpty ? "" : "\nclauses: " + rows.joined(separator: " · "))
  }
}
