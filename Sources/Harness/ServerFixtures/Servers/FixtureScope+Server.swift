public import ContractTesting
import Foundation

extension FixtureScope {
  /// Starts a server for this case, and ends it during teardown.
  ///
  /// The server gets a free port on 127.0.0.1 and an empty folder. Its output is attached to the case
  /// if the case fails. It also ends, and its folder goes, if the test process dies.
  ///
  ///     let redis = try await scope.server(
  ///       "redis-server",
  ///       arguments: { ["--port", "\($0.port)", "--save", "", "--dir", $0.folder.path] },
  ///       install: "apt-get install redis-server")
  ///
  /// - Parameters:
  ///   - program: The name of an executable file in `PATH`, `/usr/sbin` or `/usr/local/sbin`, or a path.
  ///     If there is none, the case is *unavailable*.
  ///   - arguments: Returns the program's arguments. They must keep the server in the foreground.
  ///   - environment: Variables to add to those of this process.
  ///   - readiness: How to know that the server is ready.
  ///   - limit: How long it may take to get ready.
  ///   - install: The command that installs the program, for the reason of unavailable cases. A shell that
  ///     does not find a program, and exits with 127, makes the case unavailable too.
  ///   - user: The user to run the server as, if this process is root. The server's folder belongs to the
  ///     user.
  /// - Throws: ``ServerError``, or an error of `arguments` or of the folder.
  public func server(
    _ program: String,
    arguments: @escaping @Sendable (ServerPlace) throws -> [String] = { _ in [] },
    environment: [String: String] = [:], readiness: ServerReadiness = .port,
    within limit: Duration = .seconds(10), install: String? = nil, user: String? = nil
  ) async throws -> Server {
    let server = try await ServerCommand(
      program, arguments: arguments, environment: environment, readiness: readiness, limit: limit,
      install: install, user: user
    ).start()
    attachOnFailure("\(program).log") { server.log }
    onTearDown {
      await server.stop()
      server.place.remove()
    }
    return server
  }

  /// A name that no other case has, for the data of this case on a shared server: a key prefix, a database.
  public func namespace() -> String { "case-\(UUID().uuidString.lowercased())" }

  /// Returns a server that all cases share, and starts it for the first one.
  ///
  /// What it prints during this case is attached if the case fails. A fixture keeps its data apart from
  /// other cases' data, for example with ``FixtureScope/namespace()``.
  ///
  /// - Throws: ``ServerError`` if the server is not installed or does not get ready.
  public func server(_ shared: SharedServer) async throws -> Server {
    let server = try await shared.running()
    let size = server.logSize
    attachOnFailure("\(shared.program).log") { server.log(from: size) }
    return server
  }

  /// Returns the nodes of a cluster that all cases share, and starts it for the first one.
  ///
  /// What the nodes print during this case is attached if the case fails.
  ///
  /// - Throws: ``ServerError`` if the server is not installed or a node does not get ready.
  public func servers(_ cluster: SharedCluster) async throws -> [Server] {
    let servers = try await cluster.running()
    for (number, server) in servers.enumerated() {
      let size = server.logSize
      attachOnFailure("\(cluster.program)-\(number).log") { server.log(from: size) }
    }
    return servers
  }
}
