import ContractEvidence
import Foundation

/// A command-line program: its help, its error messages and the exit codes of its errors.
package struct CommandLineProgram: Sendable {
  /// The program's name, which begins each error message.
  package var name: String

  /// The text of `--help`.
  package var usage: String

  package init(name: String, usage: String) {
    self.name = name
    self.usage = usage
  }

  /// Runs the program with the process's arguments, and ends the process.
  ///
  /// - Parameter body: Takes the arguments and returns the exit code. An error of the command line
  ///   exits with 64, an unreadable file with 66, and an unwritable one with 73 (sysexits(3)).
  package func run(_ body: @Sendable ([String]) async throws -> Int32) async -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        try Output.print(usage)
        exit(0)
      }
      exit(try await body(arguments))
    } catch let error as UsageError {
      printError("\(error.message)\nrun '\(name) --help' for help")
      exit(64)
    } catch let error as JournalFileError {
      printError(error.description)
      exit(error.action.hasPrefix("read") ? 66 : 73)
    } catch {
      printError("\(error)")
      exit(70)
    }
  }

  /// Writes a message to standard error, without characters that control a terminal and lines that
  /// a CI system would run.
  package func printError(_ message: String) {
    FileHandle.standardError.write(Data("\(name): \(message)\n".printable.inert.utf8))
  }

  /// The file name that means standard input.
  package static let standardInput = "-"
}
