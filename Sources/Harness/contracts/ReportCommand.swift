import CommandLineSupport
import ContractReports
import ContractScaffold
import Foundation

/// `contracts report`: shows the matrix of one or several journals.
struct ReportCommand {
  private var journals: [String]
  private var base: String?
  private var format = ReportFormat.terminal
  private var output: String?
  private var showsAll: Bool
  private var requirements: [String]
  private var profile: String?

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments, options: ["format", "output", "base", "requirements", "profile"], flags: ["all"])
    journals = arguments.operands
    output = arguments["output"]
    base = arguments["base"]
    showsAll = arguments.flags.contains("all")
    requirements = arguments.list("requirements")
    profile = arguments["profile"]
    if profile != nil, requirements.isEmpty {
      throw UsageError("--profile needs --requirements PROTOCOL")
    }
    if let name = arguments["format"] {
      guard let format = ReportFormat(rawValue: name) else {
        throw UsageError(
          "--format '\(name)' is not valid; give one of "
            + ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
      }
      self.format = format
    }
    guard requirements.isEmpty || [.terminal, .markdown].contains(format) else {
      throw UsageError("--requirements needs --format terminal or markdown")
    }
  }

  func run() throws -> Int32 {
    let matrix = try Contracts.matrix(of: journals)
    let changes = try base.map { base in
      MatrixDifference(from: try Contracts.matrix(of: [base]), to: matrix)
    }
    let section: String
    do throws(ScaffoldError) {
      section = try requirementsSection()
    } catch {
      Contracts.program.printError(error.description)
      return 65
    }
    let text =
      format.text(
        of: matrix, usesColour: output == nil && Output.usesColour,
        root: FileManager.default.currentDirectoryPath, showsAll: showsAll, changes: changes)
      + section
    if let output {
      try Output.put(text, into: output)
    } else {
      try Output.print(text)
    }
    return 0
  }

  /// What the last run with coverage executed of the protocols, or nothing if none is named.
  private func requirementsSection() throws(ScaffoldError) -> String {
    if requirements.isEmpty { return "" }
    let text = try CoverageCommand.coverage(of: requirements, profile: profile).map(\.text).joined()
    return format == .markdown
      ? "\n### Requirements\n\n```text\n\(text)```\n" : "\nrequirements:\n\(text)"
  }
}
