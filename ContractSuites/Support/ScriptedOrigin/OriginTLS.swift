import COpenSSL
import TransportPort

/// The server's side of TLS for one origin.
///
/// Sendable, since the context is complete before it is shared and OpenSSL locks what it changes.
final class OriginTLS: @unchecked Sendable {
  let context: OpaquePointer

  /// Settings that show an identity and offer a version.
  init(_ identity: OriginPlan.Identity, version: OriginPlan.Version) throws {
    guard let context = SSL_CTX_new(TLS_server_method()) else {
      throw CertificateAuthority.Failure(reason: opensslReason())
    }
    self.context = context
    let shown = try Self.make(identity)
    SSL_CTX_use_certificate(context, shown.certificate)
    SSL_CTX_use_PrivateKey(context, shown.key)
    // Tickets sent after the handshake would be unread bytes, which turn a close into a reset.
    SSL_CTX_set_num_tickets(context, 0)
    if version == .http2 { copenssl_prefer_http2(context) }
    if identity == .obsoleteProtocol {
      SSL_CTX_set_security_level(context, 0)
      SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
      copenssl_set_versions(context, TLS1_VERSION, TLS1_1_VERSION)
    }
  }

  deinit {
    SSL_CTX_free(context)
  }

  /// The authority that a client of a trusted origin must trust.
  static let trusted = Result { try CertificateAuthority(name: "Scripted Origin Root") }

  /// What a good certificate says.
  static let localhost = CertificateAuthority.Subject(name: "localhost", alternativeNames: here)

  private static let here = "DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"

  private static func make(
    _ identity: OriginPlan.Identity
  ) throws -> CertificateAuthority.Identity {
    typealias Subject = CertificateAuthority.Subject
    let good = localhost
    switch identity {
    case .trusted, .obsoleteProtocol:
      return try trusted.get().issue(good)
    case .expired:
      return try trusted.get().issue(
        Subject(name: "localhost", alternativeNames: here, validity: -172_800...(-86_400)))
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
