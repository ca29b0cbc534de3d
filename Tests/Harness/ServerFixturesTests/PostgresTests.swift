import ContractTesting
import Foundation
import ServerFixtures
import SystemProcesses
import Testing

/// PostgreSQL, whose backends are sessions of their own, with the recipe of the page.
@Suite(
  .enabled(
    if: FileManager.default.fileExists(atPath: "/usr/lib/postgresql"),
    "install it: apt-get install postgresql"))
struct PostgresTests {
  /// A session of psql, which runs a statement.
  private static func psql(_ server: Server, _ statement: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(executablePath(of: "psql")))
    process.arguments = [
      "-h", server.host, "-p", "\(server.port)", "-U", "postgres", "-Atc", statement,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// The backends that run a statement.
  private static func backends(of server: Server) async throws -> Set<pid_t> {
    while true {
      let run = try await ProgramRun([
        "psql", "-h", server.host, "-p", "\(server.port)", "-U", "postgres", "-Atc",
        "select pid from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'",
      ])
      let found = Set(run.output.split(separator: "\n").compactMap { pid_t($0) })
      if !found.isEmpty { return found }
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `a busy backend is paused and killed with the server, and the server restarts`() async throws
  {
    let scope = FixtureScope()
    let server = try await scope.server(
      "/bin/sh", arguments: { ["-c", postgresScript, "sh", "\($0.port)"] },
      readiness: .log(containing: "database system is ready to accept connections"),
      within: .seconds(60), install: "apt-get install postgresql", user: "postgres")
    let session = try Self.psql(server, "select pg_sleep(1000)")
    defer { session.terminate() }
    let backends = try await Self.backends(of: server)
    server.pause()
    for backend in backends {
      let stat = try String(contentsOfFile: "/proc/\(backend)/stat", encoding: .utf8)
      #expect(stat.contains(") T "))
    }
    server.resume()
    await server.kill()
    for backend in backends { #expect(!ValueServer.isRunning(backend)) }
    try await server.restart()
    let answer = try await ProgramRun([
      "psql", "-h", server.host, "-p", "\(server.port)", "-U", "postgres", "-Atc", "select 2",
    ])
    #expect(answer.output == "2\n")
    #expect(await scope.tearDown().isEmpty)
  }
}
