import COpenSSL

/// Issues certificates that are made when they are needed, so that none is ever out of date.
final class CertificateAuthority: Sendable {
  /// OpenSSL could not do its part.
  struct Failure: Error {
    var reason: String
  }

  /// A certificate with its key.
  ///
  /// Sendable, since neither is changed once made and OpenSSL counts their references atomically.
  struct Identity: @unchecked Sendable {
    var certificate: OpaquePointer
    var key: OpaquePointer

    /// The certificate as PEM.
    var certificatePEM: String { CertificateAuthority.pem { PEM_write_bio_X509($0, certificate) } }

    /// The key as PEM, in the clear.
    var keyPEM: String {
      CertificateAuthority.pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }
  }

  /// What a certificate says.
  struct Subject {
    var name: String
    /// In OpenSSL's syntax.
    var alternativeNames: String?
    /// Seconds from now.
    var validity = -86_400...86_400 * 30
    var isAuthority = false
  }

  private let root: Identity

  /// An authority with a root certificate of its own.
  init(name: String) throws(Failure) {
    root = try Self.issue(Subject(name: name, isAuthority: true), signedBy: nil)
  }

  /// The root certificate in PEM: what a client must trust.
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

  /// Makes a key and its certificate.
  ///
  /// - Parameters:
  ///   - subject: What the certificate says.
  ///   - issuer: Who signs; `nil` for the certificate itself.
  static func issue(
    _ subject: Subject, signedBy issuer: Identity?
  ) throws(Failure) -> Identity {
    guard let key = copenssl_new_key(), let certificate = X509_new() else { throw failure() }
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
