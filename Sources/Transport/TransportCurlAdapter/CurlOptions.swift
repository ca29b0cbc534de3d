import CCurl
import TransportPort

/// The options that security depends on; setting them throws if libcurl refuses one.
///
/// libcurl only returns a code for an option that it doesn't support, and then runs the transfer
/// with its default, which may trust more, send more or repeat more than the configuration allows.
struct CurlOptions {
  private let easy: UnsafeMutableRawPointer
  private let configuration: CurlTransport.Configuration

  /// The options of a handle.
  init(_ easy: UnsafeMutableRawPointer, _ configuration: CurlTransport.Configuration) {
    self.easy = easy
    self.configuration = configuration
  }

  /// Throws if this process's libcurl lacks an option that a transport's handles need.
  static func probe(_ configuration: CurlTransport.Configuration) throws(TransportError) {
    let easy = try makeHandle()
    defer { curl_easy_cleanup(easy) }
    let options = CurlOptions(easy, configuration)
    try options.setSecurity()
    // Without this callback, libcurl sends a request again whatever its method.
    try options.check(CURLOPT_PREREQFUNCTION, ccurl_set_prerequest(easy, nil))
  }

  /// Creates an easy handle.
  static func makeHandle() throws(TransportError) -> UnsafeMutableRawPointer {
    guard let easy = curl_easy_init() else {
      throw TransportError(
        .other, phase: .preparing, bytesSent: false, detail: "libcurl is out of memory")
    }
    return easy
  }

  /// Sets the options that decide whom the transport trusts, what it discloses and what it repeats.
  ///
  /// - Throws: ``TransportError/Kind-swift.enum/unsupportedOption(_:)``.
  func setSecurity() throws(TransportError) {
    try restrict(ccurl_option_protocols_str, before785: ccurl_option_protocols)
    try restrict(ccurl_option_redir_protocols_str, before785: ccurl_option_redir_protocols)
    // libcurl would send credentials and secret fields along with a redirect.
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_NETRC, ccurl_netrc_ignored)
    // A proxy's response to CONNECT must not pass for the origin's.
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try setTrust()
    try setProxy()
  }

  /// Allows HTTP and HTTPS only.
  ///
  /// - Parameters:
  ///   - option: The option that takes names, since libcurl 7.85.
  ///   - bits: The option that takes bits, which that one replaces.
  private func restrict(
    _ option: CURLoption, before785 bits: CURLoption
  ) throws(TransportError) {
    let code = refusal(of: option) ?? ccurl_set_string(easy, option, "http,https")
    if code == CURLE_UNKNOWN_OPTION {
      try set(bits, Int(CURLPROTO_HTTP) | Int(CURLPROTO_HTTPS))
    } else {
      try check(option, code)
    }
  }

  private func setTrust() throws(TransportError) {
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, ccurl_ssl_version_tls12)
    switch configuration.authorities {
    case .system:
      // If a folder is set as well as the bundle, libcurl caches no certificates and reads the
      // whole bundle for each connection, which takes longer than the rest of the handshake.
      // libcurl before 7.84 doesn't tell where the bundle is, so there the folder stays.
      if ccurl_readable_bundle(easy) != nil { try clear(CURLOPT_CAPATH) }
    case .pem(let text):
      // The bytes replace the default bundle, but neither the folder nor the system's own store.
      try set(CURLOPT_CAINFO_BLOB, Array(text.utf8))
      try clear(CURLOPT_CAPATH)
      try set(CURLOPT_SSL_OPTIONS, 0)
    }
  }

  private func setProxy() throws(TransportError) {
    switch configuration.proxy {
    case .environment:
      break
    case .none:
      try set(CURLOPT_PROXY, "")
      // Otherwise libcurl reads the environment for each transfer.
      try set(CURLOPT_NOPROXY, "*")
      return
    case .url(let url, let bypassed):
      try set(CURLOPT_PROXY, url)
      try set(CURLOPT_NOPROXY, bypassed.joined(separator: ","))
    }
    // The TLS connection to a proxy has options of its own.
    try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
    try set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    try set(CURLOPT_PROXY_SSLVERSION, ccurl_ssl_version_tls12)
    if case .pem(let text) = configuration.authorities {
      try set(CURLOPT_PROXY_CAINFO_BLOB, Array(text.utf8))
      try clear(CURLOPT_PROXY_CAPATH)
      try set(CURLOPT_PROXY_SSL_OPTIONS, 0)
    }
  }
}

// Setting one option.
extension CurlOptions {
  private func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
    try check(option, ccurl_set_long(easy, option, value))
  }

  private func set(_ option: CURLoption, _ text: String) throws(TransportError) {
    try check(option, ccurl_set_string(easy, option, text))
  }

  private func set(_ option: CURLoption, _ bytes: [UInt8]) throws(TransportError) {
    try check(option, ccurl_set_bytes(easy, option, bytes, bytes.count))
  }

  /// Removes the default of an option.
  private func clear(_ option: CURLoption) throws(TransportError) {
    let code = refusal(of: option) ?? ccurl_set_string(easy, option, nil)
    // A TLS library that can't use the option has no default for it either.
    if code != CURLE_NOT_BUILT_IN { try check(option, code) }
  }

  private func check(_ option: CURLoption, _ code: CURLcode) throws(TransportError) {
    let code = refusal(of: option) ?? code
    guard code != CURLE_OK else { return }
    let name = Self.name(of: option)
    let advice =
      option == CURLOPT_CAINFO_BLOB || option == CURLOPT_PROXY_CAINFO_BLOB
      ? "install libcurl built with OpenSSL (libcurl4-openssl-dev), or trust Authorities.system"
      : "install libcurl 7.81 or newer, built with TLS and proxies"
    throw TransportError(
      .unsupportedOption(name), phase: .preparing, bytesSent: false, code: Int(code.rawValue),
      detail: """
        \(CurlLibrary.current.description) refuses \(name) (\(String(cString: curl_easy_strerror(code)))); \(advice)
        """)
  }

  private func refusal(of option: CURLoption) -> CURLcode? {
    configuration.refusals.isEmpty
      ? nil : configuration.refusals[Self.name(of: option)].map { CURLcode($0) }
  }

  /// An option's name in libcurl's headers, or its number if this libcurl doesn't know it.
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
