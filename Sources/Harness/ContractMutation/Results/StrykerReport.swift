import Foundation

/// The results in the format that Stryker's report viewers read.
///
/// Source: mutation-testing-report-schema, version 2
/// (github.com/stryker-mutator/mutation-testing-elements).
struct StrykerReport: Codable {
  var schemaVersion = "2"
  var thresholds = Thresholds()
  var projectRoot: String
  var files: [String: File] = [:]
  var testFiles: [String: TestFile] = [:]

  struct Thresholds: Codable {
    var high = 95
    var low = 80
  }

  struct File: Codable {
    var language = "swift"
    var source: String
    var mutants: [Entry] = []
  }

  struct Entry: Codable {
    var id: String
    var mutatorName: String
    var replacement: String
    var location: Location
    var status: String
    var statusReason: String?
    var killedBy: [String]?
    var coveredBy: [String]?
  }

  struct Location: Codable {
    var start: Mutant.Position
    var end: Mutant.Position
  }

  struct TestFile: Codable {
    var tests: [TestCase]
  }

  struct TestCase: Codable {
    var id: String
    var name: String
  }

  init(of journal: MutationJournal, root: String) {
    projectRoot = root
    let sources = SourceFiles(root: root)
    for result in journal.results.values.sorted(by: { $0.mutant.id < $1.mutant.id }) {
      let file = result.mutant.file
      if files[file] == nil {
        let source = sources.source(file)?.text ?? ""
        files[file] = File(source: source)
      }
      files[file]?.mutants.append(Entry(result))
    }
    let tests = (journal.run?.cases ?? []).map { TestCase(id: $0, name: $0) }
    if !tests.isEmpty { testFiles["contracts"] = TestFile(tests: tests) }
  }
}

extension StrykerReport.Entry {
  init(_ result: MutationJournal.Result) {
    id = result.mutant.id
    mutatorName = result.mutant.operator.rawValue
    replacement = result.mutant.replacement
    location = StrykerReport.Location(start: result.mutant.start, end: result.mutant.end)
    status =
      switch result.verdict.status {
      case .killed: "Killed"
      case .crashed: "Killed"
      case .looped, .timedOut: "Timeout"
      case .survived: "Survived"
      case .unreached: "NoCoverage"
      case .unviable: "CompileError"
      }
    statusReason = result.verdict.message
    killedBy = result.verdict.killer.map { [$0] }
    coveredBy = result.verdict.reachedBy.isEmpty ? nil : result.verdict.reachedBy
  }
}

/// The formats of mutation results.
package enum MutationReportFormat: String, CaseIterable, Sendable {
  case terminal, markdown, html, stryker

  /// The text of a report.
  ///
  /// - Parameter root: The package's folder.
  package func text(of journal: MutationJournal, root: String) -> String {
    switch self {
    case .terminal: return MutationReport(of: journal, root: root).text
    case .markdown: return MutationReport(of: journal, root: root).markdown
    case .html: return MutationHTMLReport(of: journal, root: root).text
    case .stryker:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let report = StrykerReport(of: journal, root: root)
      // The types hold only strings and integers, which can always be encoded.
      return (try? encoder.encode(report)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }
  }
}
