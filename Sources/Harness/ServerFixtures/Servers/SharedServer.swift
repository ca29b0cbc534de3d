import Foundation

/// A server that is started once and used by many cases.
///
/// It ends with the test process. If it has ended, the next use starts a new one with an empty folder:
/// a clause that kills or stops a server uses one of its own.
///
///     static let redis = SharedServer(
///       "redis-server", arguments: { ["--port", "\($0.port)", "--save", ""] })
public final class SharedServer: Sendable {
  /// The program's name.
  public let program: String

  private let servers: SharedStart

  /// Describes a server; the parameters are those of
  /// `FixtureScope.server(_:arguments:environment:readiness:within:install:user:)`.
  public init(
    _ program: String,
    arguments: @escaping @Sendable (ServerPlace) throws -> [String] = { _ in [] },
    environment: [String: String] = [:], readiness: ServerReadiness = .port,
    within limit: Duration = .seconds(10), install: String? = nil, user: String? = nil
  ) {
    self.program = program
    servers = SharedStart {
      let command = try ServerCommand(
        program, arguments: arguments, environment: environment, readiness: readiness,
        limit: limit, install: install, user: user)
      return [try await command.start()]
    }
  }

  /// Returns the running server.
  ///
  /// Tasks that ask while it starts wait for the same start.
  /// - Throws: ``ServerError`` if the server is not installed or does not get ready. The next call tries
  ///   again.
  public func running() async throws -> Server { try await servers.running()[0] }
}
