import ContractTesting
import Testing
import TransportContract

@Suite struct TransportContractTests {
  @Test(arguments: Contract.transport.cases(for: .fakeTransport, .curl))
  func holds(_ clause: ContractCase<TransportFixture>) async throws { try await clause.verify() }

  @Test(arguments: Contract.transport.saboteurs)
  func catches(_ saboteur: SaboteurCase<TransportFixture>) async throws {
    try await saboteur.verify()
  }
}
