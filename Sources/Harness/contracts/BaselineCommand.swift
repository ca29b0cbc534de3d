import CommandLineSupport
import ContractEvidence
import ContractReports

/// `contracts baseline`: prints declarations for the cases that fail.
struct BaselineCommand {
  private var journals: [String]
  private var implementation: String?

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(arguments, options: ["implementation"])
    journals = arguments.operands
    implementation = arguments["implementation"]
  }

  func run() throws -> Int32 {
    let journal = try Contracts.journal(of: journals)
    let matrix = Matrix(journal)
    if let implementation {
      let known = Set(matrix.tables.flatMap { $0.columns.map(\.implementation.id) })
      guard known.contains(implementation) else {
        throw UsageError(
          "--implementation '\(implementation)' is not in the journal; give one of "
            + known.sorted().joined(separator: ", "))
      }
    }
    for defect in matrix.defects { Contracts.program.printError(defect) }
    let baseline = Baseline(of: journal) { implementation == nil || $0 == implementation }
    try Output.print(baseline.text.isEmpty ? "Nothing fails.\n" : baseline.text)
    return 0
  }
}
