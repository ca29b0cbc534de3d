import COpenSSL

/// Issues certificates at run time, so that none expires in the repository.
///
/// OpenSSL makes the keys, certificates and signatures. swift-certificates could make them as well,
/// but the origin's TLS needs OpenSSL in any case, and it would add three packages to every client.
final class CertificateAuthority: Sendable {
  /// An OpenSSL call failed.
  struct Failure: Error {
    var reason: String
  }

  /// A certificate and its private key.
  ///
  /// Unchecked because of the pointers: neither object changes after its creation, and OpenSSL
  /// counts references atomically.
  struct Identity: @unchecked Sendable {
    var certificate: OpaquePointer
    var key: OpaquePointer

    /// The certificate as PEM.
    var certificatePEM: String { CertificateAuthority.pem { PEM_write_bio_X509($0, certificate) } }

    /// The key as PEM, unencrypted.
    var keyPEM: String {
      CertificateAuthority.pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }
  }

  /// The contents of a certificate.
  struct Subject {
    var name: String
    /// In OpenSSL's syntax, such as `DNS:localhost`.
    var alternativeNames: String?
    /// The first and last second of validity, relative to now.
    var validity = -86_400...86_400 * 30
    var isAuthority = false
  }

  private let root: Identity

  /// Creates an authority with a new root certificate.
  init(name: String) throws(Failure) {
    root = try Self.issue(Subject(name: name, isAuthority: true), signedBy: nil)
  }

  /// The root certificate as PEM, for clients to trust.
  var pem: String { root.certificatePEM }

  private static func pem(_ write: (OpaquePointer) -> Int32) -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(bio) }
    _ = write(bio)
    var data: UnsafeMutablePointer<CChar>?
    let count = copenssl_bio_contents(bio, &data)
    guard let data, count > 0 else { return "" }
    return String(
      decoding: UnsafeRawBufferPointer(start: data, count: count), as: Unicode.UTF8.self)
  }

  /// Issues a certificate signed by the root.
  func issue(_ subject: Subject) throws(Failure) -> Identity {
    try Self.issue(subject, signedBy: root)
  }

  /// Creates a key and its certificate.
  ///
  /// - Parameters:
  ///   - subject: The contents of the certificate.
  ///   - issuer: The identity that signs; `nil` for a self-signed certificate.
  /// - Throws: ``Failure``.
  static func issue(
    _ subject: Subject, signedBy issuer: Identity?
  ) throws(Failure) -> Identity {
    guard let key = copenssl_new_key(), let certificate = X509_new() else { throw failure() }
    // The value 2 means version 3.
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1..<1 << 40))
    X509_gmtime_adj(X509_getm_notBefore(certificate), subject.validity.lowerBound)
    X509_gmtime_adj(X509_getm_notAfter(certificate), subject.validity.upperBound)
    X509_set_pubkey(certificate, key)
    X509_NAME_add_entry_by_txt(
      X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, subject.name, -1, -1, 0)
    X509_set_issuer_name(
      certificate, X509_get_subject_name(issuer?.certificate ?? certificate))
    if let names = subject.alternativeNames {
      guard copenssl_add_extension(certificate, NID_subject_alt_name, names) == 1 else {
        throw failure()
      }
    }
    if subject.isAuthority {
      copenssl_add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE")
    }
    guard X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0 else { throw failure() }
    return Identity(certificate: certificate, key: key)
  }

  private static func failure() -> Failure { Failure(reason: opensslReason()) }
}
