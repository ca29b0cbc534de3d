import ContractEvidence
import Foundation

/// A command-line program: its commands, its help, its error messages and the exit codes of its errors.
package struct CommandLineProgram: Sendable {
  /// The program's name, which begins each error message.
  package var name: String

  /// The line that `--version` prints.
  package var version: String

  /// The commands, in the order of the help.
  package var commands: [Command]

  /// What the help says after the commands, newline-terminated.
  package var notes: String

  /// One command.
  package struct Command: Sendable {
    /// Its help: the synopsis, which begins with its name, and indented lines that describe it.
    package var usage: String

    /// Takes the arguments after the command's name, and returns the exit code.
    package var body: @Sendable ([String]) async throws -> Int32

    package init(
      _ usage: String, _ body: @escaping @Sendable ([String]) async throws -> Int32
    ) {
      self.usage = usage
      self.body = body
    }

    /// The first word of the synopsis.
    package var name: String { String(usage.prefix { $0 != " " && $0 != "\n" }) }

    /// The options that the help names, each once, in order.
    package var options: [String] {
      var seen: Set<String> = []
      return usage.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
        .filter { seen.insert($0).inserted }
    }
  }

  package init(name: String, version: String, commands: [Command], notes: String) {
    self.name = name
    self.version = version
    self.commands = commands
    self.notes = notes
  }

  /// The commands, and those that every program has.
  var allCommands: [Command] {
    commands + [
      Command(
        """
        completions bash
            Prints a script that completes commands and options: source <(\(name) completions bash)
        """
      ) {
        guard $0 == ["bash"] else {
          throw UsageError("'\(name) completions bash' completes only for bash")
        }
        try Output.print(completions)
        return 0
      },
      Command("help [COMMAND]") {
        try Output.print(try help(on: $0.first))
        return 0
      },
      Command("version") { _ in
        try Output.print(version + "\n")
        return 0
      },
    ]
  }

  /// Runs the program with the process's arguments, and ends the process.
  ///
  /// An error of the command line exits with 64, an unreadable file with 66, and an unwritable one with 73
  /// (sysexits(3)).
  package func run() async -> Never {
    do {
      exit(try await status(of: Array(CommandLine.arguments.dropFirst())))
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

  private func status(of arguments: [String]) async throws -> Int32 {
    guard let first = arguments.first else { throw UsageError("missing command") }
    if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      let isCommand = allCommands.contains { $0.name == first }
      try Output.print(try help(on: isCommand ? first : nil))
      return 0
    }
    let name = first == "--version" ? "version" : first
    return try await command(name).body(Array(arguments.dropFirst()))
  }

  /// The help on one command, or on all.
  private func help(on name: String?) throws(UsageError) -> String {
    let shown = try name.map { name throws(UsageError) in [try command(name)] } ?? allCommands
    let blocks = shown.map { command in
      command.usage.split(separator: "\n").map { "  \($0)\n" }.joined()
    }
    return "usage: \(self.name) <command> [options]\n\n" + blocks.joined() + "\n" + notes
  }

  private func command(_ name: String) throws(UsageError) -> Command {
    if let command = allCommands.first(where: { $0.name == name }) { return command }
    let nearest = allCommands.map { ($0.name, editDistance($0.name, name)) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= max(2, name.count / 3) else {
      throw UsageError(
        "unknown command '\(name)'; give one of \(allCommands.map(\.name).joined(separator: ", "))")
    }
    throw UsageError("unknown command '\(name)'; did you mean '\(nearest.0)'?")
  }

  /// Writes a message to standard error, without characters that control a terminal and lines that
  /// a CI system would run.
  package func printError(_ message: String) {
    FileHandle.standardError.write(Data("\(name): \(message)\n".printable.inert.utf8))
  }

  /// The file name that means standard input.
  package static let standardInput = "-"
}
