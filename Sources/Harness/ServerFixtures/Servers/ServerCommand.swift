import Foundation
import SystemPlatform
import SystemProcesses

/// How to start a server, and how to know that it is ready.
struct ServerCommand: Sendable {
  /// The program's name, for messages.
  var program: String
  /// The program's path.
  var path: String
  var arguments: @Sendable (ServerPlace) throws -> [String]
  var environment: [String: String]
  var readiness: ServerReadiness
  var limit: Duration
  /// The command that installs the program.
  var install: String?
  var user: ServerUser?

  /// Finds the program.
  ///
  /// - Throws: ``ServerError`` of kind `notInstalled`, which makes a case unavailable.
  init(
    _ program: String, arguments: @escaping @Sendable (ServerPlace) throws -> [String],
    environment: [String: String], readiness: ServerReadiness, limit: Duration, install: String?,
    user: String? = nil
  ) throws(ServerError) {
    guard let path = executablePath(of: program) else {
      throw ServerError(
        .notInstalled, program,
        "not found in PATH, /usr/sbin or /usr/local/sbin"
          + (install.map { "; install it: \($0)" } ?? ""))
    }
    self.program = program
    self.path = path
    self.arguments = arguments
    self.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    self.readiness = readiness
    self.limit = limit
    self.install = install
    self.user = user.map { ServerUser(name: $0) }
  }

  /// Makes a place and starts the server there.
  ///
  /// Another process may take a free port before the server does. Then the server is started at
  /// another place, three times at most.
  func start() async throws -> Server {
    var attempts = 3
    while true {
      attempts -= 1
      let place = try ServerPlace()
      do {
        // A server of somebody else that listens there would look ready.
        if LoopbackSocket.accepts(place.port) {
          throw ServerError(
            .exited, program, "address already in use: 127.0.0.1:\(place.port)")
        }
        try user?.adopt(place, program)
        let server = Server(self, at: place, arguments: try arguments(place))
        try await server.start()
        return server
      } catch {
        place.remove()
        guard attempts > 0, let error = error as? ServerError, error.isPortTaken else {
          throw error
        }
      }
    }
  }
}
