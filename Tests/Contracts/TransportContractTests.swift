import ContractTesting
import Testing
import TransportContract

// The suites of this file run at the same time, because most of their cases wait. Within a suite, one
// case runs at a time: the clauses watch the clock, and hundreds at once would starve each other.

@Suite(.serialized) struct TransportContractTests {
  @Test(arguments: Contract.transport.cases(for: .fakeTransport, .curl))
  func holds(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }
}

/// The clauses on a recording of curl; see ``Implementation/curlReplayed``.
@Suite(.serialized) struct TransportReplayContractTests {
  @Test(arguments: Contract.transport.cases(for: .curlReplayed))
  func holds(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await RecordedClause.$caseID.withValue(contractCase.id) { try await contractCase.verify() }
  }
}

/// URLSession runs in a process of its own.
@Suite(.serialized) struct TransportURLSessionContractTests {
  @Test(arguments: Contract.transport.cases(for: .urlSession))
  func holds(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }
}

/// Saboteurs run several at a time: one that starves is caught all the same.
@Suite struct TransportSaboteurContractTests {
  @Test(arguments: Contract.transport.saboteurCases)
  func isCaught(_ contractCase: ContractCase<TransportFixture>) async throws {
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
}

@Suite(.serialized) struct TransportHTTP2ContractTests {
  @Test(
    arguments: Contract.transportHTTP2.cases(for: .fakeTransport, .curlOverHTTP2, .curlWithNghttpd)
      + Contract.transportHTTP2.saboteurCases)
  func holds(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }
}
