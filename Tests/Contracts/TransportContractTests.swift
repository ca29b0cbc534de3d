import ContractTesting
import Testing
import TransportContract

/// One case at a time: the clauses watch the clock, and hundreds at once would starve each other. The suites
/// of this file run at the same time, because most cases wait.
@Suite(.serialized) struct TransportContractTests {
  @Test(
    arguments: Contract.transport.cases(for: .fakeTransport, .curl, .urlSession)
      + Contract.transport.saboteurCases)
  func holds(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }

}

@Suite(.serialized) struct TransportFilesContractTests {
  @Test(
    arguments: Contract.transportFiles.cases(
      for: [.fakeTransport, .curlOverHTTP2, .urlSessionWithAnyServer]
        + Implementation<TransportFixture>.curlWithForeignServers)
      + Contract.transportFiles.saboteurCases)
  func holdsWithAnyServer(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }

  @Test(
    arguments: Contract.transportHTTP2.cases(for: .fakeTransport, .curlOverHTTP2, .curlWithNghttpd)
      + Contract.transportHTTP2.saboteurCases)
  func holdsOverHTTP2(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }
}
