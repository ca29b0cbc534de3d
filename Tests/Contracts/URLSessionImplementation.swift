import ContractTesting
import Testing
import TransportContract
import TransportCurlAdapter
import TransportURLSessionAdapter

extension Implementation<TransportFixture> {
  /// `URLSession`, from the system on Apple platforms and from FoundationNetworking on Linux.
  ///
  /// Cases run in other processes, because new versions of FoundationNetworking and libcurl can crash
  /// on other clauses than those declared here. A process runs cases until one ends it: each case has
  /// its own sessions, and shuts them down.
  static let urlSession: Self = live("urlsession", openURLSession)
    .version { _ in AdaptedVersion.urlSession }
    .lacking(
      .bidirectionalStreaming, because: "the adapter reads all content before it sends any"
    )
    .lacking(
      .customAuthorities,
      because: "FoundationNetworking has no API for certificates, and the adapter has none"
    )
    .lacking(.proxy, because: "FoundationNetworking ignores connectionProxyDictionary, #5199")
    .lacking(.localPorts, because: "a session lets the system choose the local ports")
    .inOwnProcess(sharing: .untilCrash)
    .deviatingByItsInterface
    .deviatingOnLinux

  /// ``urlSession`` without the deviations; none is from a clause that any server can run.
  static let urlSessionWithAnyServer: Self = live("urlsession", openURLSession)
    .version { _ in AdaptedVersion.urlSession }
    .inOwnProcess(sharing: .untilCrash)

  private static func openURLSession(_ scope: FixtureScope) -> TransportFixture {
    TransportFixture(
      in: scope, shuttingDown: { (transport: URLSessionTransport) in transport.shutDown() },
      { setup in URLSessionTransport(limits: setup.limits) })
  }

  /// The clauses that the API of `URLSession` can't satisfy on any platform.
  private var deviatingByItsInterface: Self {
    deviating(
      from: "repeated-fields", "duplicates", "set-cookie", "cookies", kind: .unsupported,
      because: "URLSession stores fields in a dictionary, which joins lines of one name",
      on: [.linux, .apple]
    )
    .deviating(
      from: "request-trailers", "producer-promises", kind: .unsupported,
      because: "URLSession has no API for trailer fields",
      on: [.linux, .apple]
    )
    .deviating(
      from: "raw-content", kind: .unsupported, because: "URLSession always decodes content",
      on: [.linux, .apple]
    )
    .deviating(
      from: "connect-timeout", kind: .unsupported,
      because: "URLSession does not report when it has connected, so bytes may have been sent",
      on: [.linux, .apple]
    )
    .deviating(
      from: "error-facts", kind: .unsupported, because: "URLSession rejects GET with content",
      on: [.linux, .apple])
  }

