import Foundation
import SystemPlatform
import TransportPort

extension OriginConnection {
  /// Relays bytes between the peer and a port of this machine until either side ends.
  ///
  /// - Parameter authority: The host and port from CONNECT. The host is ignored: the tunnel always
  ///   connects to the loopback address.
  func tunnel(to authority: String) throws(OriginStream.Ending) {
    guard let port = authority.split(separator: ":").last.flatMap({ UInt16($0) }),
      let far = try? LoopbackSocket.connect(to: port)
    else {
      try stream.send(Array("HTTP/1.1 502 \r\nContent-Length: 0\r\n\r\n".utf8))
      return
    }
    let other = OriginStream(socket: far, stop: shared.stop)
    defer { other.release() }
    shared.log.record(.tunnel(authority), on: id)
    try stream.send(Array("HTTP/1.1 200 \r\n\r\n".utf8))
    while true {
      var descriptors = [
        pollfd(fd: stream.socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: far, events: Int16(POLLIN), revents: 0),
        pollfd(fd: shared.stop, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&descriptors, 3, -1)
      if descriptors[2].revents != 0 { throw .stopped }
      if descriptors[0].revents != 0 {
        try stream.receive()
        do throws(OriginStream.Ending) { try other.send(stream.take(.max)) } catch { return }
      }
      if descriptors[1].revents != 0 {
        do throws(OriginStream.Ending) { try other.receive() } catch {
          try stream.close(announcing: false)
          return
        }
        try stream.send(other.take(.max))
      }
    }
  }
}
