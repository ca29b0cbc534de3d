import Foundation
import SystemPlatform

/// Sees the frames that the server sends on an HTTP/2 connection before libcurl reads them.
///
/// libcurl does not report how a stream ended: whether with END_STREAM, so that the response is
/// complete, or with RST_STREAM and NO_ERROR, GOAWAY or the end of the connection. Nor does it report
/// which streams the server refused.
///
/// `SSL_peek` decrypts one TLS record and leaves it for libcurl. So that libcurl reads no other
/// record than that, the tap replaces the `BIO` from which OpenSSL reads the socket with one that
/// reports to have no bytes, except during the peek.
///
/// Only the driver thread uses a tap. OpenSSL retains it until it frees the `BIO`.
final class HTTP2Tap {
  /// What ``advance()`` found.
  enum Progress: Hashable {
    case nothing
    /// libcurl has not read all of the last record.
    case unread
    /// A new record, or the end of the connection.
    case new
  }

  private let openSSL: OpenSSL
  private let socket: Int32
  /// OpenSSL's `SSL`; `nil` once that was freed.
  private var session: OpenSSL.Object?
  /// What replaces the `BIO` for writing during a peek: that of libcurl fails outside of its calls.
  private let output: OpenSSL.Object
  private var isPeeking = false
  /// Whether libcurl may read by itself, because no transfer uses the connection.
  var isIdle = false {
    didSet { if oldValue, !isIdle { noteInput() } }
  }
  /// Whether libcurl has read bytes that the tap has not seen.
  private(set) var isBlind = false
  /// Whether libcurl has read the server's settings, and with them how many streams it allows.
  private(set) var hasSettings = false
  /// Whether the server has sent its settings.
  private var seesSettings = false
  /// Whether nothing more can be read from the connection.
  private(set) var isEnded = false
  /// OpenSSL's text about the end of the connection, which libcurl does not get; empty if none.
  private(set) var failureText = ""
  /// The last stream that the server processes, according to a GOAWAY that was not taken.
  private var goAway: Int?
  /// The error code of the last GOAWAY (RFC 9113 §7); `nil` if the server did not send one.
  private(set) var goAwayCode: UInt32?
  private var hasUnread = false
  /// Whether the loop must act on the last record before the next: it has RST_STREAM, SETTINGS, GOAWAY or an error, or
  /// is the end.
  private(set) var needsTurn = false
  /// Whether such a record was read while libcurl ran, and the loop has not acted on it.
  var hasNews = false
  /// Whether the loop may read the next record in this turn, once libcurl has read the last one.
  ///
  /// While a request with content runs, the loop decides after each record what to keep of the response.
  var mayReadAhead: Bool {
    get { readsAhead && !streams.retainsParts }
    set { readsAhead = newValue }
  }
  private var readsAhead = false
  /// The silence of the server after which ``isSilenceOver()`` returns `true`.
  private var silence = HTTP2Tap.firstSilence
  private var silenceEnd = ContinuousClock.now + HTTP2Tap.firstSilence
  private static let firstSilence = Duration.seconds(1)
  private var frames = HTTP2FrameReader()

  /// The streams of the transfers that use the connection.
  var streams = HTTP2Streams()
  /// Whether the last field block may have a field that is longer than nghttp2 accepts: 64 KiB.
  ///
  /// nghttp2 rejects the length that precedes the bytes, so not many of these have arrived.
  var hasLargeFields: Bool { frames.blockSize > 1 << 13 }
  private var decoder = HPACKDecoder()

  /// Installs a tap on a connection whose server has sent no frame that libcurl has read.
  init?(_ session: OpenSSL.Object, socket: Int32) {
    guard let openSSL = OpenSSL.shared, let method = openSSL.memoryMethod(),
      let output = openSSL.makeBIO(method), let input = openSSL.makeSocketBIO(socket, 0)
    else { return nil }
    self.openSSL = openSSL
    self.socket = socket
    self.session = session
    self.output = output
    openSSL.setReadAhead(session, 0)
    openSSL.setCallbackArgument(input, Unmanaged.passRetained(self).toOpaque())
    openSSL.setCallback(input) { bio, operation, _, _, _, _, result, count in
      guard let pointer = OpenSSL.shared?.callbackArgument(bio) else { return Int(result) }
      let tap = Unmanaged<HTTP2Tap>.fromOpaque(pointer)
      guard operation == 1 else {  // BIO_CB_FREE
        return tap.takeUnretainedValue().control(bio, operation, result, count?.pointee ?? 0)
      }
      tap.takeRetainedValue().session = nil
      return Int(result)
    }
    openSSL.setReadBIO(session, input)
  }

