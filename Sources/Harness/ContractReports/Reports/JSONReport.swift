public import ContractEvidence
import Foundation

/// A matrix as JSON according to `Schemas/report.schema.json`.
public struct JSONReport: Sendable {
  /// The version of the format.
  public static let formatVersion = 1

  /// The matrix.
  public var matrix: Matrix

  /// Creates a report.
  public init(_ matrix: Matrix) { self.matrix = matrix }

  /// The report, newline-terminated, with sorted keys.
  public var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // An object of strings, numbers and arrays of these; the numbers of a journal are finite.
    guard let data = try? encoder.encode(Report(matrix)) else { return "" }
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private struct Report: Encodable {
    var version = JSONReport.formatVersion
    var isFailure: Bool
    var summary: Summary
    var problems: [String]
    var contracts: [Contract]

    init(_ matrix: Matrix) {
      isFailure = matrix.isFailure
      let summary = matrix.summary
      self.summary = Summary(
        cases: summary.cases, outcomes: summary.outcomes,
        verdicts: Dictionary(
          summary.verdicts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +),
        saboteursCaught: summary.caught, saboteursEscaped: summary.escaped)
      problems = matrix.problems
      contracts = matrix.tables.map(Contract.init)
    }
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
    var provenClauses: Int
    var unprovenClauses: [String]

    init(_ table: Matrix.Table) {
      id = table.contract.id
      title = table.contract.title
      revision = table.contract.revision
      digest = table.contract.digest
      implementations = table.implementations.map {
        Implementation(
          id: $0.id, kind: $0.kind.rawValue, lacks: $0.lacks, deviations: $0.deviations)
      }
      clauses = table.rows.map { row in
        Clause(
          id: row.clause.id, sentence: row.clause.sentence, source: row.clause.source,
          group: row.clause.group, verdict: row.verdict?.rawValue,
          dropped: table.contract.dropped[row.clause.id],
          results: row.cells.compactMap { $0.map(Result.init) })
      }
      // The message for a saboteur that was caught may differ from run to run.
      saboteurs = table.saboteurs.map { result in
        var result = result
        if result.isCaught { result.message = "" }
        return result
      }
      isOwn = table.contract.isOwn
      strength = table.strength
      provenClauses = table.provenClauses
      unprovenClauses = table.contract.unproven
    }
  }

  private struct Implementation: Encodable {
    var id: String
    var kind: String
    var lacks: [String: String]
    var deviations: [DeviationSummary]
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
    var outcome: String
    var reason: String?
    var seconds: Double
    var isCurrent: Bool
    var issues: [IssueSummary]

    init(_ cell: Matrix.Cell) {
      implementation = cell.result.id.implementation
      outcome = cell.result.outcome.name
      reason = cell.result.outcome.reason
      seconds = cell.result.seconds
      isCurrent = cell.isCurrent
      issues = cell.result.failureIssues
    }
  }
}
