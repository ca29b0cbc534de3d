import Foundation
import SystemPlatform

/// A blocking client of the value server. It closes its connection when it is released.
final class Client: Sendable {
  private let socket: Int32

  init(port: UInt16) throws {
    socket = try LoopbackSocket.connect(to: port)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(socket) }

  /// How a read ended.
  enum Reply: Equatable {
    case bytes(String)
    case end
    case reset
    case nothing
  }

  func send(_ line: String) {
    _ = Array((line + "\n").utf8).withUnsafeBytes { sendBytes($0, on: socket) }
  }

  /// Sends a line and reads the reply's line.
  func ask(_ line: String) -> Reply {
    send(line)
    return readLine()
  }

  /// Reads a line without its end, or what came before the connection ended.
  func readLine() -> Reply {
    var line: [UInt8] = []
    while true {
      let reply = readSome(1)
      guard case .bytes(let byte) = reply else {
        return line.isEmpty ? reply : .bytes(String(decoding: line, as: UTF8.self))
      }
      if byte == "\n" { return .bytes(String(decoding: line, as: UTF8.self)) }
      line += Array(byte.utf8)
    }
  }

  /// Reads at most `count` bytes.
  func readSome(_ count: Int, within milliseconds: Int32 = 10_000) -> Reply {
    var events = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&events, 1, milliseconds) > 0 else { return .nothing }
    var buffer = [UInt8](repeating: 0, count: count)
    let read = Foundation.read(socket, &buffer, count)
    if read < 0 { return errno == ECONNRESET ? .reset : .nothing }
    return read == 0 ? .end : .bytes(String(decoding: buffer[..<read], as: UTF8.self))
  }
}
