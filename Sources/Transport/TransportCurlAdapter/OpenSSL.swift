import CCurl
import Foundation

/// The functions of OpenSSL for what libcurl does not report about TLS.
///
/// libcurl may use another TLS library, so the functions are looked up at run time and not linked.
struct OpenSSL: Sendable {
  /// The OpenSSL of this process, or `nil` if libcurl does not use exactly this version.
  static let shared = OpenSSL()

  private typealias ShutdownState = @convention(c) (UnsafeMutableRawPointer) -> Int32
  private typealias SelectedProtocol =
    @convention(c) (
      UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
      UnsafeMutablePointer<UInt32>
    ) -> Void

  private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32

  private let shutdownState: ShutdownState
  private let hasPending: Pending
  private let selectedProtocol: SelectedProtocol

  private init?() {
    typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?
    guard let process = dlopen(nil, RTLD_LAZY), let version = dlsym(process, "OpenSSL_version"),
      let shutdownState = dlsym(process, "SSL_get_shutdown"),
      let hasPending = dlsym(process, "SSL_has_pending"),
      let selectedProtocol = dlsym(process, "SSL_get0_alpn_selected"),
      let text = unsafeBitCast(version, to: Version.self)(0), let libraries = curl_version()
    else { return nil }
    // A second OpenSSL in the process could have another layout of `SSL`.
    let words = String(cString: text).split(separator: " ")
    guard words.first == "OpenSSL", words.count > 1,
      String(cString: libraries).split(separator: " ").contains("OpenSSL/\(words[1])")
    else { return nil }
    self.shutdownState = unsafeBitCast(shutdownState, to: ShutdownState.self)
    self.hasPending = unsafeBitCast(hasPending, to: Pending.self)
    self.selectedProtocol = unsafeBitCast(selectedProtocol, to: SelectedProtocol.self)
  }

  /// Whether a connection has received its peer's `close_notify`.
  ///
  /// - Parameter session: OpenSSL's `SSL`.
  func hasReceivedCloseNotify(_ session: UnsafeMutableRawPointer) -> Bool {
    // SSL_RECEIVED_SHUTDOWN in openssl/ssl.h.
    shutdownState(session) & 2 != 0
  }

  /// Whether OpenSSL has read bytes from the socket that libcurl has not read from OpenSSL.
  ///
  /// - Parameter session: OpenSSL's `SSL`.
  func hasUnreadBytes(_ session: UnsafeMutableRawPointer) -> Bool { hasPending(session) != 0 }

  /// Whether ALPN selected HTTP/2.
  ///
  /// - Parameter session: OpenSSL's `SSL`.
  func speaksHTTP2(_ session: UnsafeMutableRawPointer) -> Bool {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    selectedProtocol(session, &name, &count)
    return UnsafeBufferPointer(start: name, count: name == nil ? 0 : Int(count))
      .elementsEqual("h2".utf8)
  }
}
