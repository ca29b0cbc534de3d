import ExplorationEngine
import Foundation
import LockStepExploration

/// A process that explores failing subjects until a test kills it.
///
/// Usage: `example-writer FOLDER FIRST | trapping | trapping-model | fixed`.
///
/// With a number, it saves the examples `say(FIRST)`, `say(FIRST + 1)` and so on, and prints each
/// number when its example is saved. It runs until it is killed, or exits with 1 if an example
/// cannot be saved or the test has ended.
///
/// `trapping` explores a subject that ends the process at numbers above 7, `trapping-model` a model
/// that does, and `fixed` a subject and a model that don't. They print the report.
@main
enum ExampleWriter {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { exit(64) }
    let store = ExampleStore(URL(filePath: arguments[1]))
    if ["trapping", "trapping-model", "fixed"].contains(arguments[2]) {
      await explore(
        isTrapping: arguments[2] == "trapping", withTrappingModel: arguments[2] == "trapping-model",
        store)
      return
    }
    guard let first = Int(arguments[2]) else { exit(64) }
    let parent = getppid()
    for number in first... {
      // A test that is itself killed can't end this process.
      guard getppid() == parent else { exit(1) }
      let report = await LockStep(
        NumberSpecification(drawn: number...number), settings: .init(runs: 1, steps: 3)
      ) { { $0 == number ? -1 : $0 } }.storing(in: store).explore()
      guard report.savedExample != nil else { exit(1) }
      say("\(number)")
    }
  }

  private static func explore(
    isTrapping: Bool, withTrappingModel: Bool, _ store: ExampleStore
  ) async {
    let specification = NumberSpecification(drawn: 0...9, isTrapping: withTrappingModel)
    let report = await LockStep(
      specification, settings: ExplorationSettings(runs: 20, seed: 3)
    ) {
      { number in
        if isTrapping, number > 7 { kill(getpid(), SIGKILL) }
        return number
      }
    }.storing(in: store).explore()
    say("\(report)")
  }

  /// Writes a line to standard output without a buffer, so that a later kill cannot lose it.
  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
  }
}

/// A specification of a function that returns its argument.
struct NumberSpecification: SynchronousSpecification {
  /// A call of the function.
  struct Command: Sendable, Hashable, Codable, CustomStringConvertible {
    var number: Int
    var description: String { "say(\(number))" }
  }

  /// The numbers to draw.
  var drawn: ClosedRange<Int>

  /// Whether the model ends the process at numbers above 7.
  var isTrapping = false

  var initialState: Int { 0 }

  func command(from choices: inout Choices, in state: Int) -> Command {
    Command(number: choices.integer(in: drawn))
  }

  func apply(_ command: Command, to state: inout Int) -> Int {
    if isTrapping, command.number > 7 { kill(getpid(), SIGKILL) }
    return command.number
  }

  func perform(_ command: Command, on subject: @Sendable (Int) -> Int) throws -> Int {
    subject(command.number)
  }
}
