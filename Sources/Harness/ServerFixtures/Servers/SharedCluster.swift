/// Servers that form a cluster, started once and used by many cases.
///
/// The nodes start at the same time, and each knows the addresses of all before any has started. They
/// end with the test process. If a node has ended, the next use starts a new cluster with empty folders.
///
///     let etcd = SharedCluster("etcd", nodes: 3) { node in
///       ["--name", "node\(node.number)", "--listen-peer-urls", "http://\(node.address)", …]
///     }
public final class SharedCluster: Sendable {
  /// A node of a cluster, before it starts.
  public struct Node: Sendable {
    /// Where the node listens for clients, and its folder.
    public let place: ServerPlace
    /// The node's number, from 0.
    public let number: Int
    /// Where each node listens for the others, in the order of their numbers: `127.0.0.1:4711`.
    public let addresses: [String]
    /// Where this node listens for the others.
    public var address: String { addresses[number] }
  }

  /// The program's name.
  public let program: String

  private let servers: SharedStart

  /// Describes a cluster.
  ///
  /// - Parameters:
  ///   - program: The name of an executable file, as that of
  ///     `FixtureScope.server(_:arguments:environment:readiness:within:install:user:)`.
  ///   - count: The number of nodes, from 1.
  ///   - environment: Variables to add to those of this process.
  ///   - readiness: How to know that a node is ready.
  ///   - limit: How long the nodes may take to get ready.
  ///   - install: The command that installs the program, for the reason of unavailable cases.
  ///   - user: The user to run the nodes as, if this process is root.
  ///   - arguments: Returns the arguments of a node. They must keep it in the foreground.
  public init(
    _ program: String, nodes count: Int, environment: [String: String] = [:],
    readiness: ServerReadiness = .port, within limit: Duration = .seconds(30),
    install: String? = nil, user: String? = nil,
    arguments: @escaping @Sendable (Node) throws -> [String]
  ) {
    self.program = program
    servers = SharedStart {
      let ports = try (0..<max(count, 1)).map { _ in try ClaimedPort() }
      let commands = try ports.indices.map { number in
        try ServerCommand(
          program,
          // The ports stay claimed for as long as a node has its command.
          arguments: { [ports] place in
            let addresses = ports.map { "127.0.0.1:\($0.number)" }
            return try arguments(.init(place: place, number: number, addresses: addresses))
          },
          environment: environment, readiness: readiness, limit: limit, install: install, user: user
        )
      }
      return try await Self.start(commands)
    }
  }

  /// Returns the running nodes, in the order of their numbers.
  ///
  /// Tasks that ask while they start wait for the same start.
  /// - Throws: ``ServerError`` if the server is not installed or a node does not get ready. The next call
  ///   tries again.
  public func running() async throws -> [Server] { try await servers.running() }

  /// Starts nodes at the same time: one may be ready only when others are.
  private static func start(_ commands: [ServerCommand]) async throws -> [Server] {
    let results = await withTaskGroup(of: (Int, Result<Server, any Error>).self) { group in
      for (number, command) in commands.enumerated() {
        group.addTask {
          do { return (number, .success(try await command.start())) } catch {
            return (number, .failure(error))
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    do {
      return try commands.indices.compactMap { try results[$0]?.get() }
    } catch {
      for case .success(let server) in results.values { server.discard() }
      throw error
    }
  }
}
