import ContractEvidence
import Foundation
import RecordedHistories

/// Checks whether a recorded history is linearizable.
///
/// `contracts linearizable` and programs with other models share this command, and with it
/// the limits, the exit codes and the messages.
package struct LinearizableCommand {
  private var file: String
  private var model: HistoryModel
  private var initial: RecordedValue?
  private var interpretation = RecordedInterpretation()
  private var limits = LinearizabilityLimits()

  /// Parses the command's arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the command's name.
  ///   - name: The command's name in messages.
  ///   - models: The models to choose from. If there is only one, there is no option `--model`.
  /// - Throws: ``UsageError`` if the arguments are not valid.
  package init(
    _ arguments: [String], name: String, models: [HistoryModel]
  ) throws(UsageError) {
    let choice = models.count > 1 ? ["model"] : []
    let initial = models.contains { $0.initialValue != .none } ? ["initial"] : []
    // A program with one model knows what the events of its histories mean.
    let meanings = models.count > 1 ? ["failed-cas", "nil-read"] : []
    let arguments = try Arguments(
      arguments, options: choice + initial + meanings + ["seconds", "megabytes"])
    guard arguments.operands.count == 1 else {
      let options = choice.isEmpty ? "" : " --model NAME"
      throw UsageError("'\(name)' needs one file: \(name) FILE\(options)")
    }
    file = arguments.operands[0]
    model = try Self.model(named: arguments["model"], of: models)
    if let text = arguments["initial"] {
      self.initial = try Self.initial(text, for: model)
    }
    interpretation.failedCAS = try Self.choice("failed-cas", in: arguments)
    interpretation.nilRead = try Self.choice("nil-read", in: arguments)
    if let seconds = try arguments.positiveNumber("seconds") { limits.time = .seconds(seconds) }
    if let megabytes = try arguments.positiveNumber("megabytes") {
      limits.memory = megabytes << 20
    }
  }

  /// Checks the history and prints the verdict.
  ///
  /// - Parameter printError: Writes an error message.
  /// - Returns: The exit code: 0 if the history is linearizable, 1 if not, 2 if a limit was reached
  ///   first, and 65 if the file is not a history of the model, or
  ///   if the verdict depends on an option that is not given.
  /// - Throws: ``JournalFileError`` if the file can't be read or the output can't be written.
  package func run(printError: (String) -> Void) throws -> Int32 {
    let data =
      file == CommandLineProgram.standardInput
      ? try Data(readingAll: STDIN_FILENO, name: "standard input", action: "read")
      : try Data(readingAll: file, action: "read")
    let verdict: RecordedVerdict
    do throws(LinearizabilityFileError) {
      verdict = try model.check(data, initial, interpretation, limits)
    } catch {
      printError("\(file) can't be checked as a history of the model '\(model.name)':\n\(error)")
      return 65
    }
    try Output.print("\(verdict)\n".printable.inert)
    switch verdict.outcome {
    case .linearizable: return 0
    case .notLinearizable: return 1
    case .unknown: return 2
    }
  }

  private static func model(
    named name: String?, of models: [HistoryModel]
  ) throws(UsageError) -> HistoryModel {
    if models.count == 1 { return models[0] }
    let names = models.map(\.name).joined(separator: ", ")
    guard let name else { throw UsageError("missing option --model; give one of \(names)") }
    guard let model = models.first(where: { $0.name == name }) else {
      throw UsageError("unknown model '\(name)'; give one of \(names)")
    }
    return model
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, in arguments: Arguments
  ) throws(UsageError) -> Choice? {
    guard let text = arguments[name] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw UsageError(
        "--\(name) '\(text)' is not valid; give "
          + Choice.allCases.map(\.rawValue).joined(separator: " or "))
    }
    return choice
  }

  private static func initial(
    _ text: String, for model: HistoryModel
  ) throws(UsageError) -> RecordedValue {
    guard let value = try? RecordedValue(json: text) else {
      throw UsageError("--initial '\(text)' is not JSON")
    }
    switch (model.initialValue, value) {
    case (.any, _), (.integer, .integer): return value
    case (.integer, _):
      throw UsageError("--initial of the model '\(model.name)' must be an integer")
    case (.none, _):
      throw UsageError("the model '\(model.name)' has no --initial; it starts empty")
    }
  }
}
