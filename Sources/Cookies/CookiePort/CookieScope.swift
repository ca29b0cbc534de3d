/// A domain and its subdomains, as a user names them to list or delete cookies.
package struct CookieScope: Sendable, Hashable {
  /// The canonical domain.
  private let domain: String

  /// Creates a scope, or returns `nil` if the text is not a host: no cookie can belong to it.
  ///
  /// - Parameter text: A domain in A-labels or U-labels, in any case, with or without a leading dot;
  ///   or an IP address.
  package init?(_ text: String) {
    let name = text.utf8.first == UInt8(ascii: ".") ? String(text.dropFirst()) : text
    guard let host = CanonicalHost(name) else { return nil }
    domain = host.name
  }

  /// Whether a cookie's domain is this one or a subdomain.
  package func contains(_ cookie: Cookie) -> Bool {
    DomainMatch.matches(host: cookie.domain, domain: domain)
  }
}
