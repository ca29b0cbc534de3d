import Foundation
import SystemPlatform

/// A port that no other place has, in this process or in another, also while its server is down.
///
/// On Linux an abstract Unix socket has the port's number in its name. The kernel knows such a name in the
/// same network namespace as the port, and forgets it when this object or the process ends (unix(7)), or when
/// a process that another thread was starting at that moment calls execve(2), which closes its copy.
/// Elsewhere a port is only kept for as long as ``SystemPlatform/LoopbackSocket/freePort()`` says.
final class ClaimedPort: Sendable {
  let number: UInt16
  private let socket: Int32

  /// Claims a port that no socket uses.
  ///
  /// - Throws: `LoopbackSocket.Failure`, also if every port that was tried is claimed.
  convenience init() throws(LoopbackSocket.Failure) {
    for _ in 0..<64 {
      let port = try LoopbackSocket.freePort()
      if let socket = Self.claim(port) {
        self.init(port, socket)
        return
      }
    }
    throw LoopbackSocket.Failure(call: "bind", code: EADDRINUSE)
  }

  /// Claims a port; `nil` if it is claimed.
  convenience init?(_ port: UInt16) {
    guard let socket = Self.claim(port) else { return nil }
    self.init(port, socket)
  }

  private init(_ number: UInt16, _ socket: Int32) { (self.number, self.socket) = (number, socket) }

  deinit { if socket >= 0 { close(socket) } }

  /// Whether ports can be claimed here.
  static let isSupported: Bool = {
    let socket = claimName("contract-server-\(UUID().uuidString)")
    if socket >= 0 { close(socket) }
    return socket >= 0
  }()

  /// Returns the socket with the port's name, -1 if none can be made, or `nil` if another has it.
  private static func claim(_ port: UInt16) -> Int32? {
    let socket = claimName("contract-server-\(port)")
    return socket >= 0 || errno != EADDRINUSE ? socket : nil
  }
}
