import CCurl
import TransportPort

/// Sets the options that security depends on, and throws if libcurl rejects one.
///
/// For an option that it does not support, libcurl only returns a code. A transfer then runs with
/// the default, which may trust more servers, disclose more data or repeat more requests than the
/// configuration allows.
struct CurlOptions {
  private let easy: UnsafeMutableRawPointer
  private let configuration: CurlTransport.Configuration

  /// Creates a setter for the options of an easy handle.
  init(_ easy: UnsafeMutableRawPointer, _ configuration: CurlTransport.Configuration) {
    self.easy = easy
    self.configuration = configuration
  }

  /// Throws `unsupportedOption` if libcurl lacks an option that the configuration needs.
  static func probe(_ configuration: CurlTransport.Configuration) throws(TransportError) {
    let easy = try makeHandle()
    defer { curl_easy_cleanup(easy) }
    let options = CurlOptions(easy, configuration)
    try options.setSecurity()
    // Without this callback, the adapter could not stop libcurl from resending a POST.
    try options.check(CURLOPT_PREREQFUNCTION, ccurl_set_prerequest(easy, nil))
  }

  /// Creates an easy handle.
  static func makeHandle() throws(TransportError) -> UnsafeMutableRawPointer {
    guard let easy = curl_easy_init() else {
      throw TransportError(
        .other, phase: .preparing, bytesSent: false, detail: "libcurl could not create a handle")
    }
    return easy
  }

  /// Sets the protocols, trust and proxy, and disables redirects and netrc.
  ///
  /// - Throws: ``TransportError/Kind-swift.enum/unsupportedOption(_:)``.
  func setSecurity() throws(TransportError) {
    try restrict(ccurl_option_protocols_str, before785: ccurl_option_protocols)
    try restrict(ccurl_option_redir_protocols_str, before785: ccurl_option_redir_protocols)
    // libcurl would send credentials and secret fields to the target of a redirect.
    try set(CURLOPT_FOLLOWLOCATION, false)
    try set(CURLOPT_NETRC, ccurl_netrc_ignored)
    // Otherwise the proxy's response to CONNECT looks like the origin's response.
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    try setTrust()
    try setProxy()
  }

  /// Allows only HTTP and HTTPS.
  ///
  /// - Parameters:
  ///   - option: The option that takes protocol names, new in libcurl 7.85.
  ///   - bits: The option that takes a bit mask, for older versions.
  private func restrict(
    _ option: CURLoption, before785 bits: CURLoption
  ) throws(TransportError) {
    let code = simulatedRefusal(of: option) ?? ccurl_set_string(easy, option, "http,https")
    if code == CURLE_UNKNOWN_OPTION {
      try set(bits, Int(CURLPROTO_HTTP) | Int(CURLPROTO_HTTPS))
    } else {
      try check(option, code)
    }
  }

  private func setTrust() throws(TransportError) {
    try set(CURLOPT_SSL_VERIFYPEER, true)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, ccurl_ssl_version_tls12)
    switch configuration.authorities {
    case .system:
      // libcurl caches the parsed bundle only if no directory is set as well. Without the cache it
      // parses the whole bundle for each connection, which takes longer than the rest of the
      // handshake. libcurl before 7.84 does not report the bundle's path, so it keeps the directory.
      if ccurl_readable_bundle(easy) != nil { try clear(CURLOPT_CAPATH) }
    case .pem(let text):
      // The blob replaces the default bundle, but not the directory or the system's store.
      try set(CURLOPT_CAINFO_BLOB, Self.bundle(text))
      try clear(CURLOPT_CAPATH)
      try set(CURLOPT_SSL_OPTIONS, 0)
    }
  }

  /// The bytes of a bundle; never empty, which libcurl 8.23 rejects.
  private static func bundle(_ text: String) -> [UInt8] { Array((text.isEmpty ? "\n" : text).utf8) }

  private func setProxy() throws(TransportError) {
    switch configuration.proxy {
    case .environment:
      break
    case .none:
      // For all hosts, so that libcurl doesn't read the environment for each transfer.
      try set(CURLOPT_NOPROXY, "*")
      return
    case .url(let url, let bypassed):
      try set(CURLOPT_PROXY, url)
      try set(CURLOPT_NOPROXY, bypassed.joined(separator: ","))
    }
    // The TLS connection to a proxy has separate options.
    try set(CURLOPT_PROXY_SSL_VERIFYPEER, true)
    try set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    try set(CURLOPT_PROXY_SSLVERSION, ccurl_ssl_version_tls12)
    if case .pem(let text) = configuration.authorities {
      try set(CURLOPT_PROXY_CAINFO_BLOB, Self.bundle(text))
      try clear(CURLOPT_PROXY_CAPATH)
      try set(CURLOPT_PROXY_SSL_OPTIONS, 0)
    }
  }
}

// Setters for single options.
extension CurlOptions {
  private func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
    try check(option, ccurl_set_long(easy, option, value))
  }

  private func set(_ option: CURLoption, _ isOn: Bool) throws(TransportError) {
    try set(option, isOn ? 1 : 0)
  }

  private func set(_ option: CURLoption, _ text: String) throws(TransportError) {
    try check(option, ccurl_set_string(easy, option, text))
  }

  private func set(_ option: CURLoption, _ bytes: [UInt8]) throws(TransportError) {
    try check(option, ccurl_set_bytes(easy, option, bytes, bytes.count))
  }

  /// Removes the default value of an option.
  private func clear(_ option: CURLoption) throws(TransportError) {
    let code = simulatedRefusal(of: option) ?? ccurl_set_string(easy, option, nil)
    // A TLS library that does not support the option has no default for it either.
    if code != CURLE_NOT_BUILT_IN { try check(option, code) }
  }

  /// Throws `unsupportedOption` if libcurl returned an error for an option.
  private func check(_ option: CURLoption, _ code: CURLcode) throws(TransportError) {
    let code = simulatedRefusal(of: option) ?? code
    guard code != CURLE_OK else { return }
    let name = Self.name(of: option)
    let advice =
      option == CURLOPT_CAINFO_BLOB || option == CURLOPT_PROXY_CAINFO_BLOB
      ? "install libcurl built with OpenSSL (libcurl4-openssl-dev), or use Authorities.system"
      : "install libcurl 7.81 or newer, built with TLS and proxy support"
    throw TransportError(
      .unsupportedOption(name), phase: .preparing, bytesSent: false, code: Int(code.rawValue),
      detail: """
        \(CurlLibrary.current.description) rejected \(name) \
        (\(String(cString: curl_easy_strerror(code)))); \(advice)
        """)
  }

  /// The code that a test set for an option; `nil` if none.
  private func simulatedRefusal(of option: CURLoption) -> CURLcode? {
    configuration.simulatedRefusals.isEmpty
      ? nil : configuration.simulatedRefusals[Self.name(of: option)].map { CURLcode($0) }
  }

  /// The option's name in libcurl's headers, or its number if this libcurl does not know it.
  private static func name(of option: CURLoption) -> String {
    switch option {
    case ccurl_option_protocols_str: "CURLOPT_PROTOCOLS_STR"
    case ccurl_option_redir_protocols_str: "CURLOPT_REDIR_PROTOCOLS_STR"
    default:
      curl_easy_option_by_id(option).map { "CURLOPT_" + String(cString: $0.pointee.name) }
        ?? "option \(option.rawValue)"
    }
  }
}
