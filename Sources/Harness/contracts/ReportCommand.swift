import CommandLineSupport
import ContractEvidence
import ContractReports
import Foundation

/// `contracts report`: shows the matrix of one or several journals.
struct ReportCommand {
  private var journals: [String]
  private var base: String?
  private var format = ReportFormat.terminal
  private var output: String?
  private var showsAll: Bool

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments, options: ["format", "output", "base"], flags: ["all"])
    journals = arguments.operands
    output = arguments["output"]
    base = arguments["base"]
    showsAll = arguments.flags.contains("all")
    if let name = arguments["format"] {
      guard let format = ReportFormat(rawValue: name) else {
        throw UsageError(
          "--format '\(name)' is not valid; give one of "
            + ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
      }
      self.format = format
    }
  }

  func run() throws -> Int32 {
    let matrix = try Contracts.matrix(of: journals)
    let changes = try base.map { base in
      MatrixDifference(from: try Contracts.matrix(of: [base]), to: matrix)
    }
    let text = format.text(
      of: matrix, usesColour: output == nil && Output.settings.usesColour,
      width: output == nil ? Output.settings.width : TerminalReport.width,
      root: FileManager.default.currentDirectoryPath, showsAll: showsAll, changes: changes)
    if let output {
      try Output.put(text, into: output)
    } else {
      try Output.print(text)
    }
    return 0
  }
}
