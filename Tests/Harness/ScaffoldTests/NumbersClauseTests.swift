// Written by 'contracts new --one-test-per-clause'.
// A refresh overwrites it: contracts new --one-test-per-clause 'Contract<Int>.numbers.cases(for: .one, .two)' --tests Tests
// swift-format-ignore-file
import ContractTesting
import Testing

@Suite struct NumbersClauseTests {
  static let all = Contract<Int>.numbers.cases(for: .one, .two)

  static func cases(_ clause: String) -> [ContractCase<Int>] {
    all.filter { $0.id.hasPrefix("numbers/\(clause)@") }
  }

  @Test("it is \"above\" 0", arguments: cases("above-zero"))
  func aboveZero(_ clause: ContractCase<Int>) async throws { try await clause.verify() }

  @Test("it is a number", arguments: cases("all"))
  func all_(_ clause: ContractCase<Int>) async throws { try await clause.verify() }

  static let clauses = ["above-zero", "all"]

  @Test(
    "mistakes in declarations, and clauses that are newer than this file",
    arguments: all.filter { one in !clauses.contains { one.id.hasPrefix("numbers/\($0)@") } })
  func others(_ clause: ContractCase<Int>) async throws { try await clause.verify() }
}
