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

/// The clauses on a recording of curl; see ``Implementation/curlReplayed``. Each runs twice, and many wait for
/// their time limit, so two run at a time.
@Suite struct TransportReplayContractTests {
  @Test(.serialized, arguments: cases(for: .curlReplayed, withParity: 0))
  func holds(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }

  @Test(.serialized, arguments: cases(for: .curlReplayed, withParity: 1))
  func holdsToo(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }
}

/// URLSession runs in two other processes, one for each test. In one, its cases would take longer than
/// all other suites together, because many wait for their time limit.
@Suite struct TransportURLSessionContractTests {
  @Test(.serialized, arguments: cases(for: .urlSession, withParity: 0))
  func holds(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }

  @Test(.serialized, arguments: cases(for: .urlSession, withParity: 1))
  func holdsToo(_ contractCase: ContractCase<TransportFixture>) async throws {
    try await contractCase.verify()
  }
}

/// The cases whose ids have an even or an odd length. Another process has to choose alike for one case, so the
/// position among all cases is of no use.
private func cases(
  for implementation: Implementation<TransportFixture>, withParity parity: Int
) -> [ContractCase<TransportFixture>] {
  Contract.transport.cases(for: implementation).filter { $0.id.utf8.count % 2 == parity }
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
      for: [.fakeWithAnyServer, .curlOverHTTP2, .urlSessionWithAnyServer]
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
