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
    let bytes = Array(host.utf8)
    let isAddress = CanonicalHost.isAddress(host)
    var domains = [host]
    var start = 0
    while !isAddress, let next = bytes.withUnsafeBufferPointer({ nextStart(after: start, in: $0) })
    {
      domains.append(String(decoding: bytes[next...], as: UTF8.self))
      start = next
    }
    return domains
  }

  /// Returns the offset of the next parent domain in the bytes of a host, or `nil` if there is
  /// none.
  ///
  /// - Parameters:
  ///   - start: The offset of the current domain; 0 for the host itself.
  ///   - bytes: The bytes of the host, which must not be an IP address.
  package static func nextStart(
    after start: Int, in bytes: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    var index = start
    while index < bytes.count - 1 {
      if bytes[index] == UInt8(ascii: ".") { return index + 1 }
      index += 1
    }
    return nil
  }
}
