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
    let isTerminal = output == nil && isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
    let text = format.text(
      of: matrix, usesColour: isTerminal, root: FileManager.default.currentDirectoryPath)
    guard let output else {
      FileHandle.standardOutput.write(Data(text.utf8))
      return 0
    }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
    } catch {
      throw JournalFileError(path: output, action: "write", code: errno)
    }
    return 0
  }
}