  /// The clauses that FoundationNetworking breaks, observed in Swift 6.3 with libcurl 7.88.
  private var deviatingOnLinux: Self {
    deviating(
      from: "truncated-head", by: .crashing,
      because: "a response that ends within its head crashes the process", link: issue(5285),
      on: .linux
    )
    .deviating(
      from: "upload-backpressure", "long-upload", kind: .unsupported,
      because:
        "the adapter reads all content before it sends any: a stream would block the queue that "
        + "all sessions share", on: .linux
    )
    .deviating(
      from: "producer-fails", "producer-ends-cancelled", "reset", "early-response", "cut-upload",
      kind: .unsupported, by: .timingOut(after: .seconds(1)),
      because: "the adapter reads all content before it sends any, so content that waits for the "
        + "peer never ends", on: .linux
    )
    .deviating(
      from: "slow-name", by: .timingOut(after: .seconds(1)), intermittently: true,
      because:
        "cancelling a request during its name lookup blocks all sessions until the lookup ends",
      on: .linux
    )
    .deviating(
      from: "cancel-storm", "dropped-response", by: .timingOut(after: .seconds(1)),
      intermittently: true,
      because:
        "curl_multi_socket_action does not return while content arrives faster than it is read, "
        + "and until then no session does anything else, including cancellation", on: .linux
    )
    .deviating(
      from: "no-reason", "no-space", "optional-space", "latin-1", "bare-lf",
      because:
        "its head parser rejects a missing reason phrase, Name:value, an empty value, Latin-1 "
        + "and a bare LF", link: issue(5527), on: .linux
    )
    .deviating(
      from: "reset-before-content", kind: .unsupported,
      because: "a session does not report whether it has sent the content", on: .linux
    )
    .deviating(
      from: "reason-controls",
      because: "its head parser accepts control characters in a reason phrase", on: .linux
    )
    .deviating(
      from: "wire-form", because: "Foundation changes the case of field names", on: .linux
    )
    .deviating(
      from: "version-case", because: "libcurl accepts HTTP in any case", on: .linux
    )
    .deviating(
      from: "minor-version", because: "libcurl rejects a minor version above 1", on: .linux
    )
    .deviating(
      from: "major-version", because: "libcurl accepts a status line of HTTP/2 over HTTP/1.1",
      on: .linux
    )
    .deviating(
      from: "endless-extensions", by: .timingOut(after: .seconds(1)),
      because: "libcurl ignores chunk extensions of any size", on: .linux
    )
    .deviating(
      from: "encoded-nothing", kind: .unsupported, by: .timingOut(after: .seconds(1)),
      because: "libcurl decodes without a limit, below the policy", on: .linux
    )
    .deviating(
      from: "coding-list", "encoded-surplus", "decoded-size", "decoded-ratio", "decoded-overhead",
      "bomb", kind: .unsupported,
      because: "libcurl decodes by its own rules and without a limit, below the policy", on: .linux
    )
    .deviating(
      from: "coding-without-content", because: "the content of a 303 or 305 response is lost",
      on: .linux
    )
    .deviating(
      from: "trailers", "long-trailers", "decoded-trailers", "split-response", "client-trailers",
      "observed-trailers", "bad-trailers", by: .crashing,
      because: "the session finds no response after a trailer field, and ends the process",
      link: issue(5285), on: .linux
    )
    .deviating(
      from: "redirect-reference", because: "Foundation rejects a URL with a bracket in its path",
      on: .linux
    )
    .deviating(
      from: "redirect-reuse", by: .timingOut(after: .seconds(1)),
      because: "an exchange does not end after a redirect with content", on: .linux
    )
    .deviating(
      from: "exact-head-limits", kind: .unsupported,
      because: "URLSession reports the fields of a head, and not its bytes", on: .linux
    )
    .deviating(
      from: "exact-chunk-limits", by: .timingOut(after: .seconds(1)),
      because: "libcurl has other limits for chunk sizes and extensions", on: .linux
    )
    .deviating(
      from: "ipv6-literal", "ipv6-syntax", because: "an IPv6 literal is rejected as a bad URL",
      link: issue(5498), on: .linux
    )
    .deviating(
      from: "query-verbatim",
      because: "libcurl removes dot segments unless CURLOPT_PATH_AS_IS is set", on: .linux
    )
    .deviating(
      from: "bad-chunk", because: "libcurl reads the chunk size 0x3 as 0, the last chunk",
      on: .linux
    )
    .deviating(
      from: "bad-chunk-held", by: .timingOut(after: .seconds(1)),
      because: "libcurl waits for more bytes after 0x3, and for the end of any chunk extension",
      on: .linux
    )
    .deviating(
      from: "bad-head-held", by: .timingOut(after: .seconds(1)),
      because: "a space before a colon is noticed only once the head is complete", on: .linux
    )
    .deviating(
      from: "folded-framing", because: "libcurl returns the chunks undecoded as content", on: .linux
    )
    .deviating(
      from: "old-chunks", "seen-surplus",
      because: "libcurl reuses the connection, and ignores bytes after an empty response",
      on: .linux
    )
    .deviating(
      from: "expectation-failed", "expectation-content",
      because: "libcurl sends the request again after 417, so bytes after that are the response",
      on: .linux
    )
    .deviating(
      from: "idle-gives-way", kind: .unsupported,
      because: "a session keeps idle connections, and has no limit on their total", on: .linux
    )
    .deviating(
      from: "connected-in-time", "waits-untimed", kind: .unsupported,
      because: "a session reports a connection only when the response begins", on: .linux
    )
    .deviating(
      from: "read-after-response",
      because: "a response that begins before its request was read ends the connection", on: .linux
    )
    .deviating(
      from: "unknown-coding", because: "libcurl rejects an unknown coding", on: .linux
    )
    .deviating(
      from: "truncated-coding", because: "libcurl accepts truncated encoded content", on: .linux
    )
    .deviating(
      from: "split-deflate", intermittently: true,
      because:
        "libcurl rejects deflated content without a zlib header if its first byte arrives alone",
      on: .linux
    )
    .deviating(
      from: "gzip-members",
      because: "libcurl decodes only the first member and fails on the second", on: .linux
    )
    .deviating(
      from: "reuse", kind: .unsupported,
      because: "the adapter opens a connection for each POST, because libcurl sends it again if a "
        + "reused one is closed", on: .linux
    )
    .deviating(
      from: "crowd", intermittently: true,
      because:
        "libcurl keeps at most four connections per running exchange, so it closes and reopens "
        + "connections when many exchanges end at once", on: .linux
    )
    .deviating(
      from: "slow-consumer", kind: .unsupported,
      because: "a suspended task restarts its request, so the adapter can't pause a response",
      on: .linux
    )
    .deviating(
      from: "tls-expired", "tls-trusted", "tls-cut", "no-close-notify",
      "own-version", "late-surplus-tls", "tls-not-yet-valid", "tls-client-certificate",
      kind: .unsupported,
      because:
        "no authority can be configured, so every certificate here fails because of its issuer",
      on: .linux
    )
    .deviatingByLibcurl
  }

