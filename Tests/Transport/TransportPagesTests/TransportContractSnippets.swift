// The code of TransportContract.md. `PagesTests` checks that each of its code blocks occurs here.

import ContractTesting
import ScriptedOrigin
import Testing
import TransportContract
import TransportPort

extension Implementation<TransportFixture> {
  static let mine = live("mine") { scope in
    TransportFixture(in: scope, shuttingDown: { await $0.shutDown() }) { setup in
      try MyTransport(limits: setup.limits, authorities: setup.trustedAuthorities)
    }
  }
  .lacking(.proxy, because: "MyTransport has no proxy setting")
  .deviating(
    from: "query-verbatim", because: "MyTransport removes dot segments",
    link: "https://example.com/issues/1")
}

extension Implementation<TransportFixture> {
  static let mineWithNginx = live("mine-nginx") { scope in
    TransportFixture(
      in: scope, shuttingDown: { await $0.shutDown() }, fileServer: .foreign(.nginx)
    ) { setup in
      try MyTransport(limits: setup.limits, authorities: setup.trustedAuthorities)
    }
  }
  .available(when: "nginx is installed (apt-get install nginx)") {
    ForeignServer.Program.nginx.path != nil
  }
}

/// Disabled because it only has to compile: `MyTransport` fails every request.
@Suite(.disabled("compiles the code of a page")) struct TransportContractSnippets {
  @Suite(.serialized) struct MyTransportTests {
    @Test(arguments: Contract.transport.cases(for: .mine))
    func holds(_ clause: ContractCase<TransportFixture>) async throws {
      try await clause.verify()
    }

    @Test(arguments: Contract.transportHTTP2.cases(for: .mine))
    func holdsOverHTTP2(_ clause: ContractCase<TransportFixture>) async throws {
      try await clause.verify()
    }
  }
}

private struct MyTransport: HTTPTransport {
  init(limits: ConnectionLimits, authorities: String?) throws {}

  func shutDown() async {}

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    throw TransportError(.other, phase: .preparing, bytesSent: false)
  }
}
