import ContractEvidence
import ContractReports
import Foundation
import SystemProcesses
import Testing

/// The result of a test process that ran one of the ``Specimens``.
struct SpecimenRun {
  /// The program that has the specimens: beside this one.
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "harness-specimens").path

  /// The filter for a specimen or a test function of ``Specimens``.
  static func filter(_ name: String) -> String {
    "harness_specimens\\.Specimens/(cases|\(name))\\("
  }

  /// The process's exit status, or the negative number of the signal that ended it.
  var status: Int32

  /// What it printed.
  var output: String

  /// Its journal.
  var journal: Journal

  /// The matrix of the journal.
  var matrix: Matrix { Matrix(journal.records) }

  /// Runs a specimen.
  ///
  /// - Parameters:
  ///   - name: The name of a specimen or of a test function of ``Specimens``, or several joined by `|`.
  ///   - environment: Variables to add.
  ///   - arguments: Further arguments of the test program.
  ///   - journals: The folder of the journals; by default one for this run.
  init(
    _ name: String, environment: [String: String] = [:], arguments: [String] = [],
    in journals: URL? = nil
  ) async throws {
    let folder =
      journals
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("specimen-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { if journals == nil { try? FileManager.default.removeItem(at: folder) } }
    var variables = ProcessInfo.processInfo.environment
    for key in variables.keys where key.hasPrefix("CONTRACT") { variables[key] = nil }
    variables["CONTRACT_SPECIMEN"] = "1"
    variables["SPECIMENS"] = name
    variables["CONTRACT_JOURNAL_FOLDER"] = folder.path
    variables["SWIFT_BACKTRACE"] = "enable=no"
    variables["NO_COLOR"] = "1"
    let run = try await ProgramRun(
      [Self.program, "--testing-library", "swift-testing", "--filter", Self.filter(name)]
        + arguments,
      environment: variables.merging(environment) { $1 })
    status = run.status
    output = run.text
    let latest = folder.appendingPathComponent("latest.jsonl")
    journal =
      FileManager.default.fileExists(atPath: latest.path)
      ? try Journal(contentsOf: latest.path) : Journal()
  }

  /// The result of one case, in the form `counter/adds@sound`.
  func result(_ id: String) -> CaseResult? {
    matrix.results.first { $0.id.description == id }
  }

  /// The outcome of one case.
  func outcome(_ id: String) -> Outcome? { result(id)?.outcome }
}
