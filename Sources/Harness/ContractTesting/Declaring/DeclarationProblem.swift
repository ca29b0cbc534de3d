import ContractEvidence
import Testing

/// A mistake in the declaration of a contract, an implementation or a saboteur.
struct DeclarationProblem: Sendable {
  /// What is wrong and what to do, in a sentence or two.
  var message: String
  /// The place of the declaration.
  var sourceLocation: SourceLocation
}

extension Contract {
  /// The mistakes in the contract and in these implementations' relation to it.
  func problems(with implementations: [Implementation<Fixture>]) -> [DeclarationProblem] {
    var problems = ownProblems
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
            message: "\(id): two implementations are called '\(implementation.id)'; only the first "
              + "runs, so rename one", sourceLocation: implementation.sourceLocation))
      }
      problems += self.problems(with: implementation)
    }
    return problems
  }

  /// The mistakes in the contract alone.
  private var ownProblems: [DeclarationProblem] {
    var problems: [DeclarationProblem] = []
    func add(_ message: String, _ place: SourceLocation) {
      problems.append(DeclarationProblem(message: message, sourceLocation: place))
    }
    if !isValidID(id) {
      add(
        "'\(id)' can't be a contract's id: use lower-case letters, digits, '-' and '.'",
        sourceLocation)
    }
    if clauses.isEmpty {
      add("\(id): the contract has no clauses, so it promises nothing; add one", sourceLocation)
    }
    var places: [String: SourceLocation] = [:]
    for clause in clauses {
      if let first = places[clause.id] {
        add(
          "\(id): the clause id '\(clause.id)' is used twice (first at \(first.fileID):"
            + "\(first.line)); ids name cases in journals and selections, so give each its own",
          clause.sourceLocation)
      }
      places[clause.id] = clause.sourceLocation
      if !isValidID(clause.id) {
        add(
          "\(id): '\(clause.id)' can't be a clause's id: use lower-case letters, digits, '-' and '.'",
          clause.sourceLocation)
      }
    }
    for capability in clauses.flatMap(\.requires) where absence(of: capability) == nil {
      let message =
        "\(id): clauses require '\(capability.id)' and nothing probes its absence, so an "
        + "implementation could claim too little in silence; add "
        + "Absence(of: .\(capability.id)) { … }"
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
    func add(_ message: String, _ place: SourceLocation) {
      problems.append(DeclarationProblem(message: message, sourceLocation: place))
    }
    if !isValidID(implementation.id) {
      add(
        "\(id): '\(implementation.id)' can't be an implementation's id: use lower-case letters, "
          + "digits, '-' and '.'", implementation.sourceLocation)
    }
    let known = Set(clauses.flatMap { $0.requires + [$0.absenceOf].compactMap(\.self) })
    var lacking: Set<Capability> = []
    for lack in implementation.lacks {
      if !known.contains(where: { $0.needs(lack.capability) }) {
        add(
          "\(id): '\(implementation.id)' lacks '\(lack.capability.id)', which no clause asks for; "
            + "remove it, or name one of \(list(known.map(\.id)))", implementation.sourceLocation)
      }
      if !lacking.insert(lack.capability).inserted {
        add(
          "\(id): '\(implementation.id)' lacks '\(lack.capability.id)' twice; remove one",
          implementation.sourceLocation)
      }
    }
    var deviating: Set<String> = []
    for deviation in implementation.deviations {
      guard let clause = clauses.first(where: { $0.id == deviation.clause }) else {
        add(
          "\(id): '\(implementation.id)' deviates from '\(deviation.clause)', which is no clause"
            + "\(suggestion(for: deviation.clause)); remove .deviating(from: "
            + "\"\(deviation.clause)\") at \(deviation.place)", deviation.sourceLocation)
        continue
      }
      guard deviation.platforms.contains(.current) else { continue }
      if !deviating.insert(deviation.clause).inserted {
        add(
          "\(id): '\(implementation.id)' deviates from '\(deviation.clause)' twice on this "
            + "platform; remove .deviating(from: \"\(deviation.clause)\") at \(deviation.place)",
          deviation.sourceLocation)
      }
      if implementation.inapplicability(of: clause) != nil {
        add(
          "\(id): '\(implementation.id)' deviates from '\(deviation.clause)', which does not apply "
            + "to it; remove .deviating(from: \"\(deviation.clause)\") at \(deviation.place)",
          deviation.sourceLocation)
      }
    }
    return problems
  }

  /// The mistakes in the saboteurs.
  var saboteurProblems: [DeclarationProblem] {
    var problems: [DeclarationProblem] = []
    func add(_ message: String, _ place: SourceLocation) {
      problems.append(DeclarationProblem(message: message, sourceLocation: place))
    }
    var seen: Set<String> = []
    for saboteur in brokenImplementations {
      if !isValidID(saboteur.id) {
        add(
          "\(id): '\(saboteur.id)' can't be a saboteur's id: use lower-case letters, digits, '-' "
            + "and '.'", saboteur.sourceLocation)
      }
      if !seen.insert(saboteur.id).inserted {
        add(
          "\(id): two saboteurs are called '\(saboteur.id)'; rename one", saboteur.sourceLocation)
      }
      if saboteur.clauses.isEmpty {
        add(
          "\(id): the saboteur '\(saboteur.id)' names no clause that must catch it; name one in "
            + "caughtBy:", saboteur.sourceLocation)
      }
      for clause in saboteur.clauses where !clauses.contains(where: { $0.id == clause }) {
        add(
          "\(id): the saboteur '\(saboteur.id)' is to be caught by '\(clause)', which is no clause"
            + "\(suggestion(for: clause)); correct it", saboteur.sourceLocation)
      }
    }
    let named = Set(brokenImplementations.flatMap(\.clauses))
    for clause in clauses where !named.contains(clause.id) {
      add(
        "\(id): nothing shows that the clause '\(clause.id)' can fail; add a saboteur that it "
          + "catches: Saboteur(\"…\", caughtBy: \"\(clause.id)\") { … }", clause.sourceLocation)
    }
    return problems
  }

  private func absence(of capability: Capability) -> Clause<Fixture>? {
    clauses.first { $0.absenceOf == capability }
  }

  /// ' (did you mean …?)' for the clause whose id is nearest, where one is near.
  private func suggestion(for id: String) -> String {
    let nearest = clauses.map { ($0.id, editDistance($0.id, id)) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= max(2, id.count / 3) else { return "" }
    return " (did you mean '\(nearest.0)'?)"
  }

  private func list(_ ids: [String]) -> String {
    ids.isEmpty ? "none, as the contract has no capabilities" : ids.sorted().joined(separator: ", ")
  }
}

/// Levenshtein's distance: how many single-character edits lead from one word to the other.
private func editDistance(_ a: String, _ b: String) -> Int {
  let b = Array(b)
  var row = Array(0...b.count)
  for (i, character) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for j in b.indices {
      let substitution = diagonal + (character == b[j] ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
    }
  }
  return row[b.count]
}
