import Foundation
import SystemLocks
import SystemPlatform
import SystemProcesses
public import TransportPort

/// A server of another project that runs on the loopback address.
///
/// A scripted origin shows how a client handles exact bytes. A foreign server shows that the client
/// works with timing, framing and TLS that this project did not write.
public final class ForeignServer: Sendable {
  /// The program of a server.
  public enum Program: String, Sendable, Hashable, CaseIterable {
    case nginx
    case nghttpd
    case haproxy
    case h2o
    case node
    case caddy
    case lighttpd
    case nghttpx

    /// The servers that `make servers` installs and the transport's matrix has columns of. The others take part in
    /// the campaigns of `make soak`.
    public static let inMatrix: [Program] = [.nginx, .nghttpd, .haproxy, .h2o, .node]

    /// The package of Debian and Ubuntu that has the program.
    public var package: String {
      switch self {
      case .nginx: "nginx"
      case .nghttpd: "nghttp2-server"
      case .haproxy: "haproxy"
      case .h2o: "h2o"
      case .node: "nodejs"
      case .caddy: "caddy"
      case .lighttpd: "lighttpd lighttpd-mod-openssl"
      case .nghttpx: "nghttp2-proxy"
      }
    }

    /// The path of the program; `nil` if it is not installed.
    public var path: String? { executablePath(of: rawValue) }

    /// What the program says of its version, such as `nginx version: nginx/1.24.0`; `nil` if it is not installed.
    public var version: String? {
      guard let path else { return nil }
      let option = [.nghttpd, .node, .caddy, .nghttpx].contains(self) ? "--version" : "-v"
      guard let run = try? ProgramRun([path, option]), run.status == 0 else { return nil }
      // nginx writes it to standard error.
      let text = (run.output + run.errors).split(separator: "\n").first.map(String.init)
      return text.map { $0.lowercased().contains(rawValue) ? $0 : "\(rawValue) \($0)" }
    }

    /// The path of the program.
    ///
    /// - Throws: ``Failure`` if it is not installed.
    func installedPath() throws(Failure) -> String {
      guard let path else {
        throw Failure(description: "\(rawValue) is not installed; run: apt-get install \(package)")
      }
      return path
    }

    /// Whether the program serves a scheme.
    ///
    /// Over `https` each program offers HTTP/2; nghttpd speaks nothing else.
    public func serves(_ scheme: HTTPOrigin.Scheme) -> Bool { self != .nghttpd || scheme == .https }
  }

  /// What a server does.
  public enum Role: Sendable {
    /// Serves the files of a folder.
    case serving(URL, HTTPOrigin.Scheme)
    /// Ends TLS and forwards the bytes of each connection to a port on the loopback address.
    ///
    /// Only nginx with its stream module, haproxy and node have this role.
    case terminatingTLS(forPort: Int)
  }

  /// A server could not be started.
  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  /// The port on 127.0.0.1.
  public let port: Int

  /// The file with what the server writes to its standard output and error.
  public let output: URL

  /// The scheme, host and port; append a path.
  public let url: String

  private let process: ProcessGroup
  /// The server behind haproxy and nghttpx, which serve no files themselves.
  private let backend: ScriptedOrigin?

  /// Starts a server with a certificate that ``ScriptedOrigin/trustedAuthority`` signed, and waits
  /// until it accepts connections.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - role: What the server does.
  ///   - folder: An existing folder for its certificate, configuration and output. It is removed if this
  ///     process dies.
  ///   - requestsPerConnection: The number of requests after which the server ends a connection;
  ///     `nil` for its default. Only nginx obeys it.
  ///   - maximumStreams: The number of requests that an HTTP/2 connection has open at once; `nil` for
  ///     its default. Caddy and lighttpd have no such setting.
  ///   - logsRequests: Whether a server of files writes a line or more about each request to ``output``.
  /// - Throws: ``Failure`` if the program is not installed or does not accept connections; file
  ///   system errors.
  public init(
    _ program: Program, _ role: Role, in folder: URL, requestsPerConnection: Int? = nil,
    maximumStreams: Int? = nil, logsRequests: Bool = false
  ) async throws {
    let path = try program.installedPath()
    var backend: ScriptedOrigin?
    var scheme = HTTPOrigin.Scheme.https
    if case .serving(let root, let served) = role {
      scheme = served
      if [.haproxy, .nghttpx].contains(program) { backend = try ScriptedOrigin(.serving(root)) }
    }
    self.backend = backend
    try Self.writeIdentity(to: folder)
    output = folder.appendingPathComponent("output.txt")
    // Caddy keeps files in the user's folder.
    let environment = ProcessInfo.processInfo.environment.merging(["HOME": folder.path]) { $1 }
    for _ in 1...3 {
      // Another process can take the free port before the server binds it, so try more than once.
      let port = try LoopbackSocket.freePort()
      let configuration = ForeignServerConfiguration(
        program: program, role: role, folder: folder.path, port: Int(port),
        backendPort: backend?.port, requestsPerConnection: requestsPerConnection,
        maximumStreams: maximumStreams, logsRequests: logsRequests)
      try Data().write(to: output)
      let file = try FileHandle(forWritingTo: output)
      defer { try? file.close() }
      let process = try ProcessGroup(
        [path] + configuration.arguments(), in: folder.path, removing: folder.path,
        environment: environment, output: file.fileDescriptor)
      if try await Self.accepts(port) {
        self.port = Int(port)
        self.url = "\(scheme.rawValue)://127.0.0.1:\(port)"
        self.process = process
        return
      }
      process.end()
    }
    let text = String(decoding: try Data(contentsOf: output).prefix(2000), as: UTF8.self)
    throw Failure(
      description: "\(program.rawValue) does not accept connections; its output is '\(text)'")
  }

  /// Ends the server. Calling it again has no effect.
  public func close() {
    process.end()
    backend?.close()
  }

  /// Whether a port accepts a connection within 10 s.
  private static func accepts(_ port: UInt16) async throws -> Bool {
    try await sleepAwake(for: .seconds(10), checkingEvery: .milliseconds(10)) {
      guard let socket = try? LoopbackSocket.connect(to: port) else { return false }
      Foundation.close(socket)
      return true
    }
  }

  /// Writes a certificate that the trusted authority signed, and its key.
  static func writeIdentity(to folder: URL) throws {
    let identity = try OriginTLS.trusted.get().issue(OriginTLS.localhost)
    for (name, text) in [
      ("key.pem", identity.keyPEM), ("certificate.pem", identity.certificatePEM),
      ("both.pem", identity.certificatePEM + identity.keyPEM),
    ] {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
  }
}

extension OriginPlan {
  /// The plan of a server that serves the files of a folder.
  static func serving(_ root: URL) -> OriginPlan {
    OriginPlan { request in
      let path = request.target.split(separator: "/").filter { $0 != ".." }.joined(separator: "/")
      guard let data = try? Data(contentsOf: root.appendingPathComponent(path)) else {
        return .respond(404, text: "not found")
      }
      return [
        .send("HTTP/1.1 200 OK\r\nContent-Length: \(data.count)\r\n\r\n"),
        .send(request.method == .head ? [] : Array(data)),
      ]
    }
  }
}
