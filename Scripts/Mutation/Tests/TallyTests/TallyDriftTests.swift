import ContractTesting
import DriftExploration
import TallyPort
import Testing

/// The calls with which `contracts suggest` looks for clauses.
@Test func `the fake counts like the file`() async throws {
  try await exploreDrift(of: .inMemory, from: .file) {
    Operation("count") { tally in try tally.count() }
    Operation("total") { tally in try tally.total() }
  }
}
