public import FaultExploration

extension Fault {
  /// A server is killed, and starts again on its data.
  ///
  ///     extension Fault<QueueFixture> {
  ///       static let kill = killing { $0.server }
  ///     }
  ///
  /// - Parameters:
  ///   - name: The name of the constant that holds the fault.
  ///   - limit: How long it may take until the server is ready again.
  ///   - server: Returns the server.
  public static func killing(
    _ name: String = "kill", within limit: Duration = .seconds(60),
    _ server: @escaping @Sendable (Subject) throws -> Server
  ) -> Self {
    Self(name, within: limit) { try await server($0).restart() }
  }

  /// A server is stopped for some calls. Connections stay open, and nothing answers.
  ///
  /// - Parameters:
  ///   - name: The name of the constant that holds the fault.
  ///   - server: Returns the server.
  public static func pausing(
    _ name: String = "pause", _ server: @escaping @Sendable (Subject) throws -> Server
  ) -> Self {
    Self(name) {
      try server($0).pause()
    } healing: {
      try server($0).resume()
    }
  }
}
