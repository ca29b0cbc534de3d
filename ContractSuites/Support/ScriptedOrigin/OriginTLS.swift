import COpenSSL
import TransportPort

/// The TLS server context of one origin.
///
/// Unchecked because of the pointer: the context is complete before it is shared, and OpenSSL locks
/// the parts that connections change.
final class OriginTLS: @unchecked Sendable {
  let context: OpaquePointer

  /// Creates a context with the identity's certificate; for `.http2` it selects HTTP/2 by ALPN.
  init(_ identity: OriginPlan.Identity, version: OriginPlan.Version) throws {
    guard let context = SSL_CTX_new(TLS_server_method()) else {
      throw CertificateAuthority.Failure(reason: opensslReason())
    }
    self.context = context
    let certified = try Self.make(identity)
    SSL_CTX_use_certificate(context, certified.certificate)
    SSL_CTX_use_PrivateKey(context, certified.key)
    // Session tickets follow the handshake. A peer that closes without reading them sends a RST
    // instead of a FIN.
    SSL_CTX_set_num_tickets(context, 0)
    if version == .http2 { copenssl_prefer_http2(context) }
    if identity == .demandsCertificate {
      copenssl_set_versions(context, TLS1_3_VERSION, TLS1_3_VERSION)
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
    if identity == .obsoleteProtocol {
      // OpenSSL 3 allows TLS 1.0 and 1.1 only at security level 0.
      SSL_CTX_set_security_level(context, 0)
      SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
      copenssl_set_versions(context, TLS1_VERSION, TLS1_1_VERSION)
    }
  }

  deinit {
    SSL_CTX_free(context)
  }

  /// The authority of the identity ``OriginPlan/Identity/trusted``.
  static let trusted = Result { try CertificateAuthority(name: "Scripted Origin Root") }

  /// The subject of a valid certificate.
  static let localhost = CertificateAuthority.Subject(
    name: "localhost", alternativeNames: localNames)

  private static let localNames = "DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"

  private static func make(
    _ identity: OriginPlan.Identity
  ) throws -> CertificateAuthority.Identity {
    typealias Subject = CertificateAuthority.Subject
    let good = localhost
    switch identity {
    case .trusted, .obsoleteProtocol, .demandsCertificate:
      return try trusted.get().issue(good)
    case .expired:
      return try trusted.get().issue(
        Subject(name: "localhost", alternativeNames: localNames, validity: -172_800...(-86_400)))
    case .notYetValid:
      return try trusted.get().issue(
        Subject(name: "localhost", alternativeNames: localNames, validity: 86_400...172_800))
    case .wrongHost:
      return try trusted.get().issue(
        Subject(name: "elsewhere.example", alternativeNames: "DNS:elsewhere.example"))
    case .selfSigned:
      return try CertificateAuthority.issue(good, signedBy: nil)
    case .unknownAuthority:
      return try CertificateAuthority(name: "Unknown Root").issue(good)
    }
  }
}
