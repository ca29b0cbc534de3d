import ContractTesting
import Foundation
import SystemProcesses
import Testing

@testable import ServerFixtures

/// Servers as fixtures: their start, their life and their end.
@Suite struct ServerTests {
  /// Runs a body with a scope, and tears it down.
  private func withScope<Result>(
    _ body: (FixtureScope) async throws -> Result
  ) async throws -> Result {
    let scope = FixtureScope()
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(scope)) } catch { result = .failure(error) }
    #expect(await scope.tearDown().isEmpty)
    return try result.get()
  }

  @Test func `a server answers, and is gone after teardown`() async throws {
    let server = try await withScope { scope in
      let server = try await scope.server(ValueServer.path, arguments: ValueServer.arguments)
      #expect(try Client(port: server.port).ask("hello") == .bytes("hello"))
      #expect(server.log == "listening\n")
      #expect(FileManager.default.fileExists(atPath: server.folder.path))
      return server
    }
    #expect(server.processID == nil)
    #expect(throws: (any Error).self) { try Client(port: server.port) }
    #expect(!FileManager.default.fileExists(atPath: server.folder.path))
  }

  @Test(.enabled(if: ClaimedPort.isSupported, "only Linux has names that a process can claim"))
  func `nobody else gets the port of a place, also while its server is down`() async throws {
    let port = try await withScope { scope in
      let server = try await scope.server(ValueServer.path, arguments: ValueServer.arguments)
      await server.kill()
      #expect(ClaimedPort(server.port) == nil)
      return server.port
    }
    // A process that another test has just started has a copy of the socket until it calls execve(2).
    let deadline = ContinuousClock.now + .seconds(10)
    var again: ClaimedPort?
    repeat {
      await Task.yield()
      again = ClaimedPort(port)
    } while again == nil && ContinuousClock.now < deadline
    #expect(again != nil)
    let places = try (0..<100).map { _ in try ServerPlace() }
    defer { for place in places { place.remove() } }
    #expect(Set(places.map(\.port)).count == 100)
  }

  @Test func `a killed server loses its connections and keeps its data`() async throws {
    try await withScope { scope in
      let server = try await scope.server(ValueServer.path, arguments: ValueServer.arguments)
      let client = try Client(port: server.port)
      #expect(client.ask("put seven") == .bytes("ok"))
      await server.kill()
      #expect([.end, .reset].contains(client.readLine()))
      #expect(throws: (any Error).self) { try Client(port: server.port) }
      try await server.restart()
      #expect(try Client(port: server.port).ask("get") == .bytes("seven"))
    }
  }

  @Test func `a paused server accepts and does not answer until it is resumed`() async throws {
    try await withScope { scope in
      let server = try await scope.server(ValueServer.path, arguments: ValueServer.arguments)
      server.pause()
      let client = try Client(port: server.port)
      client.send("hello")
      #expect(client.readSome(1, within: 50) == .nothing)
      server.resume()
      #expect(client.readLine() == .bytes("hello"))
      server.pause()
    }
  }

  @Test func `a server that ignores SIGTERM is killed`() async throws {
    try await withScope { scope in
      let server = try await scope.server(
        "/bin/sh", arguments: ValueServer.script("trap '' TERM; \"$1\" $2; true"))
      #expect(await server.stop(within: .milliseconds(100)) == false)
      #expect(throws: (any Error).self) { try Client(port: server.port) }
    }
  }

  @Test func `processes that a server started end with it`() async throws {
    let child = try await withScope { scope in
      let server = try await scope.server(
        "/bin/sh",
        arguments: ValueServer.script("sleep 1000 & echo $! > child; exec \"$1\" $2"))
      let text = try String(
        contentsOf: server.folder.appendingPathComponent("child"), encoding: .utf8)
      let child = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
      #expect(kill(child, 0) == 0)
      return child
    }
    #expect(!ValueServer.isRunning(child))
  }

  /// Children in sessions of their own: one without the environment, one whose parent has ended.
  private static let escaping = ValueServer.script(
    """
    env -i setsid sleep 1000 & echo $! > child
    (setsid sh -c 'echo $$ > daemon; exec sleep 1000' &)
    while [ ! -s daemon ]; do sleep 0.01; done
    exec "$1" $2
    """)

  private func escaped(_ server: Server) throws -> [pid_t] {
    try ["child", "daemon"].map { name in
      let text = try String(contentsOf: server.folder.appendingPathComponent(name), encoding: .utf8)
      return try #require(pid_t(text.trimmingCharacters(in: .newlines)))
    }
  }

  private func isStopped(_ process: pid_t) throws -> Bool {
    try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).contains(") T ")
  }

  @Test func `processes that left the server's session are paused, resumed and killed with it`()
    async throws
  {
    let last = try await withScope { scope in
      let server = try await scope.server("/bin/sh", arguments: Self.escaping)
      let first = try escaped(server)
      server.pause()
      for process in first { #expect(try isStopped(process)) }
      #expect(server.unreachable == [])
      server.resume()
      for process in first {
        #expect(try !isStopped(process))
        #expect(ValueServer.isRunning(process))
      }
      await server.kill()
      for process in first { #expect(!ValueServer.isRunning(process)) }
      try FileManager.default.removeItem(at: server.folder.appendingPathComponent("daemon"))
      try await server.restart()
      return try escaped(server)
    }
    for process in last { #expect(!ValueServer.isRunning(process)) }
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `root runs a server as another user, who owns its folder`() async throws {
    try await withScope { scope in
      let server = try await scope.server(
        "/bin/sh", arguments: { _ in ["-c", "id -un > user && echo ready; exec sleep 1000"] },
        readiness: .log(containing: "ready"), user: "nobody")
      let user = try String(
        contentsOf: server.folder.appendingPathComponent("user"), encoding: .utf8)
      #expect(user == "nobody\n")
      server.pause()
      #expect(server.unreachable == [])
      let error = try await #require(throws: ServerError.self) {
        _ = try await scope.server("/bin/sh", user: "no-such-user")
      }
      #expect(error.description.contains("the user no-such-user, who does not exist"))
    }
  }

  @Test func `a user who can't enter a folder around the server's is told which`() async throws {
    try await withScope { scope in
      let closed = try scope.temporaryDirectory()
      let inner = closed.appendingPathComponent("open")
      try FileManager.default.createDirectory(
        at: inner, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: closed.path)
      let error = #expect(throws: ServerError.self) {
        try ServerUser(name: "nobody").checkAccess(to: inner, "server")
      }
      #expect(error?.message.contains("can't enter the folder \(closed.path); allow that") == true)
    }
  }

  @Test func `a shell that does not find the server makes the case unavailable`() async throws {
    let error = try await withScope { scope in
      try await #require(throws: ServerError.self) {
        _ = try await scope.server(
          "/bin/sh", arguments: { _ in ["-c", "exec no-such-server"] },
          // In a folder that this user can't enter, the shell is not allowed to look, and exits with 126.
          environment: ["PATH": "/usr/bin:/bin"],
          install: "apt-get install it")
      }
    }
    #expect(error.unavailabilityReason?.contains("Install it: apt-get install it") == true)
  }

  @Test func `a program ends when nothing holds its group any more`() throws {
    let folder = NSTemporaryDirectory()
    var program: pid_t?
    do {
      let group = try ProcessGroup(
        ["/bin/sh", "-c", "sleep 1000"], in: folder, removing: folder + "/none", environment: [:],
        output: STDERR_FILENO)
      program = group.id
      #expect(ValueServer.isRunning(group.id))
    }
    #expect(!ValueServer.isRunning(try #require(program)))
  }

  // MARK: - Servers that do not start

  private func failure(
    of script: String, readiness: ServerReadiness = .port,
    within limit: Duration = .milliseconds(300)
  ) async throws -> ServerError {
    try await withScope { scope in
      try await #require(throws: ServerError.self) {
        _ = try await scope.server(
          "/bin/sh", arguments: ValueServer.script(script), readiness: readiness, within: limit)
      }
    }
  }

  @Test func `a missing program makes the case unavailable, with the command that installs it`()
    async throws
  {
    let error = try await withScope { scope in
      try await #require(throws: ServerError.self) {
        _ = try await scope.server("no-such-server", install: "apt-get install no-such-server")
      }
    }
    #expect(error.kind == .notInstalled)
    #expect(
      error.unavailabilityReason == "no-such-server not found in PATH, /usr/sbin or "
        + "/usr/local/sbin; install it: apt-get install no-such-server")
  }

  @Test func `a server that exits early fails with its last words`() async throws {
    let error = try await failure(
      of: "echo first; echo 'bad option: --prot' >&2; exit 3", within: .seconds(10))
    #expect(error.kind == .exited)
    #expect(error.unavailabilityReason == nil)
    #expect(
      error.description
        == "/bin/sh exited with status 3 before it was ready. It printed last:\n"
        + "  first\n  bad option: --prot")
  }

  @Test func `a server that crashes early is named with its signal`() async throws {
    let error = try await failure(of: "kill -ABRT $$", within: .seconds(10))
    #expect(error.description.hasPrefix("/bin/sh was ended by signal 6 before it was ready."))
  }

  @Test func `a server that goes to the background is told to stay`() async throws {
    let error = try await failure(of: "sleep 1000 & exit 0", within: .seconds(10))
    #expect(error.kind == .exited)
    #expect(error.description.contains("start it in the foreground"))
  }

  @Test func `a server that never listens fails within its limit`() async throws {
    let error = try await failure(of: "echo starting; sleep 1000")
    #expect(error.kind == .notReady)
    #expect(error.description.contains("it does not accept connections on 127.0.0.1:"))
    #expect(error.description.hasSuffix("It printed last:\n  starting"))
  }

  @Test func `a server that listens on another port is not ready`() async throws {
    let error = try await failure(of: "exec \"$1\" 0")
    #expect(error.kind == .notReady)
  }

  @Test func `a server that prints megabytes fails with a short message`() async throws {
    let error = try await failure(of: "yes 'a line of some length' | head -c 20000000; sleep 1000")
    #expect(error.kind == .notReady)
    #expect(error.description.utf8.count < 8_000)
  }

  @Test func `a port that was taken meanwhile leads to another one`() async throws {
    try await withScope { scope in
      let folder = try scope.temporaryDirectory().path
      let server = try await scope.server(
        "/bin/sh",
        arguments: { place in
          [
            "-c",
            """
            [ -e \(folder)/tried ] || { touch \(folder)/tried
              echo 'bind: Address already in use'; exit 1; }
            exec "$1" $2
            """, "sh", ValueServer.path, "\(place.port)",
          ]
        })
      #expect(try Client(port: server.port).ask("hello") == .bytes("hello"))
    }
  }

  // MARK: - Readiness

  @Test func `a line in the log or a condition can say that a server is ready`() async throws {
    try await withScope { scope in
      let server = try await scope.server(
        ValueServer.path, arguments: ValueServer.arguments, readiness: .log(containing: "listening")
      )
      #expect(try Client(port: server.port).ask("hello") == .bytes("hello"))
      _ = try await scope.server(
        ValueServer.path, arguments: ValueServer.arguments,
        readiness: .condition("it answers") { place in
          try Client(port: place.port).ask("hello") == .bytes("hello")
        })
    }
    let error = try await failure(
      of: "sleep 1000", readiness: .condition("it answers PING") { _ in false })
    #expect(error.description.contains("not met: it answers PING"))
  }

  // MARK: - Shared servers

  @Test func `a shared server is started once, and again after its end`() async throws {
    let shared = SharedServer(ValueServer.path, arguments: ValueServer.arguments)
    let servers = try await withThrowingTaskGroup(of: Server.self) { group in
      for _ in 0..<8 { group.addTask { try await shared.running() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(servers.map(\.processID)).count == 1)
    await servers[0].kill()
    let next = try await shared.running()
    #expect(try Client(port: next.port).ask("hello") == .bytes("hello"))
    next.discard()
  }
}
