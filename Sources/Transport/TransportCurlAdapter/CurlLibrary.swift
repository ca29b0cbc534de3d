import CCurl
import TransportPort

/// The version and capabilities of the libcurl in this process, which may differ from the headers.
package struct CurlLibrary: Sendable {
  /// The libcurl of this process.
  package static let current = CurlLibrary()

  /// The version in the format of `LIBCURL_VERSION_NUM`, such as 0x075801 for 7.88.1.
  package let version: UInt32

  /// Creates a library of a version; by default that of this process.
  init(version: UInt32 = curl_version_info(CURLVERSION_FIRST).pointee.version_num) {
    self.version = version
  }

  /// The names and versions of libcurl and its TLS library, such as `libcurl/7.88.1 OpenSSL/3.0.17`.
  package let description =
    String(cString: curl_version()).split(separator: " ").prefix(2).joined(separator: " ")

  /// Whether libcurl may be given several records of an HTTP/2 connection in one call.
  ///
  /// The contracts pass with 7.88 and 8.14. With 8.21, a download that nobody reads then stalls others on its connection.
  var readsSeveralRecords: Bool { version < 0x08_0f_00 }

  /// Whether an exchange can be cancelled during its host lookup without blocking.
  ///
  /// Before 7.87, libcurl blocks the driver thread until the lookup ends.
  package var abandonsLookups: Bool { version >= 0x07_57_00 }

  /// The maximum length of a field value that libcurl sends, in bytes; `nil` if unlimited.
  ///
  /// libcurl 8.14 omits a field without an error if its value, with the space before it, is longer
  /// than MAX_HTTP_RESP_HEADER_SIZE (lib/http.c). 8.5 has no limit. Versions in between were not
  /// examined and are treated like 8.14, here and below.
  package var maximumFieldLength: Int? { version > 0x08_05_00 ? 300 * 1024 - 1 : nil }

  /// Whether libcurl traces content that it discards, such as that of a 417 response.
  ///
  /// libcurl 8.5 does, 8.14 does not (lib/sendf.c).
  package var tracesDiscardedContent: Bool { version <= 0x08_05_00 }

  /// Whether a transfer coding other than chunked overrides a Content-Length that precedes it.
  ///
  /// libcurl 8.5 does so, 8.14 does not (lib/http.c).
  package var overridesEarlierLength: Bool { version <= 0x08_05_00 }

  /// Whether libcurl changes the case of percent-encoded bytes in a URL.
  ///
  /// libcurl 8.14 does not, 8.23 does.
  package var normalizesURLs: Bool { version > 0x08_0E_01 }

  /// Whether libcurl reports that it used a proxy.
  package var reportsProxy: Bool { version >= 0x08_07_00 }

  /// Whether libcurl joins the lines of a folded field before it calls the header callback.
  ///
  /// libcurl 8.14 does not, 8.23 does.
  package var joinsFoldedFields: Bool { version > 0x08_0E_01 }

  /// Whether libcurl offers TLS 1.0 and 1.1 by default. 7.88 does, 8.14 does not.
  package var offersObsoleteTLS: Bool { version <= 0x08_05_00 }

  /// Whether libcurl accepts pinned certificates from memory; with GnuTLS it does not.
  package var pinsAuthorities: Bool {
    guard let easy = curl_easy_init() else { return false }
    defer { curl_easy_cleanup(easy) }
    return ccurl_set_bytes(easy, CURLOPT_CAINFO_BLOB, "\n", 1) == CURLE_OK
  }
}

extension WireRequest {
  /// Throws `invalidRequest` if libcurl would omit a field because of its length.
  func checkFieldLengths(_ library: CurlLibrary = .current) throws(TransportError) {
    guard let limit = library.maximumFieldLength else { return }
    for field in headerFields where max(field.bytes.count, field.name.rawName.utf8.count) > limit {
      throw error(
        .invalidRequest(.headTooLarge), phase: .preparing, bytesSent: false,
        detail: """
          the field \(field.name.rawName.prefix(100)) has a value of \(field.bytes.count) bytes; \
          \(library.description) omits fields of more than \(limit) bytes
          """)
    }
  }
}
