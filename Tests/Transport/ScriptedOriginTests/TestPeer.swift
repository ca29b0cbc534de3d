import COpenSSL
import Foundation
import SystemPlatform

@testable import ScriptedOrigin

/// A client that sends and reads raw bytes, independent of the transports that the origin tests.
final class TestPeer {
  private let socket: Int32
  private var ssl: OpaquePointer?
  private var context: OpaquePointer?
  private var isClosed = false

  init(_ origin: ScriptedOrigin) throws {
    socket = try LoopbackSocket.connect(to: UInt16(origin.port))
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    close()
  }

  /// Performs a TLS handshake; returns the `X509_V_` code of the verification.
  func secure(trusting pem: String, host: String = "localhost") throws -> Int {
    guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
      throw CertificateAuthority.Failure(reason: opensslReason())
    }
    self.context = context
    self.ssl = ssl
    SSL_set1_host(ssl, host)
    copenssl_set_lowest_version(ssl, TLS1_2_VERSION)
    SSL_set_fd(ssl, socket)
    // The BIO reads the bytes where they are, so they must outlive it.
    Array(pem.utf8).withUnsafeBytes { bytes in
      let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      let root = PEM_read_bio_X509(bio, nil, nil, nil)
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root)
      X509_free(root)
      BIO_free(bio)
    }
    guard SSL_connect(ssl) == 1 else {
      throw CertificateAuthority.Failure(reason: opensslReason())
    }
    return SSL_get_verify_result(ssl)
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    if let ssl {
      SSL_write(ssl, bytes, Int32(bytes.count))
    } else {
      _ = Foundation.send(socket, bytes, bytes.count, 0)
    }
  }

  /// Reads `count` bytes, or fewer if the connection ends first.
  func read(_ count: Int = .max) -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while all.count < count {
      let wanted = min(buffer.count, count - all.count)
      let got =
        ssl.map { Int(SSL_read($0, &buffer, Int32(wanted))) } ?? recv(socket, &buffer, wanted, 0)
      if got <= 0 { break }
      all += buffer[..<got]
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Reads once and returns errno: 0 at an orderly end.
  func readError() -> Int32 {
    var byte: UInt8 = 0
    errno = 0
    return recv(socket, &byte, 1, 0) < 0 ? errno : 0
  }

  /// Whether the peer sent `close_notify`.
  var wasNotified: Bool {
    ssl.map { SSL_get_shutdown($0) & SSL_RECEIVED_SHUTDOWN != 0 } ?? false
  }

  func close(resetting: Bool = false) {
    guard !isClosed else { return }
    isClosed = true
    if resetting {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
    if let ssl { SSL_free(ssl) }
    if let context { SSL_CTX_free(context) }
    ssl = nil
    context = nil
    _ = Foundation.close(socket)
  }
}
