import ContractEvidence
import Foundation

/// `contracts report`: the matrix of journals in one of several forms.
struct ReportCommand {
  private var journals: [String]
  private var format = ReportFormat.terminal
  private var output: String?

  init(_ words: [String]) throws(UsageError) {
    let arguments = try Arguments(words, options: ["format", "output"])
    journals = arguments.operands
    output = arguments["output"]
    if let name = arguments["format"] {
      guard let format = ReportFormat(rawValue: name) else {
        throw UsageError(
          "--format '\(name)' is not known: give one of "
            + ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
      }
      self.format = format
    }
  }

  func run() throws -> Int32 {
    let matrix = try Contracts.matrix(of: journals)
    let text = format.text(
      of: matrix, usesColour: output == nil && Output.usesColour,
      root: FileManager.default.currentDirectoryPath)
    if let output {
      try Output.put(text, into: output)
    } else {
      try Output.print(text)
    }
    return 0
  }
}
