/// Which hosts a domain covers (RFC 6265bis §5.1.3).
package enum DomainMatch {
  /// Whether a host is a domain or, unless it is an IP address, stands below it.
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

  /// The domains that cover a host: itself and, unless it is an IP address, every one above it.
  ///
  /// - Parameter host: A canonical host.
  package static func domains(covering host: String) -> [String] {
    let octets = Array(host.utf8)
    let isAddress = CanonicalHost.isAddress(host)
    var domains = [host]
    var start = 0
    while !isAddress, let next = octets.withUnsafeBufferPointer({ nextStart(after: start, in: $0) })
    {
      domains.append(String(decoding: octets[next...], as: UTF8.self))
      start = next
    }
    return domains
  }

  /// Where the next domain above one begins in the octets of a host, unless there is none.
  ///
  /// - Parameter start: Where the one begins; 0 for the host itself, which may be no IP address.
  package static func nextStart(
    after start: Int, in octets: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    var index = start
    while index < octets.count - 1 {
      if octets[index] == UInt8(ascii: ".") { return index + 1 }
      index += 1
    }
    return nil
  }
}
