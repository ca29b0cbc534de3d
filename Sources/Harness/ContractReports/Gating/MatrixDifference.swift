public import ContractEvidence

/// The changes between two matrices.
public struct MatrixDifference: Hashable, Sendable {
  /// Cases that fail in the second matrix and not in the first.
  public var newlyFailing: [CaseID] = []
  /// Cases that failed in the first matrix and pass in the second.
  public var newlyPassing: [CaseID] = []
  /// Clauses, as `contract/clause`, that a live implementation proved in the first matrix and none
  /// proves in the second.
  public var newlyUnproven: [String] = []
  /// Clauses and implementations (`contract@implementation`) that only the first matrix contains.
  /// Clauses that the adopter left out count as not contained.
  public var dropped: [String] = []
  /// Clauses that only the second matrix contains.
  public var added: [String] = []

  /// Compares two matrices.
  ///
  /// - Parameters:
  ///   - base: The earlier matrix.
  ///   - head: The later matrix.
  public init(from base: Matrix, to head: Matrix) {
    compareOutcomes(Self.outcomes(of: base), Self.outcomes(of: head))
    compareRows(Self.rows(of: base), Self.rows(of: head))
    compareColumns(Self.columns(of: base), Self.columns(of: head))
    added.sort()
    newlyFailing.sort()
    newlyPassing.sort()
    newlyUnproven.sort()
    dropped.sort()
  }

  private mutating func compareOutcomes(_ base: [CaseID: Outcome], _ head: [CaseID: Outcome]) {
    for (id, outcome) in head {
      let wasFailure = base[id]?.isFailure ?? false
      if outcome.isFailure, !wasFailure { newlyFailing.append(id) }
      if outcome == .passed, wasFailure { newlyPassing.append(id) }
    }
  }

  private mutating func compareRows(_ base: [String: Row], _ head: [String: Row]) {
    for (clause, row) in base {
      guard let now = head[clause] else {
        dropped.append(clause)
        continue
      }
      if row.isProven, now.verdict == nil || now.verdict == .unproven {
        newlyUnproven.append(clause)
      }
    }
    added = head.keys.filter { base[$0] == nil }
  }

  private mutating func compareColumns(_ base: [String: Set<String>], _ head: [String: Set<String>])
  {
    for (contract, implementations) in base {
      // If the whole contract is gone, its clauses are listed already.
      guard let now = head[contract] else { continue }
      dropped += implementations.subtracting(now).map { "\(contract)@\($0)" }
    }
  }

  /// The exit status of `contracts diff`: the sum of 1 for newly failing cases, 2 for newly unproven
  /// clauses and 4 for dropped ones, or 0.
  public var exitStatus: Int32 {
    (newlyFailing.isEmpty ? 0 : 1) + (newlyUnproven.isEmpty ? 0 : 2) + (dropped.isEmpty ? 0 : 4)
  }

  /// The changes as text, grouped by kind, newline-terminated.
  public var text: String {
    var lines: [String] = []
    func list(_ title: String, _ ids: [String]) {
      guard !ids.isEmpty else { return }
      lines.append("\(title) (\(ids.count)):")
      lines += ids.map { "  \($0)" }
    }
    list("newly failing", newlyFailing.map(\.description))
    list("newly unproven", newlyUnproven)
    list("dropped", dropped)
    list("newly passing", newlyPassing.map(\.description))
    list("added", added)
    if lines.isEmpty { lines.append("no difference") }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func outcomes(of matrix: Matrix) -> [CaseID: Outcome] {
    Dictionary(matrix.results.map { ($0.id, $0.outcome) }, uniquingKeysWith: { $1 })
  }

  private struct Row {
    var verdict: Verdict?
    /// Whether the clause holds on a live implementation, for the current revision.
    var isProven: Bool
  }

  /// The clauses that were not left out, by `contract/clause`.
  private static func rows(of matrix: Matrix) -> [String: Row] {
    var rows: [String: Row] = [:]
    for table in matrix.tables {
      for row in table.rows where table.contract.dropped[row.clause.id] == nil {
        let isProven = zip(table.implementations, row.cells).contains { implementation, cell in
          implementation.kind == .live && cell?.isCurrent == true
            && cell?.result.outcome == .passed
        }
        rows["\(table.contract.id)/\(row.clause.id)"] = Row(
          verdict: row.verdict, isProven: isProven)
      }
    }
    return rows
  }

  /// The ids of each contract's implementations.
  private static func columns(of matrix: Matrix) -> [String: Set<String>] {
    Dictionary(
      matrix.tables.map { ($0.contract.id, Set($0.implementations.map(\.id))) },
      uniquingKeysWith: { $0.union($1) })
  }
}
