import ContractEvidence
import Testing

/// A mistake in the declaration of a contract, an implementation or a saboteur.
struct DeclarationProblem: Sendable {
  /// What is wrong and how to correct it.
  var message: String
  /// Where the declaration is.
  var sourceLocation: SourceLocation
}

extension Contract {
  /// The mistakes in the contract and in how these implementations refer to it.
  func problems(with implementations: [Implementation<Fixture>]) -> [DeclarationProblem] {
    var problems = contractProblems
    if implementations.isEmpty {
      problems.append(
        DeclarationProblem(
          message: "\(id): no implementation is given, so nothing runs; name at least one in "
            + "cases(for:)", sourceLocation: sourceLocation))
    }
    var seen: Set<String> = []
    for implementation in implementations {
      if !seen.insert(implementation.id).inserted {
        problems.append(
          DeclarationProblem(
            message: "\(id): two implementations have the id '\(implementation.id)'; only the "
              + "first runs, so rename one", sourceLocation: implementation.sourceLocation))
      }
      problems += self.problems(with: implementation)
    }
    return problems
  }

  /// The mistakes in the contract's own clauses.
  private var contractProblems: [DeclarationProblem] {
    var problems: [DeclarationProblem] = []
    func add(_ message: String, _ location: SourceLocation) {
      problems.append(DeclarationProblem(message: message, sourceLocation: location))
    }
    if let problem = invalidID(id, of: "contract") { add(problem, sourceLocation) }
    if clauses.isEmpty {
      add("\(id): the contract has no clauses, so it promises nothing; add one", sourceLocation)
    }
    var firstLocations: [String: SourceLocation] = [:]
    for clause in clauses {
      if let first = firstLocations[clause.id] {
        add(
          "\(id): two clauses have the id '\(clause.id)' (the first is at \(first.fileID):"
            + "\(first.line)); ids name cases in journals and selections, so rename one",
          clause.sourceLocation)
      } else {
        firstLocations[clause.id] = clause.sourceLocation
      }
      if let problem = invalidID(clause.id, of: "clause") { add(problem, clause.sourceLocation) }
    }
    for capability in clauses.flatMap(\.requires) where absence(of: capability) == nil {
      let message =
        "\(id): clauses require '\(capability.id)', but no clause checks its absence, so an "
        + "implementation could claim to lack it unnoticed; add "
        + "Absence(of: .\(swiftName(of: capability)), \"what happens instead\") { … }"
      if !problems.contains(where: { $0.message == message }) { add(message, sourceLocation) }
    }
    for dropped in dropped.keys.sorted() where !clauses.contains(where: { $0.id == dropped }) {
      add(
        "\(id): .without(\"\(dropped)\") names no clause\(suggestion(for: dropped)); remove it",
        sourceLocation)
    }
    return problems
  }

  private func problems(with implementation: Implementation<Fixture>) -> [DeclarationProblem] {
    var problems: [DeclarationProblem] = []
    func add(_ message: String, _ location: SourceLocation) {
      problems.append(DeclarationProblem(message: message, sourceLocation: location))
    }
    if let problem = invalidID(implementation.id, of: "implementation") {
      add(problem, implementation.sourceLocation)
    }
    let known = Set(clauses.flatMap { $0.requires + [$0.absenceOf].compactMap(\.self) })
    var lacking: Set<Capability> = []
    for lack in implementation.lacks {
      if !known.contains(where: { $0.needs(lack.capability) }) {
        add(
          "\(id): '\(implementation.id)' lacks '\(lack.capability.id)', which no clause requires; "
            + "remove it, or name one of \(list(known.map(\.id)))", implementation.sourceLocation)
      }
      if !lacking.insert(lack.capability).inserted {
        add(
          "\(id): '\(implementation.id)' lacks '\(lack.capability.id)' twice; remove one",
          implementation.sourceLocation)
      }
    }
    for lack in implementation.lacks where isPlaceholder(lack.reason) {
      add(
        "\(id): '\(implementation.id)' lacks '\(lack.capability.id)' because '\(lack.reason)'; write "
          + "the reason", implementation.sourceLocation)
    }
    for problem in implementation.liveTerms?.problems(for: implementation.kind) ?? [] {
      add("\(id): '\(implementation.id)' \(problem)", implementation.sourceLocation)
    }
    var deviating: Set<String> = []
    for deviation in implementation.deviations {
      let subject = "\(id): '\(implementation.id)' deviates from '\(deviation.clause)'"
      let removal = "remove \(deviation.declaration)"
      guard let clause = clauses.first(where: { $0.id == deviation.clause }) else {
        add(
          "\(subject), which is not a clause\(suggestion(for: deviation.clause)); \(removal)",
          deviation.sourceLocation)
        continue
      }
      if isPlaceholder(deviation.reason) {
        add(
          "\(subject) because '\(deviation.reason)'; write the reason", deviation.sourceLocation)
      }
      if let until = deviation.until, Day(until) == nil {
        add(
          "\(subject) until '\(until)', which is no day; write it as 2027-01-31",
          deviation.sourceLocation)
      }
      guard deviation.platforms.contains(.current) else { continue }
      if !deviating.insert(deviation.clause).inserted {
        add("\(subject) twice on this platform; \(removal)", deviation.sourceLocation)
      }
      if implementation.inapplicability(of: clause) != nil {
        add("\(subject), which does not apply to it; \(removal)", deviation.sourceLocation)
      }
    }
    return problems
  }

