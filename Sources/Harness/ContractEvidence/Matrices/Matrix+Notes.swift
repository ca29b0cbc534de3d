extension Matrix.Table {
  /// Why some clauses of one implementation did not simply hold, for one reason.
  public struct Note: Hashable, Sendable {
    /// The implementation's id.
    public var implementation: String
    /// An outcome with that reason.
    public var outcome: Outcome
    /// What the deviation is (`bug`, `unsupported`, `planned`), where it is one.
    public var kind: String?
    /// Where the bug is tracked, where it is.
    public var link: String?
    /// The clauses' ids, in the contract's order.
    public var clauses: [String]
  }

  /// The reasons of deviations, of clauses that do not apply and of unavailable cases, grouped.
  public var notes: [Note] {
    implementations.enumerated().flatMap { index, implementation in
      var notes: [Note] = []
      for row in rows {
        guard let outcome = row.cells[index]?.result.outcome, !outcome.isFailure,
          outcome.reason != nil
        else { continue }
        // That an implementation has a capability is no news.
        if case .notApplicable = outcome, row.clause.absenceOf != nil { continue }
        let deviation = implementation.deviations.first { deviation in
          if case .deviates = outcome { deviation.clause == row.clause.id } else { false }
        }
        let note = Note(
          implementation: implementation.id, outcome: outcome, kind: deviation?.kind,
          link: deviation?.link, clauses: [])
        let isKnown = { (other: Note) in
          other.outcome == note.outcome && other.kind == note.kind && other.link == note.link
        }
        if let known = notes.firstIndex(where: isKnown) {
          notes[known].clauses.append(row.clause.id)
        } else {
          notes.append(note)
          notes[notes.count - 1].clauses = [row.clause.id]
        }
      }
      return notes
    }
  }

  /// The clauses of one implementation that ran on another revision of the contract alone.
  public struct Outdated: Hashable, Sendable {
    /// The implementation's id.
    public var implementation: String
    /// The clauses' ids, in the contract's order.
    public var clauses: [String]

    /// What to say of them.
    public var sentence: String {
      "\(implementation) was run on another revision of the contract: "
        + clauses.joined(separator: ", ")
    }
  }

  /// What is no evidence about the contract as it is now.
  public var outdated: [Outdated] {
    implementations.enumerated().compactMap { index, implementation in
      let clauses = rows.filter { $0.cells[index]?.isCurrent == false }.map(\.clause.id)
      return clauses.isEmpty
        ? nil : Outdated(implementation: implementation.id, clauses: clauses)
    }
  }

  /// How many of the contract's clauses a saboteur was seen to fail.
  public var provenClauses: Int { Set(saboteurs.filter(\.isCaught).map(\.clause)).count }
}
