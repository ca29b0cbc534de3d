import Foundation
import SystemPlatform

/// Creates TCP sockets on 127.0.0.1.
enum LoopbackSocket {
  /// The error of a system call.
  struct Failure: Error, CustomStringConvertible {
    var call: String
    var code: Int32

    var description: String { "\(call) failed: \(String(cString: strerror(code)))" }
  }

  /// Creates a socket bound to a free port.
  static func bound() throws(Failure) -> (socket: Int32, port: UInt16) {
    let socket = try make()
    do throws(Failure) {
      try check("bind", withAddress(port: 0) { bind(socket, $0, $1) })
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
      }
      try check("getsockname", code)
      return (socket, UInt16(bigEndian: address.sin_port))
    } catch {
      Foundation.close(socket)
      throw error
    }
  }

  /// Creates a socket connected to a port.
  static func connect(to port: UInt16) throws(Failure) -> Int32 {
    let socket = try make()
    do throws(Failure) {
      try check("connect", withAddress(port: port) { Foundation.connect(socket, $0, $1) })
      return socket
    } catch {
      Foundation.close(socket)
      throw error
    }
  }

  /// Creates a non-blocking socket that has started to connect to a port.
  static func connecting(to port: UInt16) throws(Failure) -> Int32 {
    let socket = try make()
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    _ = withAddress(port: port) { Foundation.connect(socket, $0, $1) }
    return socket
  }

  static func check(_ call: String, _ code: Int32) throws(Failure) {
    if code < 0 { throw Failure(call: call, code: errno) }
  }

  private static func make() throws(Failure) -> Int32 {
    let socket = makeTCPSocket()
    try check("socket", socket)
    return socket
  }

  private static func withAddress(
    port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
