public import ContractEvidence

/// The changes between two matrices.
///
/// Names are `contract/clause@implementation`. If an implementation ran on several platforms, each
/// is compared with itself, and its name follows: `contract/clause@implementation (macos)`.
public struct MatrixDifference: Equatable, Sendable {
  /// Cases that fail in the second matrix and not in the first.
  public var newlyFailing: [String] = []
  /// Cases that failed in the first matrix and pass in the second.
  public var newlyPassing: [String] = []
  /// Clauses, as `contract/clause`, that held on a live implementation in the first matrix, and that are
  /// unproven in the second.
  public var newlyUnproven: [String] = []
  /// Clauses and implementations (`contract@implementation`) that only the first matrix contains.
  /// Clauses that the adopter left out count as not contained.
  public var dropped: [String] = []
  /// Clauses that only the second matrix contains.
  public var added: [String] = []
  /// The declared deviations that are new, gone or changed.
  public var deviations: [DeviationChange] = []

  /// A change of a declared deviation.
  public struct DeviationChange: Equatable, Sendable {
    /// The kinds of change.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      case new
      case gone
      case changed
    }

    /// Whether the deviation is new, gone or changed.
    public var kind: Kind
    /// The contract's id.
    public var contract: String
    /// The clause's id.
    public var clause: String
    /// The implementation's id, with the platform if it ran on several.
    public var implementation: String
    /// The deviation; if it changed, as it is now.
    public var deviation: DeviationSummary
    /// What a deviation that changed was before.
    public var before: DeviationSummary?

    /// The case: `contract/clause@implementation`.
    public var name: String { "\(contract)/\(clause)@\(implementation)" }

    /// The deviation in words; if it changed, as it was and as it is.
    public var detail: String {
      let now = Self.text(deviation)
      return before.map { "was \(Self.text($0)), is \(now)" } ?? now
    }

    /// The change in words, without the case.
    public var sentence: String {
      switch kind {
      case .new: "new deviation: \(detail)"
      case .gone: "the deviation is gone: \(detail)"
      case .changed: "the deviation changed: \(detail)"
      }
    }