  /// The mistakes in the saboteurs, and the clauses that neither a saboteur nor mutants show.
  var saboteurProblems: [DeclarationProblem] {
    var problems: [DeclarationProblem] = []
    func add(_ message: String, _ location: SourceLocation) {
      problems.append(DeclarationProblem(message: message, sourceLocation: location))
    }
    var seen: Set<String> = []
    for saboteur in saboteurs {
      if let problem = invalidID(saboteur.id, of: "saboteur") {
        add(problem, saboteur.sourceLocation)
      }
      if !seen.insert(saboteur.id).inserted {
        add(
          "\(id): two saboteurs have the id '\(saboteur.id)'; rename one", saboteur.sourceLocation)
      }
      if saboteur.clauses.isEmpty {
        add(
          "\(id): the saboteur '\(saboteur.id)' names no clause that must catch it; name one: "
            + "caughtBy: \"\(clauses.first?.id ?? "clause")\"", saboteur.sourceLocation)
      }
      for clause in saboteur.clauses where !clauses.contains(where: { $0.id == clause }) {
        add(
          "\(id): the saboteur '\(saboteur.id)' names '\(clause)' in caughtBy:, which is not a "
            + "clause\(suggestion(for: clause)); name one of "
            + clauses.map(\.id).prefix(20).joined(separator: ", "), saboteur.sourceLocation)
      }
    }
    if leavesOthersToMutants { return problems }
    let named = Set(saboteurs.flatMap(\.clauses))
    for clause in clauses where !named.contains(clause.id) {
      add(
        "\(id): nothing shows that the clause '\(clause.id)' can fail; add a saboteur that it "
          + "catches: Saboteur(\"breaks-\(clause.id)\", \"what is wrong with it\", caughtBy: "
          + "\"\(clause.id)\") { … }; or leave it to mutants with "
          + "leavesOthersToMutants: true", clause.sourceLocation)
    }
    return problems
  }

  private func absence(of capability: Capability) -> Clause<Fixture>? {
    clauses.first { $0.absenceOf == capability }
  }

  private func invalidID(_ invalid: String, of kind: String) -> String? {
    isValidID(invalid)
      ? nil
      : "\(id): '\(invalid)' is not a valid \(kind) id; use lower-case letters, digits, '-' and '.'"
  }

  /// ' (did you mean …?)' with the most similar clause id, or nothing if none is similar.
  private func suggestion(for id: String) -> String {
    let nearest = clauses.map { ($0.id, editDistance($0.id, id)) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= max(2, id.count / 3) else { return "" }
    return " (did you mean '\(nearest.0)'?)"
  }

  private func list(_ ids: [String]) -> String {
    ids.isEmpty ? "none, as the contract has no capabilities" : ids.sorted().joined(separator: ", ")
  }
}

/// The name that a constant with the capability most likely has: `severalHandles` for `several-handles`.
private func swiftName(of capability: Capability) -> String {
  let words = capability.id.split { "-.".contains($0) }
  return (words.first ?? "") + words.dropFirst().map(\.capitalized).joined()
}

/// Whether a reason says that somebody has yet to write it.
package func isPlaceholder(_ reason: String) -> Bool {
  let reason = reason.lowercased()
  return reason.allSatisfy(\.isWhitespace) || reason.hasPrefix("todo")
}
