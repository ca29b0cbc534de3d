public import ContractEvidence
import Foundation

/// A matrix as JSON according to `Schemas/report.schema.json`.
public struct JSONReport: Sendable {
  /// The version of the format.
  public static let formatVersion = 2

  /// The matrix.
  public var matrix: Matrix

  /// The changes from an earlier matrix, if there is one.
  public var changes: MatrixDifference?

  /// Creates a report.
  public init(_ matrix: Matrix, changes: MatrixDifference? = nil) {
    self.matrix = matrix
    self.changes = changes
  }

  /// The report, newline-terminated, with sorted keys.
  public var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // An object of strings, numbers and arrays of these; the numbers of a journal are finite.
    guard let data = try? encoder.encode(Report(matrix, changes)) else { return "" }
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private struct Report: Encodable {
    var version = JSONReport.formatVersion
    var isFailure: Bool
    var summary: Summary
    var problems: [String]
    var contracts: [Contract]
    /// Names by kind of change; absent without an earlier matrix.
    var changes: [String: [Change]]?

    init(_ matrix: Matrix, _ changes: MatrixDifference?) {
      isFailure = matrix.isFailure
      let summary = matrix.summary
      self.summary = Summary(
        cases: summary.cases, outcomes: summary.outcomes,
        verdicts: Dictionary(
          summary.verdicts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +),
        saboteursCaught: summary.caught, saboteursEscaped: summary.escaped)
      problems = matrix.problems
      contracts = matrix.tables.map(Contract.init)
      self.changes = changes.map { changes in
        Dictionary(
          changes.sections.map { kind, changes in
            (kind.rawValue, changes.map { Change(name: $0.name, detail: $0.note) })
          }, uniquingKeysWith: +)
      }
    }
  }

  private struct Change: Encodable {
    var name: String
    var detail: String?
  }

  private struct Run: Encodable {
    var platform: String
    var commit: String?
    var isDirty: Bool?
    var versions: [String: String]
  }

  private struct Summary: Encodable {
    var cases: Int
    var outcomes: [String: Int]
    var verdicts: [String: Int]
    var saboteursCaught: Int
    var saboteursEscaped: Int
  }

  private struct Contract: Encodable {
    var id: String
    var title: String
    var revision: Int
    var digest: String
    var implementations: [Implementation]
    var clauses: [Clause]
    var saboteurs: [SaboteurResult]
    var isOwn: Bool?
    var strength: String
    /// How many clauses caught a saboteur. The names of this and the next field are the format's.
    var provenClauses: Int
    var unprovenClauses: [String]

    init(_ table: Matrix.Table) {
      id = table.contract.id
      title = table.contract.title
      revision = table.contract.revision
      digest = table.contract.digest
      implementations = table.columns.map { column in
        let one = column.implementation
        return Implementation(
          id: one.id, name: column.name, kind: one.kind.rawValue, version: one.version,
          platforms: column.platforms, lacks: one.lacks, deviations: one.deviations,
          runs: column.runs.map {
            Run(
              platform: $0.platform, commit: $0.commit, isDirty: $0.isDirty, versions: $0.versions)
          },
          witness: column.witness.map {
            Witness(
              name: $0.name, kinds: $0.kinds, sampledCases: $0.sampledCases,
              touchingCases: $0.touchingCases)
          })
      }
      clauses = table.rows.map { row in
        Clause(
          id: row.clause.id, sentence: row.clause.sentence, source: row.clause.source,
          group: row.clause.group, verdict: row.verdict?.rawValue,
          dropped: table.contract.dropped[row.clause.id],
          results: zip(table.columns, row.cells).compactMap { column, cell in
            cell.map { Result($0, in: column) }
          })
      }
      // The message for a saboteur that was caught may differ from run to run.
      saboteurs = table.saboteurs.map { result in
        var result = result
        if result.isCaught { result.message = "" }
        return result
      }
      isOwn = table.contract.isOwn
      strength = table.strength
      provenClauses = table.shownClauses
      unprovenClauses = table.contract.clausesWithoutSaboteur
    }
  }

  private struct Implementation: Encodable {
    var id: String
    /// The id, and the platforms if the results differ between them.
    var name: String
    var kind: String
    var version: String?
    var platforms: [String]
    var lacks: [String: String]
    var deviations: [DeviationSummary]
    var runs: [Run]
    var witness: Witness?
  }

  private struct Witness: Encodable {
    var name: String
    var kinds: [WitnessKind]
    var sampledCases: Int
    var touchingCases: Int
  }

  private struct Clause: Encodable {
    var id: String
    var sentence: String
    var source: String?
    var group: String?
    var verdict: String?
    var dropped: String?
    var results: [Result]
  }

  private struct Result: Encodable {
    var implementation: String
    var platforms: [String]
    var outcome: String
    var reason: String?
    var seconds: Double
    var isCurrent: Bool
    /// When an earlier run showed what this result repeats; absent if the case itself ran.
    var issues: [IssueSummary]

    init(_ cell: Matrix.Cell, in column: Matrix.Column) {
      implementation = cell.result.id.implementation
      platforms = column.platforms
      outcome = cell.result.outcome.name
      reason = cell.result.outcome.reason
      seconds = cell.result.seconds
      isCurrent = cell.isCurrent
      issues = cell.result.failureIssues
    }
  }
}
