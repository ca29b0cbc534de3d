import ContractEvidence
import Foundation

/// The command-line tool over journals: report, compare, gate, run, and check histories.
@main
struct Contracts {
  static let usage = """
    usage: contracts <command> [options]

      report [JOURNAL…] [--format terminal|markdown|html|junit|json|github] [--output FILE]
          Shows the matrix of one or several journals, merged. Exits with 0, whatever it shows.
      diff BASE HEAD
          Shows what changed from one journal to another. Exits with the sum of 1 (newly failing),
          2 (newly unproven) and 4 (clauses or implementations dropped), or 0.
      gate [JOURNAL…] [--require live] [--max-age 7d] [--allow unproven=PATTERN]
          Exits with 1 unless every fake was verified beside a live implementation, on the contract
          as it is now and recently enough (d, h, m or s).
      run [--only PATTERN] [--kind fake|live|recorded] [--filter REGEX]
          Runs swift test with a progress line and ends with the report. Exits as swift test does:
          0 if all is well, 1 if something fails or does not build, 127 if there is no swift; with
          1 if no case ran, and with 128 and the signal's number where one ended the run.

      linearizable FILE --model MODEL [--initial JSON] [--seconds N] [--megabytes N]
          Checks a recorded history of JSON lines against a model: register, key-value, queue,
          stack, set, counter, lock or cookies. Exits with 0 if it is linearizable, 1 if not, and 2
          if a limit was reached first; a file with a line that is no such history is named line by
          line and exits with 65.

      help, version

    A JOURNAL or FILE is a file of JSON lines, or - for the standard input; the default JOURNAL is
    .build/contracts/latest.jsonl.
    Other exit codes: 64 for a call that is not understood, 65 for a file that holds something
    else, 66 for one that can't be read, 73 for one that can't be written.

    """

  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      exit(try await status(of: words))
    } catch let error as UsageError {
      complain(error.message + "\nrun 'contracts help' for the commands and their options")
      exit(64)
    } catch let error as JournalFileError {
      complain(error.description)
      exit(error.action.hasPrefix("read") ? 66 : 73)
    } catch {
      complain("\(error)")
      exit(70)
    }
  }

  private static func status(of words: [String]) async throws -> Int32 {
    let rest = Array(words.dropFirst())
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      try Output.print(usage)
      return 0
    }
    switch words.first {
    case "report": return try ReportCommand(rest).run()
    case "diff": return try DiffCommand(rest).run()
    case "gate": return try GateCommand(rest).run()
    case "linearizable": return try LinearizableCommand(rest).run()
    case "run": return try await RunCommand(rest).run()
    case "help", "--help", "-h":
      try Output.print(usage)
      return 0
    case "version", "--version":
      try Output.print(
        "contracts, journal format \(JournalRecord.formatVersion), report format "
          + "\(JSONReport.formatVersion)\n")
      return 0
    case nil: throw UsageError("a command is missing")
    case let other?: throw UsageError("the command '\(other)' is not known")
    }
  }

  static func complain(_ message: String) {
    FileHandle.standardError.write(Data("contracts: \(message)\n".utf8))
  }

  /// The folder of the journals.
  static let folder = ".build/contracts"

  /// The journal of the last run.
  static let latest = "\(folder)/latest.jsonl"

  /// What stands for the standard input in the place of a file.
  static let standardInput = "-"

  /// The matrix of journals, merged; the latest journal where none is named.
  ///
  /// - Throws: ``JournalFileError`` for a file that can't be read.
  static func matrix(of paths: [String]) throws(JournalFileError) -> Matrix {
    var journal = Journal()
    for path in paths.isEmpty ? [latest] : paths {
      let one =
        path == standardInput
        ? try Journal(descriptor: STDIN_FILENO, path: "the standard input")
        : try Journal(contentsOf: path)
      journal.records += one.records
      journal.damage += one.damage
    }
    return Matrix(journal)
  }
}
