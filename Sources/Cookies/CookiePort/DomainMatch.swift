/// Matches hosts against domains (RFC 6265bis §5.1.3).
package enum DomainMatch {
  /// Whether a domain covers a host: they are equal, or the host is a subdomain and no IP address.
  ///
  /// - Parameters:
  ///   - host: A canonical host.
  ///   - domain: A domain in lower case, without a leading dot.
  package static func matches(host: String, domain: String) -> Bool {
    let host = host.utf8
    let domain = domain.utf8
    guard host.count > domain.count else { return host.elementsEqual(domain) }
    guard !domain.isEmpty else { return false }
    let tail = host.suffix(domain.count)
    guard host[host.index(before: tail.startIndex)] == UInt8(ascii: "."),
      tail.elementsEqual(domain)
    else { return false }
    return !CanonicalHost.isAddress(String(host))
  }

  /// Returns the domains that cover a host: itself and, unless it is an IP address, its parents.
  ///
  /// - Parameter host: A canonical host.
  package static func domains(covering host: String) -> [String] {
    var domains = [host]
    guard !CanonicalHost.isAddress(host) else { return domains }
    var rest = host.utf8[...]
    while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest.suffix(from: rest.index(after: dot))
      // No domain follows a trailing dot.
      if !rest.isEmpty { domains.append(String(Substring(rest))) }
    }
    return domains
  }
}
