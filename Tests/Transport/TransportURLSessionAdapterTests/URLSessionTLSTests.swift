import Foundation
import ScriptedOrigin
import Testing
import TransportPort

/// The file that is mounted in place of the system's certificate bundle.
private let systemBundle = ProcessInfo.processInfo.environment["CONTRACT_SYSTEM_AUTHORITIES"]

/// TLS with certificates of the scripted origin's authority.
///
/// FoundationNetworking trusts the system's certificate bundle and has no API for another. So these
/// tests need the file that `CONTRACT_SYSTEM_AUTHORITIES` names, mounted in place of the bundle in a
/// namespace of their own. `Scripts/test-urlsession-tls` does that.
@Suite(
  .serialized, .timeLimit(.minutes(1)),
  .enabled(if: systemBundle != nil, "run Scripts/test-urlsession-tls as root"))
struct URLSessionTLSTests {
  init() throws {
    // The file is mounted, so it is overwritten and not replaced.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: try #require(systemBundle)))
    try file.write(contentsOf: Data(try ScriptedOrigin.trustedAuthority.utf8))
    try file.close()
  }

  @Test func `a trusted certificate is accepted`() async throws {
    let world = try URLSessionWorld(OriginPlan { _ in .respond(text: "hi") }, scheme: .https)
    #expect(try await world.answer(to: world.request()).text == "hi")
  }

  @Test(arguments: [
    (OriginPlan.Identity.expired, TransportError.TLSFailure.certificateExpired),
    (.notYetValid, .certificateExpired), (.wrongHost, .wrongHost), (.selfSigned, .selfSigned),
    (.unknownAuthority, .unknownAuthority), (.obsoleteProtocol, .protocolVersion),
    (.demandsCertificate, .certificateRequired),
  ])
  func `each failure of TLS has its own error`(
    identity: OriginPlan.Identity, failure: TransportError.TLSFailure
  ) async throws {
    let plan = OriginPlan(identity: identity) { _ in .respond(text: "secret") }
    let world = try URLSessionWorld(plan, scheme: .https)
    let error = await world.failure(of: world.request())
    #expect(error?.kind == .tls(failure), "\(String(describing: error))")
    #expect(error?.phase == .securing)
    #expect(world.origin.log.requests.isEmpty)
  }
}
