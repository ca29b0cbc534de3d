import ContractEvidence
import Foundation
import RecordedHistories

/// `contracts linearizable`: checks whether a recorded history is linearizable.
package struct LinearizableCommand {
  private var file: String
  private var model: RecordedModelName
  private var initial: RecordedValue?
  private var limits = LinearizabilityLimits()

  /// Parses the command's arguments.
  ///
  /// - Parameter arguments: The arguments after the command's name.
  /// - Throws: ``UsageError`` if the arguments are not valid.
  package init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments, options: ["model", "initial", "seconds", "megabytes"])
    guard arguments.operands.count == 1 else {
      let name = "contracts linearizable"
      throw UsageError("'\(name)' needs one file: \(name) FILE --model NAME")
    }
    file = arguments.operands[0]
    model = try Self.model(named: arguments["model"])
    if let text = arguments["initial"] {
      initial = try Self.initial(text, for: model)
    }
    if let seconds = try arguments.positiveNumber("seconds") { limits.time = .seconds(seconds) }
    if let megabytes = try arguments.positiveNumber("megabytes") {
      limits.memory = megabytes << 20
    }
  }

  /// Checks the history and prints the verdict.
  ///
  /// - Parameter printError: Writes an error message.
  /// - Returns: The exit code: 0 if the history is linearizable, 1 if not, 2 if a limit was reached
  ///   first, and 65 if the file is not a history of the model.
  /// - Throws: ``JournalFileError`` if the file can't be read or the output can't be written.
  package func run(printError: (String) -> Void) throws -> Int32 {
    let data =
      file == CommandLineProgram.standardInput
      ? try Data(readingAll: STDIN_FILENO, name: "standard input", action: "read")
      : try Data(readingAll: file, action: "read")
    let verdict: RecordedVerdict
    do throws(LinearizabilityFileError) {
      verdict = try model.judge(data, initial: initial, limits: limits)
    } catch {
      printError(
        "\(file) can't be checked as a history of the model '\(model.rawValue)':\n\(error)")
      return 65
    }
    try Output.print("\(verdict)\n".printable.inert)
    switch verdict.outcome {
    case .linearizable: return 0
    case .notLinearizable: return 1
    case .unknown: return 2
    }
  }

  private static func model(named name: String?) throws(UsageError) -> RecordedModelName {
    let names = RecordedModelName.allCases.map(\.rawValue).joined(separator: ", ")
    guard let name else { throw UsageError("missing option --model; give one of \(names)") }
    guard let model = RecordedModelName(rawValue: name) else {
      throw UsageError("unknown model '\(name)'; give one of \(names)")
    }
    return model
  }

  private static func initial(
    _ text: String, for model: RecordedModelName
  ) throws(UsageError) -> RecordedValue {
    guard let value = try? RecordedValue(json: text) else {
      throw UsageError("--initial '\(text)' is not JSON")
    }
    switch (model, value) {
    case (.register, _), (.keyValue, _), (.counter, .integer): return value
    case (.counter, _):
      throw UsageError("--initial of the model '\(model.rawValue)' must be an integer")
    case (.queue, _), (.stack, _), (.set, _), (.lock, _):
      throw UsageError("the model '\(model.rawValue)' has no --initial; it starts empty")
    }
  }
}
