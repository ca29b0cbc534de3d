import ExplorationEngine
import Foundation

/// Explores a failing subject again and again, each time with another smallest example, and
/// acknowledges each example that is reported as stored: what a test kills.
///
/// Usage: `example-writer FOLDER FIRST | trapping | mended`. The examples are `say(FIRST)`, `say(FIRST + 1)`, …; each
/// number is printed once its example is stored. It never ends by itself, but for 1 when an example
/// can't be stored.
///
/// `trapping` explores a subject that ends the process at numbers above 7, `mended` one that does
/// not; both print the report.
@main
enum ExampleWriter {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { exit(64) }
    let store = ExampleStore(URL(filePath: arguments[1]))
    if arguments[2] == "trapping" || arguments[2] == "mended" {
      await explore(isTrapping: arguments[2] == "trapping", store)
      return
    }
    guard let first = Int(arguments[2]) else { exit(64) }
    for number in first... {
      let report = await LockStep(
        NumberSpecification(drawn: number...number), settings: .init(runs: 1, steps: 3)
      ) { { $0 == number ? -1 : $0 } }.storing(in: store).explore()
      guard report.savedExample != nil else { exit(1) }
      say("\(number)")
    }
  }

  private static func explore(isTrapping: Bool, _ store: ExampleStore) async {
    let report = await LockStep(
      NumberSpecification(drawn: 0...9), settings: ExplorationSettings(runs: 20, seed: 3)
    ) {
      { number in
        if isTrapping, number > 7 { kill(getpid(), SIGKILL) }
        return number
      }
    }.storing(in: store).explore()
    say("\(report)")
  }

  /// Writes a line in one system call, so that it is out before anything else happens.
  private static func say(_ line: String) {
    let octets = Array((line + "\n").utf8)
    _ = octets.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
  }
}

/// Says numbers to a subject that is to say them back.
struct NumberSpecification: SynchronousSpecification {
  /// Says a number.
  struct Command: Sendable, Hashable, Codable, CustomStringConvertible {
    var number: Int
    var description: String { "say(\(number))" }
  }

  /// The numbers that are drawn.
  var drawn: ClosedRange<Int>

  var initialState: Int { 0 }

  func command(from choices: inout Choices, in state: Int) -> Command {
    Command(number: choices.integer(in: drawn))
  }

  func apply(_ command: Command, to state: inout Int) -> Int { command.number }

  func perform(_ command: Command, on subject: @Sendable (Int) -> Int) throws -> Int {
    subject(command.number)
  }
}
