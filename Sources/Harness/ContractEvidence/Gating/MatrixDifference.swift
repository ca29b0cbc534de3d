/// What changed from one matrix to another.
public struct MatrixDifference: Hashable, Sendable {
  /// Cases that fail now and did not before.
  public var newlyFailing: [CaseID] = []
  /// Cases that failed before and do not now.
  public var newlyPassing: [CaseID] = []
  /// Clauses, as `contract/clause`, that a live implementation proved before and none proves now.
  public var newlyUnproven: [String] = []
  /// Clauses that were there before and are not now, dropped by the adopter included, and
  /// implementations, as `contract@implementation`, that were.
  public var dropped: [String] = []
  /// Clauses that were not there before.
  public var added: [String] = []

  /// Compares two matrices.
  ///
  /// - Parameters:
  ///   - base: What was known before.
  ///   - head: What is known now.
  public init(from base: Matrix, to head: Matrix) {
    let before = Self.outcomes(of: base)
    let after = Self.outcomes(of: head)
    for (id, outcome) in after {
      let wasFailure = before[id]?.isFailure ?? false
      if outcome.isFailure, !wasFailure { newlyFailing.append(id) }
      if outcome == .passed, wasFailure { newlyPassing.append(id) }
    }
    let rowsBefore = Self.rows(of: base)
    let rowsAfter = Self.rows(of: head)
    for (clause, row) in rowsBefore {
      guard let now = rowsAfter[clause] else {
        dropped.append(clause)
        continue
      }
      if row.isProven, now.verdict == nil || now.verdict == .unproven {
        newlyUnproven.append(clause)
      }
    }
    added = rowsAfter.keys.filter { rowsBefore[$0] == nil }
    let columnsAfter = Self.columns(of: head)
    for (contract, implementations) in Self.columns(of: base) {
      // Where the contract is gone, so is each of its clauses, and that is said already.
      guard let now = columnsAfter[contract] else { continue }
      dropped += implementations.subtracting(now).map { "\(contract)@\($0)" }
    }
    added.sort()
    newlyFailing.sort()
    newlyPassing.sort()
    newlyUnproven.sort()
    dropped.sort()
  }

  /// The exit status that tells what got worse: 1 for newly failing, 2 for newly unproven, 4 for
  /// dropped clauses, and their sum where several did; 0 where nothing got worse.
  public var exitStatus: Int32 {
    (newlyFailing.isEmpty ? 0 : 1) + (newlyUnproven.isEmpty ? 0 : 2) + (dropped.isEmpty ? 0 : 4)
  }

  /// The difference in words, each kind of change apart.
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
    /// Whether a live implementation held the clause, as the contract was then.
    var isProven: Bool
  }

  /// The clauses that are not dropped, by `contract/clause`.
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

  /// The implementations of each contract.
  private static func columns(of matrix: Matrix) -> [String: Set<String>] {
    Dictionary(
      matrix.tables.map { ($0.contract.id, Set($0.implementations.map(\.id))) },
      uniquingKeysWith: { $0.union($1) })
  }
}
