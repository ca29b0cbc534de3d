import ContractEvidence
import ExplorationEngine
import Foundation

/// `contracts linearizable`: whether a recorded history can be explained one operation at a time.
struct LinearizableCommand {
  private var file: String
  private var model: HistoryModel
  private var initial: RecordedValue?
  private var limits = LinearizabilityLimits()

  init(_ words: [String]) throws(UsageError) {
    let arguments = try Arguments(words, options: ["model", "initial", "seconds", "megabytes"])
    guard arguments.operands.count == 1 else {
      throw UsageError("linearizable takes one file: contracts linearizable FILE --model NAME")
    }
    file = arguments.operands[0]
    guard let name = arguments["model"] else {
      throw UsageError("--model is missing: give one of \(HistoryModel.names)")
    }
    guard let model = HistoryModel(name) else {
      throw UsageError("--model '\(name)' is not known: give one of \(HistoryModel.names)")
    }
    self.model = model
    if let text = arguments["initial"] { initial = try Self.initial(text, of: model) }
    if let text = arguments["seconds"] {
      guard let seconds = UInt32(text), seconds > 0 else {
        throw UsageError("--seconds '\(text)' is not understood: give a whole number above 0")
      }
      limits.time = .seconds(Int(seconds))
    }
    if let text = arguments["megabytes"] {
      guard let megabytes = UInt32(text), megabytes > 0 else {
        throw UsageError("--megabytes '\(text)' is not understood: give a whole number above 0")
      }
      limits.memory = Int(megabytes) << 20
    }
  }

  func run() throws -> Int32 {
    let data =
      file == Contracts.standardInput
      ? try Data(readingAll: STDIN_FILENO, name: "the standard input", action: "read")
      : try Data(readingAll: file, action: "read")
    let verdict: RecordedVerdict
    do throws(LinearizabilityFileError) {
      verdict = try model.judge(data, initial: initial, limits: limits)
    } catch {
      Contracts.complain("\(file) is no history of the model \(model.name):\n\(error)")
      return 65
    }
    try Output.print("\(verdict)\n")
    switch verdict.outcome {
    case .linearizable: return 0
    case .notLinearizable: return 1
    case .unknown: return 2
    }
  }

  /// What the subject held before, in JSON, for the models that can begin with something.
  private static func initial(
    _ text: String, of model: HistoryModel
  ) throws(UsageError) -> RecordedValue {
    guard let value = try? JSONDecoder().decode(RecordedValue.self, from: Data(text.utf8)) else {
      throw UsageError("--initial '\(text)' is no JSON")
    }
    switch (model, value) {
    case (.plain(.register), _), (.plain(.keyValue), _), (.plain(.counter), .integer): return value
    case (.plain(.counter), _): throw UsageError("--initial of a counter must be an integer")
    case (.plain(.queue), _), (.plain(.stack), _), (.plain(.set), _), (.plain(.lock), _),
      (.cookies, _):
      throw UsageError("--initial is not for the model \(model.name), which begins with nothing")
    }
  }
}
