import SystemLocks
public import TransportPort

/// A transport without a network that answers requests from an archive.
///
/// A request gets the answer of an entry that agrees in:
/// - the method;
/// - the URL without userinfo and fragment: scheme, host, port, path and query, to the byte, after
///   host and port are normalised;
/// - the content, to the byte, or as JSON (up to 1 MiB) whatever the order of members and the white
///   space. An entry whose archive lacks the content of the request agrees with any content, if no
///   other entry agrees;
/// - the fields named in `matchingFields`.
///
/// The request is redacted like the recording before it is compared, so secrets may differ.
///
/// Requests that agree with several entries get their answers in the order in which the recorded
/// exchanges started, and then the last answer again. An entry without a response is skipped if another
/// entry that agrees has one, unless ``RecordingTransport`` recorded how it failed; then it fails again.
///
/// A request that agrees with no entry fails with ``TransportError`` of kind `other`, whose
/// ``TransportError/underlying`` is a ``ReplayMismatch``. Options of the exchange have no effect.
///
/// ```swift
/// let transport = try ReplayTransport(har: "sign-in.har")
/// try await signIn(over: transport.followingRedirects())
/// ```
public final class ReplayTransport: HTTPTransport {
  /// What a request gets after the last recorded answer.
  public enum Exhaustion: Sendable, Hashable {
    /// The last answer again.
    case repeatsLast
    /// An error of kind `other`, with a ``ReplayMismatch`` that says how often it was recorded.
    case fails
  }

  private let index: ReplayIndex
  private let exhaustion: Exhaustion
  private let played = Mutex<[ReplayIndex.Key: Int]>([:])

  /// Creates a transport that plays the archive in a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - matchingFields: Fields of the request that must agree as well; a missing one agrees with a
  ///     missing one.
  ///   - exhaustion: What a request gets after the last recorded answer.
  ///   - limits: Limits on what is read.
  /// - Throws: ``HTTPArchiveError``.
  public convenience init(
    har path: String, matchingFields: [HTTPField.Name] = [],
    afterLast exhaustion: Exhaustion = .repeatsLast, limits: HTTPArchive.Limits = .init()
  ) throws(HTTPArchiveError) {
    self.init(
      try HTTPArchive(contentsOf: path, limits: limits), matchingFields: matchingFields,
      afterLast: exhaustion)
  }

  /// Creates a transport that plays an archive in memory.
  public init(
    _ archive: HTTPArchive, matchingFields: [HTTPField.Name] = [],
    afterLast exhaustion: Exhaustion = .repeatsLast
  ) {
    self.index = ReplayIndex(archive, matchingFields: matchingFields)
    self.exhaustion = exhaustion
  }

  public func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    try wire.checkCancellation()
    let content = try await read(body, wire)
    let wanted: ReplayIndex.Key
    do { wanted = try index.key(of: wire, content) } catch {
      throw wire.error(
        .other, phase: .preparing, bytesSent: false,
        detail: "the content of the request cannot be compared: \(error.reason)")
    }
    guard let (key, entries) = index.entries(for: wanted) else {
      throw mismatch(wire, index.mismatch(of: wanted))
    }
    let turn = played.withLock { played in
      defer { played[key, default: 0] += 1 }
      return played[key, default: 0]
    }
    guard turn < entries.count || exhaustion == .repeatsLast else {
      throw mismatch(
        wire,
        ReplayMismatch(
          method: key.method, url: index.masked(key.url), recordedAnswers: entries.count,
          candidates: []))
    }
    return try play(entries[min(turn, entries.count - 1)], request, wire)
  }

  private func mismatch(_ wire: WireRequest, _ mismatch: ReplayMismatch) -> TransportError {
    wire.error(
      .other, phase: .preparing, bytesSent: false, detail: mismatch.description,
      underlying: mismatch)
  }

  /// Reads the content of a request, up to the size of an archive.
  private func read(
    _ body: HTTPRequestBody, _ wire: WireRequest
  ) async throws(TransportError) -> [UInt8] {
    let limit = HTTPArchive.Limits().bytes
    let reader = try body.makeReader(length: wire.contentLength)
    var content: [UInt8] = []
    while let chunk = try await reader.next() {
      content += chunk
      guard content.count <= limit else {
        throw wire.error(
          .other, phase: .sending, bytesSent: false,
          detail: "the content of the request is larger than any archive, \(limit) bytes")
      }
    }
    _ = try await reader.trailerFields()
    return content
  }

  private func play(
    _ number: Int, _ request: HTTPRequest, _ wire: WireRequest
  ) throws(TransportError) -> HTTPExchange {
    let entry = index.archive.entries[number]
    guard let response = entry.response else {
      let missing = RecordedFailure(foreign: nil)
      throw (entry.failure ?? missing).error(wire.method)
    }
    var head = response.head
    var content: [UInt8] = []
    var failure = entry.failure?.error(wire.method)
    switch response.body {
    case .bytes(let bytes): content = bytes
    case .unknown:
      failure =
        failure
        ?? wire.error(
          .other, phase: .receivingBody, bytesSent: true,
          detail: "log.entries[\(number)] has no content; export or record it again with content")
    }
    if failure == nil {
      head.describe(content, of: wire.method, isDecoded: !index.archive.isRecording)
    }
    return HTTPExchange(
      request: request, response: head, informationalResponses: response.informational,
      body: .replaying(content, trailers: response.trailers, failure: failure))
  }
}

extension HTTPResponse {
  /// Makes the fields agree with content that an archive keeps decoded.
  ///
  /// A redaction and a decoder change the length, and browsers export fields of encoded content.
  fileprivate mutating func describe(
    _ content: [UInt8], of method: HTTPRequest.Method, isDecoded: Bool
  ) {
    guard method != .head, !content.isEmpty else { return }
    if isDecoded { headerFields.removeAll { $0.name == .contentEncoding } }
    if headerFields.contains(.contentLength) {
      headerFields[.contentLength] = String(content.count)
    }
  }
}

extension HTTPResponseBody {
  /// A body of bytes in memory that may end with an error.
  fileprivate static func replaying(
    _ bytes: [UInt8], trailers: HTTPFields, failure: TransportError?
  ) -> HTTPResponseBody {
    guard let failure else { return HTTPResponseBody(bytes, trailers: trailers) }
    let rest = Rest(bytes)
    return HTTPResponseBody(
      next: { () async throws(TransportError) in
        let bytes = rest.take()
        if bytes.isEmpty { throw failure }
        return .bytes(bytes)
      },
      cancel: {})
  }
}

/// Bytes that can be taken once.
private final class Rest: Sendable {
  private let bytes: Mutex<[UInt8]>

  init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

  func take() -> [UInt8] {
    bytes.withLock { bytes in
      defer { bytes = [] }
      return bytes
    }
  }
}
