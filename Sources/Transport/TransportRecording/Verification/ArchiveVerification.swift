public import TransportPort

/// Asks the live side again for the exchanges of an archive, and names what has changed.
///
/// A recording is stale when the live side no longer answers as it did: that is a matter of its
/// content and not of its age. Requests are sent one after the other, in the order in which they were
/// recorded. What may vary is declared with ``matchers``:
///
/// ```swift
/// let report = try await HTTPArchive(contentsOf: "sign-in.har").verify(
///   against: CurlTransport().decodingContent(),
///   ArchiveVerification(
///     asking: "https://staging.example.com",
///     matchers: [.field("X-Request-Id", .uuid), .json("$.items[*].updated", .date)]))
/// #expect(report.verdict == .agrees, "\(report)")
/// ```
/// Wrap the transport as the recorded one was, and put no redirects, retries or cookies above it: each
/// exchange is asked by itself.
///
/// Compared are the status, the header and trailer fields, the content and the kind of an error; interim
/// responses and reason phrases are not. Fields that belong to one connection or one moment (Date, Age,
/// Transfer-Encoding and others) are not compared, nor are the values of cookies, the dates in
/// Set-Cookie and Expires, and Content-Length where there is content. JSON is compared by its values,
/// other content by its bytes.
public struct ArchiveVerification: Sendable {
  /// What may differ; of two matchers for one place the later counts.
  public var matchers: [Matcher]

  /// The methods that are asked again. The default is those that change nothing: GET, HEAD and OPTIONS
  /// (RFC 9110 §9.2.1).
  public var methods: Set<HTTPRequest.Method>

  /// The scheme, host and port to ask instead of the recorded ones; `nil` to ask the recorded ones.
  public var origin: String?

  /// The recorded origin that ``origin`` stands for; `nil` for that of the first exchange. Exchanges
  /// with other origins are not verified.
  public var recordedOrigin: String?

  /// The maximum time of one exchange.
  public var timeLimit: Duration

  /// The maximum time of all exchanges; those that are left are not verified.
  public var overallTimeLimit: Duration

  /// The maximum number of bytes of a response's content.
  public var bodyLimit: Int

  /// Returns the value that a recording redacted; `nil` if it is not known.
  public var secret: @Sendable (RedactedValue) -> String?

  /// Creates a verification.
  ///
  /// - Parameters:
  ///   - origin: The scheme, host and port to ask instead of the recorded ones.
  ///   - recordedOrigin: The recorded origin that `origin` stands for.
  ///   - matchers: What may differ.
  ///   - methods: The methods that are asked again.
  ///   - timeLimit: The maximum time of one exchange.
  ///   - overallTimeLimit: The maximum time of all exchanges.
  ///   - bodyLimit: The maximum number of bytes of a response's content.
  ///   - secret: Returns a redacted value; the default asks the environment, see
  ///     ``RedactedValue/environmentVariable``.
  public init(
    asking origin: String? = nil, insteadOf recordedOrigin: String? = nil,
    matchers: [Matcher] = [], methods: Set<HTTPRequest.Method> = [.get, .head, .options],
    timeLimit: Duration = .seconds(30), overallTimeLimit: Duration = .seconds(300),
    bodyLimit: Int = 16 << 20,
    secret: @escaping @Sendable (RedactedValue) -> String? = { $0.inEnvironment }
  ) {
    self.origin = origin
    self.recordedOrigin = recordedOrigin
    self.matchers = matchers
    self.methods = methods
    self.timeLimit = timeLimit
    self.overallTimeLimit = overallTimeLimit
    self.bodyLimit = bodyLimit
    self.secret = secret
  }
}

/// A verification that cannot begin.
public enum ArchiveVerificationError: Error, Sendable, Hashable {
  /// The text is not a scheme, a host and an optional port.
  case invalidOrigin(String)
  /// The path of a matcher for JSON cannot be read.
  case invalidJSONPath(String)
  /// The text of a matcher cannot be read.
  case invalidMatcher(String)
}

extension ArchiveVerificationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidOrigin(let text):
      "\(text.debugDescription) is no origin; write scheme, host and port: https://h.example:8443"
    case .invalidJSONPath(let path):
      "\(path.debugDescription) is no JSON path; write user.id, $.items[*].id or $..id"
    case .invalidMatcher(let text):
      "\(text.debugDescription) is no matcher; write 'field NAME RULE', 'json PATH RULE' or"
        + " 'content RULE' with one of the rules \(ArchiveVerification.Matcher.Rule.spellings)"
    }
  }
}

extension HTTPArchive {
  /// Asks the live side again for the exchanges of the archive, and names what has changed.
  ///
  /// Nothing is written, and a response that differs is no error: the report names it. The call ends
  /// within ``ArchiveVerification/overallTimeLimit`` and about one ``ArchiveVerification/timeLimit``.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - verification: What is asked, and what may differ.
  ///   - clock: The clock that measures the time limits.
  /// - Throws: ``ArchiveVerificationError`` before anything is sent.
  public func verify(
    against transport: any HTTPTransport, _ verification: ArchiveVerification = .init(),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws(ArchiveVerificationError) -> ArchiveVerification.Report {
    let run = try VerificationRun(self, verification, transport, clock)
    return await run.report()
  }
}
