import CommandLineSupport
import ContractMutation
import Foundation

/// `contracts suggest`: looks for clauses that notice the mutants that survive.
struct SuggestCommand {
  private var options: MutationOptions
  private var contract: String?
  private var file: String?

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments,
      options: [
        "target", "contract", "filter", "only", "since", "max", "seconds", "explorations", "write",
      ])
    if let operand = arguments.operands.first {
      throw UsageError("unexpected argument '\(operand)'; 'contracts suggest' takes only options")
    }
    options = MutationOptions(targets: arguments.list("target"))
    guard !options.targets.isEmpty else {
      throw UsageError("missing option --target; give the target whose code is changed")
    }
    contract = arguments["contract"]
    options.selection = contract.map { "\($0)/*" } ?? "*"
    if let filter = arguments["filter"] { options.filter = filter }
    options.places = try MutateCommand.places(arguments.list("only"))
    options.since = arguments["since"]
    options.maximum = try arguments.positiveNumber("max")
    options.searchSeconds = try arguments.positiveNumber("seconds") ?? 1
    options.explorations = arguments["explorations"]
    file = arguments["write"]
    if file != nil, contract == nil {
      throw UsageError("--write needs --contract; give the contract that gets the clauses")
    }
  }

  func run() throws -> Int32 {
    let line = MutationProgress()
    let run = MutationRun(options, package: FileManager.default.currentDirectoryPath) {
      line.show($0)
    }
    defer { line.clear() }
    let suggestions: Suggestions
    do throws(MutationError) {
      suggestions = try run.suggest()
    } catch {
      line.clear()
      Contracts.program.printError(error.description)
      return 1
    }
    line.clear()
    try Output.print(suggestions.text)
    if let file, let contract {
      guard let source = try? String(contentsOfFile: file, encoding: .utf8) else {
        Contracts.program.printError("can't read \(file)")
        return 66
      }
      guard let text = suggestions.added(to: source, contract: contract) else {
        Contracts.program.printError(
          "\(file) has no Contract(\"\(contract)\" …) { … } to which clauses can be added")
        return 65
      }
      try Output.put(text, into: file)
    }
    return suggestions.drifts.isEmpty ? 0 : 1
  }
}
