import CommandLineSupport
import ContractReports

/// `contracts diff`: compares two journals.
struct DiffCommand {
  private var base: String
  private var head: String

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(arguments, options: [])
    guard arguments.operands.count == 2 else {
      throw UsageError("'contracts diff' needs two journals: contracts diff BASE HEAD")
    }
    base = arguments.operands[0]
    head = arguments.operands[1]
  }

  func run() throws -> Int32 {
    let difference = MatrixDifference(
      from: try Contracts.matrix(of: [base]), to: try Contracts.matrix(of: [head]))
    try Output.print(difference.text)
    return difference.exitStatus
  }
}
