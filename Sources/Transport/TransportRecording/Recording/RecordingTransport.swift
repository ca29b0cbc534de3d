import Foundation
import SystemLocks
public import TransportPort

/// A policy that records the exchanges of another transport as an archive in the format HAR 1.2.
///
/// The caller sees no difference: content is recorded as it passes through. If an exchange fails or its
/// caller cancels it, the recording has the error and what was received until then. Invalid requests,
/// which are never sent, are not recorded.
///
/// Streamed content that the base did not read to its end, because the response came first or the
/// connection was refused, is not recorded. A replay returns the same response for any content.
///
/// ```swift
/// let recording = try RecordingTransport(
///   wrapping: base.decodingContent(), to: "sign-in.har",
///   redacting: Redaction(names: ["pin"], jsonPaths: ["user.email"]))
/// try await signIn(over: recording.followingRedirects())
/// try recording.save()
/// ```
/// Wrap a transport that decodes content, so that people can read the file. Encoded content that the
/// recording can't decode, such as `zstd`, is refused, because it can't be searched for secrets, unless
/// ``Redaction/allowedEncodings`` has the encoding. Put redirects, retries and cookies above it, to record
/// each of their exchanges.
public final class RecordingTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let path: String
  private let redaction: Redaction
  private let bodyLimit: Int
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date
  private let exchanges = Mutex<[ExchangeRecorder]>([])

  /// Creates a policy over a transport. Nothing is written before ``save()``.
  ///
  /// - Parameters:
  ///   - base: The transport that sends the requests.
  ///   - path: The path of the file.
  ///   - redaction: What to replace before anything is written.
  ///   - bodyLimit: The maximum number of bytes to record of each body; the content of larger ones
  ///     is left out, and a replay of it fails.
  ///   - clock: The clock that measures exchanges.
  ///   - now: Returns the date that an exchange starts at.
  /// - Throws: ``RecordingError/invalidJSONPath(_:)``.
  public init(
    wrapping base: any HTTPTransport, to path: String, redacting redaction: Redaction = Redaction(),
    bodyLimit: Int = 16 << 20, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(RecordingError) {
    for path in redaction.jsonPaths.sorted() where JSONPath(path) == nil {
      throw .invalidJSONPath(path)
    }
    self.base = base
    self.path = path
    self.redaction = redaction
    self.bodyLimit = bodyLimit
    self.clock = clock
    self.now = now
  }

  public func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    let recorder = ExchangeRecorder(
      request, wire, started: now().timeIntervalSince1970, clock: clock, bodyLimit: bodyLimit)
    exchanges.withLock { $0.append(recorder) }
    do throws(TransportError) {
      var exchange = try await base.send(request, body: recorder.record(body), options: options)
      recorder.receiveHead(of: exchange)
      exchange.body = recorder.record(exchange.body)
      return exchange
    } catch {
      recorder.end(.failure(error))
      throw error
    }
  }

  /// Writes all exchanges so far, in the order in which they started.
  ///
  /// The file is replaced as a whole. If anything is wrong, it stays as it was.
  ///
  /// - Throws: ``RecordingError``.
  public func save() throws(RecordingError) {
    let bytes = try archive()
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw .unwritable(path: path, reason: error.localizedDescription)
    }
  }

  /// The bytes of the file.
  private func archive() throws(RecordingError) -> [UInt8] {
    let recorded = exchanges.withLock { $0 }.map { $0.ended }
    let open = recorded.count { $0 == nil }
    guard open == 0 else { throw .exchangesInProgress(open) }
    var redactor = Redactor(redaction, suspicion: .isReported)
    var entries: [HTTPArchive.Entry] = []
    var places: [String] = []
    for (number, recording) in recorded.enumerated() {
      guard let recording else { continue }
      entries.append(try redactor.redact(recording, number: number))
    }
    var trees: [JSON] = []
    for (number, entry) in entries.enumerated() {
      var entry = entry
      // The message of an error often quotes the URL.
      if let detail = entry.failure?.detail,
        !redactor.secrets.places(in: Array(detail.utf8), "").isEmpty
      {
        entry.failure?.detail = Redaction.placeholder
      }
      trees.append(JSON(entry))
      places += redactor.secrets.places(in: trees[number], path: "log.entries[\(number)]")
      places += redactor.secrets.places(inEncoded: entry, path: "log.entries[\(number)]")
    }
    guard places.isEmpty else { throw .secretRemains(places) }
    let suspected = redactor.findings.filter(\.isSuspected)
    guard suspected.isEmpty else { throw .secretSuspected(suspected) }
    var bytes: [UInt8] = []
    JSON(entries: trees, redaction: redaction).write(to: &bytes)
    bytes.append(0x0A)
    let limits = HTTPArchive.Limits()
    guard bytes.count <= limits.bytes else {
      throw .tooLarge(bytes: bytes.count, limit: limits.bytes)
    }
    return bytes
  }
}
