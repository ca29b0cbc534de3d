/// How many mutants the contracts notice.
package struct MutationScore: Hashable, Sendable {
  /// Mutants that a case noticed.
  package private(set) var detected = 0
  /// Mutants that cases reach and none noticed.
  package private(set) var survived = 0
  /// Mutants that no case reaches.
  package private(set) var unreached = 0
  /// Mutants that do not compile. They count for nothing.
  package private(set) var unviable = 0

  /// Counts verdicts.
  package init(_ verdicts: some Sequence<MutantVerdict>) {
    for verdict in verdicts {
      switch verdict.status {
      case .killed, .crashed, .looped, .timedOut: detected += 1
      case .survived: survived += 1
      case .unreached: unreached += 1
      case .unviable: unviable += 1
      }
    }
  }

  /// The mutants that count.
  package var total: Int { detected + survived + unreached }

  /// The part of all mutants that was noticed, from 0 to 1, or `nil` if there are none.
  package var value: Double? { total == 0 ? nil : Double(detected) / Double(total) }

  /// The part of the reached mutants that was noticed, from 0 to 1, or `nil` if none was reached.
  package var ofReached: Double? {
    let reached = detected + survived
    return reached == 0 ? nil : Double(detected) / Double(reached)
  }
}
