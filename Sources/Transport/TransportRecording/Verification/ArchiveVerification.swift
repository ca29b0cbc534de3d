public import TransportPort

/// Sends the requests of an archive again, and reports what has changed.
///
/// A recording is stale if the server no longer gives the recorded answers, whatever its age. Requests
/// are sent one at a time, in the recorded order. Declare what may vary with ``matchers``:
///
/// ```swift
/// let report = try await HTTPArchive(contentsOf: "sign-in.har").verify(
///   against: CurlTransport().decodingContent(),
///   ArchiveVerification(
///     asking: "https://staging.example.com",
///     matchers: [.field("X-Request-Id", .uuid), .json("$.items[*].updated", .date)]))
/// #expect(report.verdict == .agrees, "\(report)")
/// ```
/// Wrap the transport like the recorded one, but without redirects, retries or cookies, because each
/// exchange is verified separately.
///
/// The verification compares the status, the header and trailer fields, the content and the kind of an
/// error. It compares JSON by values and other content by bytes. It ignores:
/// - interim responses and reason phrases;
/// - fields of one connection or one moment, such as Date, Age and Transfer-Encoding;
/// - the values of cookies, and the dates in Set-Cookie and Expires;
/// - Content-Length, if there is content.
public struct ArchiveVerification: Sendable {
  /// What may differ. If two matchers name the same place, the later one applies.
  public var matchers: [Matcher]

  /// The methods that are sent again. By default the safe ones: GET, HEAD and OPTIONS (RFC 9110
  /// §9.2.1).
  public var methods: Set<HTTPRequest.Method>

  /// The scheme, host and port to use instead of the recorded ones; `nil` to use the recorded ones.
  public var origin: String?

  /// The recorded origin that ``origin`` replaces; `nil` for that of the first exchange. Exchanges with
  /// other origins are not verified.
  public var recordedOrigin: String?

  /// The maximum time of one exchange.
  public var timeLimit: Duration

  /// The maximum time of all exchanges. Exchanges that have not begun by then are not verified.
  public var overallTimeLimit: Duration

  /// The maximum number of bytes of a response's content.
  public var bodyLimit: Int

  /// Returns the value that a recording redacted; `nil` if it is not known.
  public var secret: @Sendable (RedactedValue) -> String?

  /// Creates a verification.
  ///
  /// - Parameters:
  ///   - origin: The scheme, host and port to use instead of the recorded ones.
  ///   - recordedOrigin: The recorded origin that `origin` replaces.
  ///   - matchers: What may differ.
  ///   - methods: The methods that are sent again.
  ///   - timeLimit: The maximum time of one exchange.
  ///   - overallTimeLimit: The maximum time of all exchanges.
  ///   - bodyLimit: The maximum number of bytes of a response's content.
  ///   - secret: Returns a redacted value; the default reads the environment, see
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
      "\(text.debugDescription) is not an origin; write scheme, host and port: https://h.example:8443"
    case .invalidJSONPath(let path):
      "\(path.debugDescription) is not a JSON path; write user.id, $.items[*].id or $..id"
    case .invalidMatcher(let text):
      "\(text.debugDescription) is not a matcher; write 'field NAME RULE', 'json PATH RULE' or"
        + " 'content RULE' with one of the rules \(ArchiveVerification.Matcher.Rule.spellings)"
    }
  }
}

extension HTTPArchive {
  /// Sends the requests of the archive again, and reports what has changed.
  ///
  /// It writes nothing. A response that differs is reported and not thrown. The call ends within
  /// ``ArchiveVerification/overallTimeLimit`` and about one ``ArchiveVerification/timeLimit``.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - verification: What is sent, and what may differ.
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
