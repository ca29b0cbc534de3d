import CommandLineSupport
import ContractReports

/// `contracts stubs`: says which canned answers of tests nothing real backs.
struct StubsCommand {
  private var ledgers: [String]
  private var archives: [String]
  private var hosts: [String: String] = [:]
  private var forbidsOrphans = false

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(arguments, options: ["recording", "host", "forbid"])
    ledgers = arguments.operands
    archives = arguments.options["recording"] ?? []
    guard !ledgers.isEmpty else {
      throw UsageError("'contracts stubs' needs the file that CONTRACT_STUBS named in a test run")
    }
    for text in arguments.options["host"] ?? [] {
      let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts.contains("") else {
        throw UsageError(
          "--host '\(text)' is not valid; give TEST=REAL, such as shop.example=api.shop.com")
      }
      hosts[parts[0]] = parts[1]
    }
    for name in arguments.list("forbid") {
      guard name == "orphans" else {
        throw UsageError("--forbid '\(name)' is not valid; give orphans")
      }
      forbidsOrphans = true
    }
  }

  func run() throws -> Int32 {
    let report: StubReport
    do {
      report = StubReport(
        try ledgers.flatMap(NotedAnswer.ledger),
        recorded: try archives.flatMap(NotedAnswer.archive),
        hosts: hosts)
    } catch let error as StubFileError {
      Contracts.program.printError(error.description)
      return 65
    }
    try Output.print(report.text)
    return report.lying.isEmpty && (!forbidsOrphans || report.orphans.isEmpty) ? 0 : 1
  }
}
