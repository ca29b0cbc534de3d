import ContractTesting
import Testing

@Suite struct CurlOptionsContractTests {
  @Test(arguments: Contract.curlOptions.cases(for: .curl) + Contract.curlOptions.saboteurCases)
  func holds(_ contractCase: ContractCase<CurlOptionsFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<CurlOptionsFixture> {
  static let curl: Self = live("curl") { CurlOptionsFixture(in: $0) }
    .version { _ in AdaptedVersion.curl }
}
