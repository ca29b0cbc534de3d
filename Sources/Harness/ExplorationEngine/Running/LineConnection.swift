import Foundation
import SystemPlatform

/// A connection that carries lines of JSON between a process that explores and one that runs the
/// subject for it.
///
/// One thread at a time uses a connection.
package final class LineConnection {
  /// What a wait for a line ended with.
  package enum Arrival<Message> {
    case message(Message)
    /// The peer has ended or closed the connection.
    case closed
    case timedOut
  }

  private let descriptor: Int32
  private var received = Data()

  /// - Parameter descriptor: A socket, which the connection closes.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Sends a message.
  ///
  /// A closed connection is not an error here: the next ``receive(_:within:)`` reports it.
  package func send(_ message: some Encodable) {
    guard var line = try? JSONEncoder().encode(message) else { return }
    line.append(UInt8(ascii: "\n"))
    var rest = line[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { sendBytes($0, on: descriptor) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits for a message.
  ///
  /// - Parameter limit: The timeout; `nil` waits without one.
  package func receive<Message: Decodable>(
    _ type: Message.Type, within limit: Duration? = nil
  ) -> Arrival<Message> {
    let end = limit.map { ContinuousClock.now.advanced(by: $0) }
    while true {
      if let newline = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(received[..<newline])
        received = Data(received[received.index(after: newline)...])
        guard let message = try? JSONDecoder().decode(type, from: line) else { return .closed }
        return .message(message)
      }
      var wait: Int32 = -1
      if let end {
        let rest = (end - .now).seconds * 1000
        guard rest > 0 else { return .timedOut }
        wait = Int32(min(rest.rounded(.up), 1e9))
      }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&request, 1, wait)
      if ready < 0, errno != EINTR { return .closed }
      guard ready > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return .closed }
      received.append(contentsOf: bytes[..<count])
    }
  }
}