    private static func text(_ deviation: DeviationSummary) -> String {
      var words = [deviation.kind]
      if deviation.isIntermittent { words.append("intermittent") }
      if let until = deviation.until { words.append("until \(until)") }
      let link = deviation.link.map { " (\($0))" } ?? ""
      return "\(words.joined(separator: ", ")): \(deviation.reason)\(link)"
    }
  }

  /// Compares two matrices.
  ///
  /// - Parameters:
  ///   - base: The earlier matrix.
  ///   - head: The later matrix.
  public init(from base: Matrix, to head: Matrix) {
    compareRows(Self.rows(of: base), Self.rows(of: head))
    compareColumns(ColumnContents.all(of: base), ColumnContents.all(of: head))
    newlyFailing.sort()
    newlyPassing.sort()
    newlyUnproven.sort()
    dropped.sort()
    added.sort()
    deviations.sort { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) }
  }

  private mutating func compareRows(_ base: [String: Row], _ head: [String: Row]) {
    for (clause, row) in base {
      guard let now = head[clause] else {
        dropped.append(clause)
        continue
      }
      if row.hasLiveEvidence, now.verdict == nil || now.verdict == .unproven {
        newlyUnproven.append(clause)
      }
    }
    added = head.keys.filter { base[$0] == nil }
  }

  private mutating func compareColumns(
    _ base: [ColumnContents.Key: [String: ColumnContents]],
    _ head: [ColumnContents.Key: [String: ColumnContents]]
  ) {
    let contracts = Set(head.keys.map(\.contract))
    for (key, platforms) in base {
      // If the whole contract is gone, its clauses are listed already.
      guard contracts.contains(key.contract) else { continue }
      guard let now = head[key] else {
        dropped.append("\(key.contract)@\(key.implementation)")
        continue
      }
      guard !Set(platforms.keys).isDisjoint(with: now.keys) else { continue }
      for platform in platforms.keys where now[platform] == nil {
        dropped.append("\(key.contract)@\(key.implementation) (\(platform))")
      }
    }
    for (key, platforms) in head {
      let before = base[key] ?? [:]
      let isSplit = Set(platforms.keys).union(before.keys).count > 1
      // A matrix of one system can be compared with that of another.
      let isMoved = Set(platforms.keys).isDisjoint(with: before.keys)
      for (platform, contents) in platforms {
        let old = isMoved ? before.values.first : before[platform]
        compare(old, contents, key, suffix: isSplit ? " (\(platform))" : "")
      }
    }
  }

  private mutating func compare(
    _ base: ColumnContents?, _ head: ColumnContents, _ key: ColumnContents.Key, suffix: String
  ) {
    for (id, outcome) in head.outcomes {
      let wasFailure = base?.outcomes[id]?.isFailure ?? false
      if outcome.isFailure, !wasFailure { newlyFailing.append("\(id)\(suffix)") }
      if outcome.holds, wasFailure { newlyPassing.append("\(id)\(suffix)") }
    }
    func add(
      _ kind: DeviationChange.Kind, _ deviation: DeviationSummary, _ before: DeviationSummary? = nil
    ) {
      deviations.append(
        DeviationChange(
          kind: kind, contract: key.contract, clause: deviation.clause,
          implementation: key.implementation + suffix, deviation: deviation, before: before))
    }
    let before = base?.deviations ?? [:]
    for (clause, deviation) in head.deviations {
      guard let old = before[clause] else {
        add(.new, deviation)
        continue
      }
      if old != deviation { add(.changed, deviation, old) }
    }
    for (clause, deviation) in before where head.deviations[clause] == nil { add(.gone, deviation) }
  }

  /// The exit status of `contracts diff`: the sum of 1 for newly failing cases, 2 for newly unproven
  /// clauses, 4 for dropped ones and 8 for new deviations, or 0.
  public var exitStatus: Int32 {
    (newlyFailing.isEmpty ? 0 : 1) + (newlyUnproven.isEmpty ? 0 : 2) + (dropped.isEmpty ? 0 : 4)
      + (deviations.contains { $0.kind == .new } ? 8 : 0)
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { sections.isEmpty }

  /// An entry of a list of changes.
  package typealias Entry = (name: String, detail: String?)

  /// The changes by kind, without empty kinds.
  package var sections: [(title: String, entries: [Entry])] {
    func entries(_ names: [String]) -> [Entry] { names.map { ($0, nil) } }
    func entries(_ kind: DeviationChange.Kind) -> [Entry] {
      deviations.filter { $0.kind == kind }.map { ($0.name, $0.detail) }
    }
    return [
      ("newly failing", entries(newlyFailing)), ("newly unproven", entries(newlyUnproven)),
      ("dropped", entries(dropped)), ("new deviations", entries(.new)),
      ("changed deviations", entries(.changed)), ("deviations gone", entries(.gone)),
      ("newly passing", entries(newlyPassing)), ("added", entries(added)),
    ].filter { !$0.1.isEmpty }
  }

  /// The changes as text, grouped by kind, newline-terminated.
  public var text: String {
    var lines: [String] = []
    for (title, entries) in sections {
      lines.append("\(title) (\(entries.count)):")
      lines += entries.map { entry in
        "  \(entry.name)" + (entry.detail.map { " \($0)" } ?? "")
      }
    }
    if lines.isEmpty { lines.append("no difference") }
    return lines.map { $0.printable.replacing("\n", with: " ").inert + "\n" }.joined()
  }

  private struct Row {
    var verdict: Verdict?
    /// Whether the clause holds on a live implementation, for the current revision.
    var hasLiveEvidence: Bool
  }

  /// The clauses that were not left out, by `contract/clause`.
  private static func rows(of matrix: Matrix) -> [String: Row] {
    var rows: [String: Row] = [:]
    for table in matrix.tables {
      for row in table.rows where table.contract.dropped[row.clause.id] == nil {
        let hasLiveEvidence = zip(table.columns, row.cells).contains { column, cell in
          column.implementation.kind == .live && cell?.isCurrent == true
            && cell?.result.outcome.holds == true
        }
        rows["\(table.contract.id)/\(row.clause.id)"] = Row(
          verdict: row.verdict, hasLiveEvidence: hasLiveEvidence)
      }
    }
    return rows
  }
}

/// What an implementation showed and declared on one platform.
private struct ColumnContents {
  var outcomes: [CaseID: Outcome]
  /// The deviations by clause.
  var deviations: [String: DeviationSummary]

  struct Key: Hashable {
    var contract: String
    var implementation: String
  }

  /// The contents of every column of a matrix by platform.
  static func all(of matrix: Matrix) -> [Key: [String: ColumnContents]] {
    var all: [Key: [String: ColumnContents]] = [:]
    for table in matrix.tables {
      for (index, column) in table.columns.enumerated() {
        let results = table.rows.compactMap { $0.cells[index]?.result }
        let contents = ColumnContents(
          outcomes: Dictionary(
            results.map { ($0.id, $0.outcome) }, uniquingKeysWith: { $1 }),
          deviations: Dictionary(
            column.implementation.deviations.map { ($0.clause, $0) }, uniquingKeysWith: { $1 }))
        let key = Key(contract: table.contract.id, implementation: column.implementation.id)
        for platform in column.platforms { all[key, default: [:]][platform] = contents }
      }
    }
    return all
  }
}
