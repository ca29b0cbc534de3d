import ContractEvidence

/// `contracts diff`: what changed from one journal to another.
struct DiffCommand {
  private var base: String
  private var head: String

  init(_ words: [String]) throws(UsageError) {
    let arguments = try Arguments(words, options: [])
    guard arguments.operands.count == 2 else {
      throw UsageError("diff takes two journals, base and head: contracts diff BASE HEAD")
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
