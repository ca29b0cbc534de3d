import Foundation
import SystemPlatform

@testable import ScriptedOrigin

/// A client that sends and reads raw bytes, independent of the transports that the origin tests.
final class TestPeer {
  private let socket: Int32
  private var isClosed = false

  init(_ origin: ScriptedOrigin) throws {
    socket = try LoopbackSocket.connect(to: UInt16(origin.port))
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    close()
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Foundation.send(socket, bytes, bytes.count, 0)
  }

  /// Reads `count` bytes, or fewer if the connection ends first.
  func read(_ count: Int = .max) -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while all.count < count {
      let got = recv(socket, &buffer, min(buffer.count, count - all.count), 0)
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

  func close(resetting: Bool = false) {
    guard !isClosed else { return }
    isClosed = true
    if resetting {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
    _ = Foundation.close(socket)
  }
}
