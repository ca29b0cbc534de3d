import CCurl
import TransportPort

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

  /// The number of bytes up to which libcurl sends a field's value; `nil` if there is no such limit.
  ///
  /// libcurl 8.14 leaves out a field without an error if its value, with the space before it, is longer
  /// than MAX_HTTP_RESP_HEADER_SIZE (lib/http.c); 8.5 does not. Versions in between count as newer.
  package var maximumFieldLength: Int? { version > 0x08_05_00 ? 300 * 1024 - 1 : nil }

  /// Whether libcurl traces content that it discards, which is that of a 417 response.
  ///
  /// libcurl 8.5 does, 8.14 doesn't (lib/sendf.c). Versions in between count as newer.
  package var tracesDiscardedContent: Bool { version <= 0x08_05_00 }

  /// Whether a transfer coding other than chunks overrides a Content-Length that came before it.
  ///
  /// Not in libcurl 8.14 (lib/http.c). Versions after 8.5 count as newer.
  package var overridesEarlierLength: Bool { version <= 0x08_05_00 }

  /// Whether libcurl offers TLS 1.0 and 1.1 by default; 7.88 does, 8.14 doesn't.
  package var offersObsoleteTLS: Bool { version <= 0x08_05_00 }

  /// Whether certificates can be pinned from memory, which GnuTLS can't do.
  package var pinsAuthorities: Bool {
    guard let easy = curl_easy_init() else { return false }
    defer { curl_easy_cleanup(easy) }
    return ccurl_set_bytes(easy, CURLOPT_CAINFO_BLOB, "", 0) == CURLE_OK
  }
}

extension WireRequest {
  /// Throws if libcurl would leave out a field because of its length.
  func checkFieldLengths(_ library: CurlLibrary = .current) throws(TransportError) {
    guard let limit = library.maximumFieldLength else { return }
    for field in headerFields where max(field.bytes.count, field.name.rawName.utf8.count) > limit {
      throw error(
        .invalidRequest(.headTooLarge), phase: .preparing, bytesSent: false,
        detail: """
          the value of \(field.name.rawName.prefix(100)) has \(field.bytes.count) bytes, and \
          \(library.description) leaves out fields of more than \(limit) bytes
          """)
    }
  }
}
