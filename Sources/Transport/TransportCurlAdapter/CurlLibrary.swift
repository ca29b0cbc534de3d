import CCurl

/// What the libcurl that this process runs with can do; the headers may be of another version.
package struct CurlLibrary: Sendable {
  /// The libcurl of this process.
  package static let current = CurlLibrary()

  /// The version as in `LIBCURL_VERSION_NUM`, such as 0x075801 for 7.88.1.
  package let version = curl_version_info(CURLVERSION_FIRST).pointee.version_num

  /// libcurl and its TLS library, such as `libcurl/7.88.1 OpenSSL/3.0.17`.
  package let description =
    String(cString: curl_version()).split(separator: " ").prefix(2).joined(separator: " ")

  /// Whether an exchange that is cancelled while its host is looked up ends at once.
  ///
  /// Before 7.87 libcurl waits for the lookup, and with it the transport's thread.
  package var abandonsLookups: Bool { version >= 0x07_57_00 }

  /// Whether certificates can be pinned from memory, which GnuTLS can't do.
  package var pinsAuthorities: Bool {
    guard let easy = curl_easy_init() else { return false }
    defer { curl_easy_cleanup(easy) }
    return ccurl_set_bytes(easy, CURLOPT_CAINFO_BLOB, "", 0) == CURLE_OK
  }
}
