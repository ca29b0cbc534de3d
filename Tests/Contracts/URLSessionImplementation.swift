import ContractTesting
import Testing
import TransportContract
import TransportCurlAdapter
import TransportURLSessionAdapter

extension Implementation<TransportFixture> {
  /// `URLSession`, of the system on Apple's platforms and of FoundationNetworking elsewhere.
  ///
  /// Each case has a process of its own: what ends one may change with every version of the libraries.
  static let urlSession = live("urlsession") { scope in
    TransportFixture(in: scope, shuttingDown: { $0.shutDown() }) { setup in
      URLSessionTransport(limits: setup.limits)
    }
  }
  .lacking(
    .bidirectionalStreaming, because: "content is made before it is sent"
  )
  .lacking(
    .customAuthorities,
    because: "FoundationNetworking takes no certificates, and the adapter asks for none elsewhere"
  )
  .lacking(.proxy, because: "FoundationNetworking ignores connectionProxyDictionary, #5199")
  .inOwnProcess()
  .deviatingByItsInterface
  .deviatingOnLinux

  /// What the interface of `URLSession` has no place for, on every platform.
  private var deviatingByItsInterface: Self {
    deviating(
      from: "repeated-fields", "duplicates", "set-cookie", "cookies", kind: .unsupported,
      because: "fields are in a dictionary, in which lines of one name are joined",
      on: [.linux, .apple]
    )
    .deviating(
      from: "request-trailers", kind: .unsupported, because: "there is no place for trailer fields",
      on: [.linux, .apple]
    )
    .deviating(
      from: "raw-content", kind: .unsupported, because: "content is decoded unasked",
      on: [.linux, .apple]
    )
    .deviating(
      from: "connect-timeout", kind: .unsupported,
      because: "it isn't told when there is a connection, so bytes may have been sent",
      on: [.linux, .apple]
    )
    .deviating(
      from: "error-facts", kind: .unsupported, because: "GET can't have content",
      on: [.linux, .apple])
  }

  /// What FoundationNetworking does otherwise, as observed in Swift 6.3 over libcurl 7.88.
  private var deviatingOnLinux: Self {
    deviating(
      from: "truncated-head", by: .crashing,
      because: "a response that ends within its head ends the process", link: issue(5285),
      on: .linux
    )
    .deviating(
      from: "trailers", by: .crashing, because: "trailer fields end the process",
      link: issue(5285), on: .linux
    )
    .deviating(
      from: "upload-backpressure", "long-upload", kind: .unsupported,
      because: "content is made before it is sent: a stream would be read on the one queue of all "
        + "sessions", on: .linux
    )
    .deviating(
      from: "producer-fails", "reset", "early-response", kind: .unsupported,
      by: .timingOut(after: .seconds(2)),
      because: "content is made before it is sent, and these producers wait for the peer",
      on: .linux
    )
    .deviating(
      from: "slow-name", by: .timingOut(after: .seconds(2)), intermittently: true,
      because: "a request that is cancelled once its lookup has begun holds up all sessions until "
        + "the lookup ends", on: .linux
    )
    .deviating(
      from: "cancel-storm", "dropped-response", by: .timingOut(after: .seconds(2)),
      intermittently: true,
      because: "content that comes faster than it is read keeps libcurl's "
        + "curl_multi_socket_action from returning, and until then no session does anything else, "
        + "cancelling included", on: .linux
    )
    .deviating(
      from: "no-reason", "no-space", "optional-space", "latin-1", "bare-lf",
      because: "its parser of heads refuses a missing reason, Name:value, an empty value, Latin-1 "
        + "and a bare LF", link: issue(5527), on: .linux
    )
    .deviating(
      from: "version-case", because: "libcurl takes any case of HTTP in the version", on: .linux
    )
    .deviating(
      from: "ipv6-literal", because: "an IPv6 literal is refused as a bad URL", link: issue(5498),
      on: .linux
    )
    .deviating(
      from: "query-verbatim", because: "libcurl resolves dot segments; needs CURLOPT_PATH_AS_IS",
      on: .linux
    )
    .deviating(
      from: "bad-chunk", because: "libcurl takes 0x3 for the last chunk", on: .linux
    )
    .deviating(
      from: "bad-chunk-held", by: .timingOut(after: .seconds(2)),
      because: "libcurl waits for what follows 0x3, and for the end of any chunk extension",
      on: .linux
    )
    .deviating(
      from: "folded-framing", because: "libcurl hands out the chunks as content", on: .linux
    )
    .deviating(
      from: "old-chunks", "seen-surplus",
      because: "libcurl keeps the connection, and passes over what follows an empty response",
      on: .linux
    )
    .deviating(
      from: "expectation-failed", because: "libcurl sends a request again after 417", on: .linux
    )
    .deviating(
      from: "cut-upload", kind: .unsupported, by: .timingOut(after: .seconds(2)),
      because: "content is made before it is sent, and this producer waits for the peer",
      on: .linux
    )
    .deviating(
      from: "folded-first",
      because: "libcurl refuses it as a bad argument, which is told as no more than that",
      on: .linux
    )
    .deviating(
      from: "unknown-coding", because: "libcurl refuses a coding that it doesn't know", on: .linux
    )
    .deviating(
      from: "truncated-coding", because: "libcurl takes encoded content that ends early", on: .linux
    )
    .deviating(
      from: "gzip-members", because: "libcurl takes the first member and fails on the second",
      on: .linux
    )
    .deviating(
      from: "bomb", kind: .unsupported,
      because: "libcurl decodes without a limit, before the policy sees anything", on: .linux
    )
    .deviating(
      from: "reuse", kind: .unsupported,
      because: "POST has a connection of its own, since libcurl sends it again when a kept one is "
        + "dead", on: .linux
    )
    .deviating(
      from: "crowd", intermittently: true,
      because: "libcurl keeps four connections for each exchange under way, so that it closes and "
        + "opens some when many end at once", on: .linux
    )
    .deviating(
      from: "slow-consumer", kind: .unsupported,
      because: "a task that is suspended starts anew, so nothing slows a response down",
      on: .linux
    )
    .deviating(
      from: "tls-expired", "tls-wrong-host", "tls-trusted", "tls-cut", "no-close-notify",
      "own-version", kind: .unsupported,
      because: "no authority can be given, so that every certificate here fails for its issuer",
      on: .linux
    )
    .deviatingByLibcurl
  }

  /// What depends on the version of libcurl, which FoundationNetworking loads as the curl adapter does.
  private var deviatingByLibcurl: Self {
    let library = CurlLibrary.current
    var deviating = self
    if library.offersObsoleteTLS {
      deviating = deviating.deviating(
        from: "tls-version", kind: .unsupported,
        because: "libcurl up to 8.5 offers TLS 1.0, and the certificate fails for its issuer",
        on: .linux)
    }
    if library.maximumFieldLength != nil {
      deviating = deviating.deviating(
        from: "request-head-limit",
        because: "libcurl after 8.5 leaves out fields of more than 300 KiB", on: .linux)
    }
    if !library.overridesEarlierLength {
      deviating = deviating.deviating(
        from: "coding-until-close",
        because: "libcurl after 8.5 obeys Content-Length beside a coding other than chunks",
        on: .linux)
    }
    if !library.tracesDiscardedContent {
      deviating = deviating.deviating(
        from: "expectation-content", because: "libcurl after 8.5 repeats the request", on: .linux)
    }
    return deviating
  }
}

/// The address of an issue of swift-corelibs-foundation.
private func issue(_ number: Int) -> String {
  "https://github.com/swiftlang/swift-corelibs-foundation/issues/\(number)"
}
