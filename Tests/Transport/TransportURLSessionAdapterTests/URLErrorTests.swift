import Foundation
import Testing
import TransportPort

@testable import TransportURLSessionAdapter

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct URLErrorTests {
  private typealias Kind = TransportError.Kind

  private func error(
    _ code: URLError.Code, _ text: String = "", hasHead: Bool = false,
    of method: HTTPRequest.Method = .get
  ) throws -> TransportError {
    let wire = try WireRequest(HTTPRequest(method: method, url: "http://h/"), body: .none)
    return wire.error(
      from: URLError(code, userInfo: [NSLocalizedDescriptionKey: text]), hasHead: hasHead)
  }

  @Test(arguments: [
    (
      "SSL certificate problem: certificate has expired",
      TransportError.TLSFailure.certificateExpired
    ),
    ("SSL certificate problem: self-signed certificate", .selfSigned),
    ("SSL certificate problem: self-signed certificate in certificate chain", .unknownAuthority),
    ("SSL certificate problem: unable to get local issuer certificate", .unknownAuthority),
    ("SSL: no alternative certificate subject name matches target host name 'h'", .wrongHost),
    ("error:0A000102:SSL routines::unsupported protocol", .protocolVersion),
    ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .protocolVersion),
    ("error:0A00014D:SSL routines::legacy sigalg disallowed or unsupported", .protocolVersion),
    ("SSL certificate problem: certificate is not yet valid", .certificateExpired),
    ("error:0A000410:SSL routines::sslv3 alert handshake failure", .handshake),
  ])
  func `libcurl's certificate messages are mapped, and nothing was sent`(
    text: String, failure: TransportError.TLSFailure
  ) throws {
    let error = try error(.unknown, text, of: .post)
    #expect(error.kind == .tls(failure))
    #expect(error.phase == .securing)
    #expect(!error.bytesSent)
    #expect(error.code == URLError.Code.unknown.rawValue)
  }

  @Test func `a demanded client certificate may come after the request was sent`() throws {
    let error = try error(
      .unknown, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required")
    #expect(error.kind == .tls(.certificateRequired))
    #expect(error.phase == .securing)
    #expect(error.bytesSent)
    #expect(!error.isRetrySafe)
  }

  @Test func `a code overrides the message, and the phase depends on the head`() throws {
    let refused = try error(.cannotConnectToHost, "Failed to connect to h: SSL")
    #expect(refused.kind == .connectionRefused)
    #expect(refused.phase == .connecting)
    #expect(refused.isRetrySafe)
    for (hasHead, phase) in [(false, TransportError.Phase.awaitingHead), (true, .receivingBody)] {
      let reset = try error(.networkConnectionLost, hasHead: hasHead, of: .post)
      #expect(reset.kind == .connectionReset)
      #expect(reset.phase == phase)
      #expect(reset.bytesSent)
      #expect(!reset.isRetrySafe)
    }
    #expect(try error(.unknown, "Out of memory").kind == .headTooLarge)
    #expect(try error(.unknown, "Out of memory", hasHead: true).kind == .other)
    for text in [
      "Unsolicited Transfer-Encoding (gzip) found",
      "A Transfer-Encoding (chunked) was listed after chunked",
    ] {
      #expect(try error(.unknown, text).kind == .unsupportedTransferCoding)
    }
    #expect(try error(.unknown, "never heard of").kind == .other)
    #expect(try error(.badURL).phase == .preparing)
  }
}