  deinit { _ = openSSL.releaseBIO(output) }

  /// Controls an operation of the `BIO`.
  ///
  /// Source: `BIO_set_callback_ex(3)` and the `BIO_CB_` constants in openssl/bio.h.
  private func control(
    _ bio: OpenSSL.Object, _ operation: Int32, _ result: Int32, _ count: Int
  ) -> Int {
    switch operation {
    case 2 where !isPeeking && !isIdle && !isEnded:  // BIO_CB_READ
      openSSL.setFlags(bio, 0x9)  // BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY
      return -1
    case 0x82 where !isPeeking && result > 0 && count > 0:  // BIO_CB_READ | BIO_CB_RETURN
      isBlind = true
    default: break
    }
    return Int(result)
  }

  /// Whether libcurl has not read all of the last record.
  var isUnread: Bool { hasUnread && session.map { openSSL.pending($0) > 0 } == true }

  /// Reads the frames of the next record, which libcurl can then read.
  ///
  /// - Parameter buffer: Memory for a record, of at least 16 KiB.
  func advance(_ buffer: UnsafeMutableRawBufferPointer) -> Progress {
    guard let session, let memory = buffer.baseAddress, !isEnded else { return .nothing }
    if isUnread { return .unread }
    hasUnread = false
    needsTurn = false
    hasSettings = seesSettings
    let count = peek(session, memory, Int32(buffer.count))
    if count > 0 {
      hasUnread = true
      noteInput()
      frames.read(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])) { note($0) }
      return .new
    }
    // SSL_ERROR_WANT_READ and SSL_ERROR_WANT_WRITE.
    if [2, 3].contains(openSSL.getError(session, count)) { return .nothing }
    isEnded = true
    needsTurn = true
    failureText = openSSL.reason(openSSL.lastError()).map { String(cString: $0) } ?? ""
    return .new
  }

  private func peek(
    _ session: OpenSSL.Object, _ memory: UnsafeMutableRawPointer, _ size: Int32
  ) -> Int32 {
    guard let writer = openSSL.getWriteBIO(session) else { return -1 }
    _ = openSSL.retainBIO(writer)
    _ = openSSL.retainBIO(output)
    openSSL.setWriteBIO(session, output)
    isPeeking = true
    openSSL.clearErrors()
    let count = openSSL.peek(session, memory, size)
    isPeeking = false
    openSSL.setWriteBIO(session, writer)
    // An answer to a request to change keys.
    var answer = [UInt8](repeating: 0, count: 256)
    while case let size = openSSL.readBIO(output, &answer, Int32(answer.count)), size > 0 {
      _ = answer.withUnsafeBytes {
        sendBytes(UnsafeRawBufferPointer(rebasing: $0[..<Int(size)]), on: socket)
      }
    }
    return count
  }

  private func note(_ event: HTTP2FrameReader.Event) {
    switch event {
    case .fields(let block, let stream):
      // Each block changes the table for the next ones, so all are decoded.
      let fields = decoder?.decode(block)
      if fields == nil { decoder = nil }
      streams.note(fields, on: stream)
    case .content(let bytes, let stream): streams.note(bytes, on: stream)
    case .ended(let stream): streams.noteEnd(of: stream)
    case .reset(let stream, let code):
      needsTurn = true
      streams.noteReset(of: stream, code: code)
    case .settings:
      needsTurn = true
      seesSettings = true
    case .goAway(let lastStream, let code):
      needsTurn = true
      goAway = lastStream
      goAwayCode = UInt32(truncatingIfNeeded: code)
    case .invalid:
      needsTurn = true
      isBlind = true
    }
  }

  private func noteInput() {
    silence = Self.firstSilence
    silenceEnd = .now + silence
  }

  /// Returns `true` once the server has sent nothing for a second, then after twice as long each time.
  func isSilenceOver() -> Bool {
    guard ContinuousClock.now >= silenceEnd else { return false }
    silence *= 2
    silenceEnd = .now + silence
    return true
  }

  /// Returns the last stream of a GOAWAY, once.
  func takeGoAway() -> Int? {
    defer { goAway = nil }
    return goAway
  }
}
