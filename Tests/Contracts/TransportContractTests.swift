import ContractTesting
import Testing
import TransportContract

/// One case at a time: the clauses watch the clock, and hundreds at once would starve each other.
@Suite(.serialized) struct TransportContractTests {
  @Test(arguments: Contract.transport.cases(for: .fakeTransport, .curl, .urlSession))
  func holds(_ clause: ContractCase<TransportFixture>) async throws { try await clause.verify() }

  @Test(arguments: Contract.transport.saboteurs)
  func catches(_ saboteur: SaboteurCase<TransportFixture>) async throws {
    try await saboteur.verify()
  }

  @Test(
    arguments: Contract.transportHTTP2.cases(for: .fakeTransport, .curl, .curlWithNghttpd))
  func holdsOverHTTP2(_ clause: ContractCase<TransportFixture>) async throws {
    try await clause.verify()
  }

  @Test(arguments: Contract.transportHTTP2.saboteurs)
  func catchesOverHTTP2(_ saboteur: SaboteurCase<TransportFixture>) async throws {
    try await saboteur.verify()
  }
}
