import Foundation
import SystemPlatform

/// How to know that a server is ready for clients.
///
/// The condition is checked again and again, every 2 to 50 ms, until it is met or the limit passes.
public struct ServerReadiness: Sendable {
  private let condition: @Sendable (Server, _ logOffset: UInt64) async -> Bool
  private let words: @Sendable (ServerPlace) -> String

  /// The server accepts a connection on its port.
  public static let port = Self { server, _ in
    LoopbackSocket.accepts(server.port)
  } words: {
    "it does not accept connections on \($0.host):\($0.port)"
  }

  /// The server has printed a text since it was started.
  ///
  /// The server must not hold the text back in a buffer, and must print it in the last 64 KiB.
  public static func log(containing text: String) -> Self {
    Self { server, offset in
      server.log(from: offset).contains(text)
    } words: { _ in
      "it has not printed '\(text)'"
    }
  }

  /// A function returns `true`, such as one that sends a request and looks at the answer.
  ///
  /// - Parameters:
  ///   - expectation: What the function checks, in words: `it answers PING`.
  ///   - isReady: An error counts as `false`. It must return soon: it is not cancelled at the limit.
  public static func condition(
    _ expectation: String, _ isReady: @escaping @Sendable (ServerPlace) async throws -> Bool
  ) -> Self {
    Self { server, _ in
      (try? await isReady(server.place)) ?? false
    } words: { _ in
      "condition not met: \(expectation)"
    }
  }

  private init(
    _ condition: @escaping @Sendable (Server, UInt64) async -> Bool,
    words: @escaping @Sendable (ServerPlace) -> String
  ) {
    self.condition = condition
    self.words = words
  }

  func isMet(by server: Server, logFrom offset: UInt64) async -> Bool {
    await condition(server, offset)
  }

  /// What is not true while the server is not ready.
  func expectation(at place: ServerPlace) -> String { words(place) }
}
