import CommandLineSupport
import ContractEvidence
import ContractMutation
import Foundation
import HarnessSupport
import SystemLocks

/// `contracts mutate`: changes code in small ways, and shows which changes no clause notices.
struct MutateCommand {
  private var options: MutationOptions

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments,
      options: [
        "target", "contract", "implementation", "filter", "tests", "only", "since", "mutant", "max",
        "seed", "shard", "again",
      ])
    if let operand = arguments.operands.first {
      throw UsageError("unexpected argument '\(operand)'; 'contracts mutate' takes only options")
    }
    options = MutationOptions(targets: arguments.list("target"))
    guard !options.targets.isEmpty else {
      throw UsageError("missing option --target; give the target whose code is changed")
    }
    let contract = arguments["contract"] ?? "*"
    options.selection = arguments["implementation"].map { "\(contract)@\($0)" } ?? contract
    if let filter = arguments["filter"] { options.filter = filter }
    options.tests = arguments["tests"]
    options.places = try Self.places(arguments.list("only"))
    options.since = arguments["since"]
    options.mutant = arguments["mutant"]
    options.maximum = try arguments.positiveNumber("max")
    options.seed = try arguments.positiveNumber("seed") ?? 0
    do throws(EnvironmentError) {
      if let text = arguments["shard"] { options.shard = try Shard(text, from: "--shard") }
    } catch {
      throw UsageError("--shard '\(error.value)' is not valid; give \(error.expected)")
    }
    if let again = arguments["again"] {
      guard again == "all" else {
        throw UsageError("--again '\(again)' is not valid; give all")
      }
      options.isFresh = true
    }
  }

  static func places(_ texts: [String]) throws(UsageError) -> [MutationOptions.Place] {
    var places: [MutationOptions.Place] = []
    for text in texts {
      guard let place = MutationOptions.Place(text) else {
        throw UsageError(
          "--only '\(text)' is not valid; give FILE, FILE:LINE or FILE:FIRST-LAST")
      }
      places.append(place)
    }
    return places
  }

  func run() throws -> Int32 {
    let root = FileManager.default.currentDirectoryPath
    let line = MutationProgress()
    let run = MutationRun(options, package: root) { line.show($0) }
    defer { line.clear() }
    let journal: MutationJournal
    do throws(MutationError) {
      journal = try run.run()
    } catch {
      line.clear()
      Contracts.program.printError(error.description)
      return 1
    }
    line.clear()
    if let id = options.mutant, let result = journal.results[id] {
      try Output.print(
        "\(result.verdict.status.rawValue)"
          + (result.verdict.killer.map { " by \($0)" } ?? "")
          + (result.verdict.message.map { ": \($0)" } ?? "") + "\n")
      return 0
    }
    let report = MutationReport(of: journal, root: root)
    try Output.print(report.text + "journal: \(run.journalPath)\n")
    // What its cases show, they show of something else.
    return report.impostors.isEmpty ? 0 : 1
  }
}

/// `contracts mutations`: shows the results of one or several runs of `contracts mutate`.
struct MutationsCommand {
  private var journals: [String]

  init(_ arguments: [String]) throws(UsageError) {
    journals = try Arguments(arguments, options: []).operands
    guard !journals.isEmpty else {
      throw UsageError("'contracts mutations' needs the journals of 'contracts mutate'")
    }
  }

  func run() throws -> Int32 {
    let journal: MutationJournal
    do throws(MutationError) {
      journal = try MutationJournal(contentsOf: journals)
    } catch {
      Contracts.program.printError(error.description)
      return 66
    }
    let root = FileManager.default.currentDirectoryPath
    try Output.print(MutationReport(of: journal, root: root).text)
    return 0
  }
}

/// Shows how far a run is: a line that is overwritten on a terminal, and otherwise a line for each
/// step and one every half minute, because CI systems end a job that is silent for long.
final class MutationProgress: Sendable {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let last = Mutex(ContinuousClock.now)

  func show(_ progress: MutationRun.Progress) {
    switch progress {
    case .step(let step):
      write(isTerminal ? "\r\u{1B}[K\(step)" : "\(step)\n")
    case .judged(let done, let total, let survived, let seconds):
      guard isDue else { return }
      let rest = done == 0 ? 0 : Int(seconds / Double(done) * Double(total - done))
      let text = "\(done) of \(total) mutants, \(survived) survived, \(rest) s left"
      write(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n")
    }
  }

  /// Whether the last line is old enough for another; if it is, that is the last line now.
  private var isDue: Bool {
    last.withLock { last in
      guard ContinuousClock.now - last >= (isTerminal ? .milliseconds(100) : .seconds(30)) else {
        return false
      }
      last = .now
      return true
    }
  }

  func clear() { if isTerminal { write("\r\u{1B}[K") } }

  private func write(_ text: String) { _ = writeAll(text, to: STDERR_FILENO) }
}