  /// The clauses that depend on the version of libcurl.
  ///
  /// FoundationNetworking loads the same libcurl as the curl adapter.
  private var deviatingByLibcurl: Self {
    let library = CurlLibrary.current
    var deviating = self
    // Debian sid has libcurl 8.23; no version between 8.14 and this one was run.
    let isNewest = library.version > 0x08_0E_01
    if isNewest {
      deviating = deviating.deviating(
        from: "nul", "conflicting-lengths",
        because: "libcurl 8.23 has a text for it and no code of its own", on: .linux)
    } else {
      deviating = deviating.deviating(
        from: "keeps-idle", kind: .unsupported,
        because:
          "a session sets no limit, and libcurl's own is four connections for each running exchange, "
          + "so the end of the fifth exchange in sequence closes the first one's", on: .linux
      )
      .deviating(
        from: "tls-wrong-host", kind: .unsupported,
        because:
          "no authority can be configured, so every certificate here fails because of its issuer",
        on: .linux)
    }
    if library.version <= 0x08_05_00 {
      deviating = deviating.deviating(
        from: "folded-first",
        because: "libcurl up to 8.5 reports it only as a bad argument", on: .linux)
    }
    if library.offersObsoleteTLS {
      deviating = deviating.deviating(
        from: "tls-version", kind: .unsupported,
        because:
          "libcurl up to 8.5 offers TLS 1.0, and the certificate fails because of its issuer",
        on: .linux)
    }
    if library.maximumFieldLength != nil, !isNewest {
      deviating = deviating.deviating(
        from: "request-head-limit",
        because: "libcurl after 8.5 omits fields of more than 300 KiB", on: .linux)
    }
    if !library.overridesEarlierLength, !isNewest {
      deviating = deviating.deviating(
        from: "coding-until-close",
        because: "libcurl after 8.5 obeys Content-Length despite a transfer coding", on: .linux)
    }
    return deviating
  }
}

/// Returns the URL of an issue of swift-corelibs-foundation.
private func issue(_ number: Int) -> String {
  "https://github.com/swiftlang/swift-corelibs-foundation/issues/\(number)"
}
