import CommandLineSupport
import CookieHistories

/// A command-line tool that checks recorded histories of a cookie store.
///
/// It is `contracts linearizable` with one more model; `contracts` itself knows no port.
@main
struct CookieHistoriesTool {
  private static let program = CommandLineProgram(
    name: "cookie-histories",
    usage: """
      usage: cookie-histories FILE [--seconds N] [--megabytes N]

      Checks whether a recorded history of a cookie store is linearizable. FILE is a file of JSON
      lines or of EDN, or - for standard input. Exits with 0 if the history is linearizable, 1 if not, 2 if a
      limit was reached first, and 65 after naming each line that is not part of such a history.
      Other exit codes: 64 for invalid arguments, 66 for a file that can't be read, 73 if the output
      can't be written.

      """)

  static func main() async {
    await program.run { arguments in
      let command = try LinearizableCommand(
        arguments, name: program.name,
        models: [HistoryModel("cookies", CookieHistoryModel.self)])
      return try command.run(printError: program.printError)
    }
  }
}
