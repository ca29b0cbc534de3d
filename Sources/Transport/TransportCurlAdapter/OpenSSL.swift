import CCurl
import Foundation

/// The functions of OpenSSL for what libcurl does not report about TLS.
///
/// libcurl may use another TLS library, so the functions are looked up at run time and not linked.
struct OpenSSL: Sendable {
  /// OpenSSL's `SSL` or `BIO`.
  typealias Object = UnsafeMutableRawPointer

  /// The OpenSSL of this process, or `nil` if libcurl does not use exactly this version.
  static let shared = OpenSSL()

  typealias IntOfObject = @convention(c) (Object) -> Int32
  typealias SelectedProtocol =
    @convention(c) (
      Object, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>
    ) -> Void
  typealias Peek = @convention(c) (Object, UnsafeMutableRawPointer, Int32) -> Int32
  typealias GetError = @convention(c) (Object, Int32) -> Int32
  typealias ClearErrors = @convention(c) () -> Void
  typealias SetBIO = @convention(c) (Object, Object?) -> Void
  typealias GetBIO = @convention(c) (Object) -> Object?
  typealias MakeMethod = @convention(c) () -> Object?
  typealias MakeSocketBIO = @convention(c) (Int32, Int32) -> Object?
  /// The arguments are those of `BIO_callback_fn_ex`.
  typealias Callback =
    @convention(c) (
      Object, Int32, UnsafePointer<CChar>?, Int, Int32, Int, Int32, UnsafeMutablePointer<Int>?
    ) -> Int
  typealias SetCallback = @convention(c) (Object, Callback) -> Void
  typealias SetInt = @convention(c) (Object, Int32) -> Void

  private let shutdownState: IntOfObject
  private let hasPending: IntOfObject
  private let selectedProtocol: SelectedProtocol
  let pending: IntOfObject
  let peek: Peek
  let getError: GetError
  let clearErrors: ClearErrors
  let lastError: @convention(c) () -> UInt
  let reason: @convention(c) (UInt) -> UnsafePointer<CChar>?
  let setReadAhead: SetInt
  let getWriteBIO: GetBIO
  let setWriteBIO: SetBIO
  let setReadBIO: SetBIO
  let memoryMethod: MakeMethod
  let makeBIO: GetBIO
  let makeSocketBIO: MakeSocketBIO
  let retainBIO: IntOfObject
  let releaseBIO: IntOfObject
  let readBIO: Peek
  let setCallback: SetCallback
  let setCallbackArgument: SetBIO
  let callbackArgument: GetBIO
  let setFlags: SetInt

  private init?() {
    typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?
    guard let process = dlopen(nil, RTLD_LAZY), let version = dlsym(process, "OpenSSL_version"),
      let text = unsafeBitCast(version, to: Version.self)(0), let libraries = curl_version()
    else { return nil }
    // A second OpenSSL in the process could have another layout of `SSL`.
    let words = String(cString: text).split(separator: " ")
    guard words.first == "OpenSSL", words.count > 1,
      String(cString: libraries).split(separator: " ").contains("OpenSSL/\(words[1])")
    else { return nil }
    func function<Function>(_ name: String) -> Function? {
      dlsym(process, name).map { unsafeBitCast($0, to: Function.self) }
    }
    guard let shutdownState: IntOfObject = function("SSL_get_shutdown"),
      let hasPending: IntOfObject = function("SSL_has_pending"),
      let selectedProtocol: SelectedProtocol = function("SSL_get0_alpn_selected"),
      let pending: IntOfObject = function("SSL_pending"), let peek: Peek = function("SSL_peek"),
      let getError: GetError = function("SSL_get_error"),
      let clearErrors: ClearErrors = function("ERR_clear_error"),
      let lastError: @convention(c) () -> UInt = function("ERR_peek_last_error"),
      let reason: @convention(c) (UInt) -> UnsafePointer<CChar>? = function(
        "ERR_reason_error_string"),
      let setReadAhead: SetInt = function("SSL_set_read_ahead"),
      let getWriteBIO: GetBIO = function("SSL_get_wbio"),
      let setWriteBIO: SetBIO = function("SSL_set0_wbio"),
      let setReadBIO: SetBIO = function("SSL_set0_rbio"),
      let memoryMethod: MakeMethod = function("BIO_s_mem"),
      let makeBIO: GetBIO = function("BIO_new"),
      let makeSocketBIO: MakeSocketBIO = function("BIO_new_socket"),
      let retainBIO: IntOfObject = function("BIO_up_ref"),
      let releaseBIO: IntOfObject = function("BIO_free"), let readBIO: Peek = function("BIO_read"),
      let setCallback: SetCallback = function("BIO_set_callback_ex"),
      let setCallbackArgument: SetBIO = function("BIO_set_callback_arg"),
      let callbackArgument: GetBIO = function("BIO_get_callback_arg"),
      let setFlags: SetInt = function("BIO_set_flags")
    else { return nil }
    self.shutdownState = shutdownState
    self.hasPending = hasPending
    self.selectedProtocol = selectedProtocol
    self.pending = pending
    self.peek = peek
    self.getError = getError
    self.clearErrors = clearErrors
    self.lastError = lastError
    self.reason = reason
    self.setReadAhead = setReadAhead
    self.getWriteBIO = getWriteBIO
    self.setWriteBIO = setWriteBIO
    self.setReadBIO = setReadBIO
    self.memoryMethod = memoryMethod
    self.makeBIO = makeBIO
    self.makeSocketBIO = makeSocketBIO
    self.retainBIO = retainBIO
    self.releaseBIO = releaseBIO
    self.readBIO = readBIO
    self.setCallback = setCallback
    self.setCallbackArgument = setCallbackArgument
    self.callbackArgument = callbackArgument
    self.setFlags = setFlags
  }

  /// Whether a connection has received its peer's `close_notify`.
  ///
  /// - Parameter session: OpenSSL's `SSL`.
  func hasReceivedCloseNotify(_ session: Object) -> Bool {
    // SSL_RECEIVED_SHUTDOWN in openssl/ssl.h.
    shutdownState(session) & 2 != 0
  }

  /// Whether OpenSSL has read bytes from the socket that libcurl has not read from OpenSSL.
  ///
  /// - Parameter session: OpenSSL's `SSL`.
  func hasUnreadBytes(_ session: Object) -> Bool { hasPending(session) != 0 }

  /// Whether ALPN selected HTTP/2.
  ///
  /// - Parameter session: OpenSSL's `SSL`.
  func speaksHTTP2(_ session: Object) -> Bool {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    selectedProtocol(session, &name, &count)
    return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
  }
}
