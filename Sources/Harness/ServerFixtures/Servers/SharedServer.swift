import Foundation
import SystemLocks

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

  private let command: @Sendable () throws -> ServerCommand
  private let latest = Mutex<Task<Server, any Error>?>(nil)

  /// Describes a server; the parameters are those of
  /// `FixtureScope.server(_:arguments:environment:readiness:within:install:)`.
  public init(
    _ program: String,
    arguments: @escaping @Sendable (ServerPlace) throws -> [String] = { _ in [] },
    environment: [String: String] = [:], readiness: ServerReadiness = .port,
    within limit: Duration = .seconds(10), install: String? = nil
  ) {
    self.program = program
    command = {
      try ServerCommand(
        program, arguments: arguments, environment: environment, readiness: readiness,
        limit: limit, install: install)
    }
  }

  deinit {
    guard let task = latest.withLock(\.self) else { return }
    Task { (try? await task.value)?.discard() }
  }

  /// Returns the running server.
  ///
  /// Tasks that ask while it starts wait for the same start.
  /// - Throws: ``ServerError`` if the server is not installed or does not get ready. The next call tries
  ///   again.
  public func running() async throws -> Server {
    while true {
      let task = latest.withLock { latest in
        if let latest { return latest }
        let task = Task { [command] in try await command().start() }
        latest = task
        return task
      }
      let server: Server
      do {
        server = try await task.value
      } catch {
        forget(task)
        throw error
      }
      if server.processID != nil { return server }
      forget(task)
      server.discard()
    }
  }

  private func forget(_ task: Task<Server, any Error>) {
    latest.withLock { if $0 == task { $0 = nil } }
  }
}
