import Foundation
import ServerFixtures
import Testing

@testable import ContractTesting

/// What is left of servers when the test process dies.
@Suite struct LifelineTests {
  /// Runs in a process of its own, which the test below kills.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["SERVER_OWNER"] != nil))
  func `owns servers until it is killed`() async throws {
    let scope = FixtureScope()
    for _ in 0..<4 {
      let server = try await scope.server(ValueServer.path, arguments: ValueServer.arguments)
      print("server \(server.processID ?? 0) \(server.folder.deletingLastPathComponent().path)")
    }
    fflush(nil)
    try await Task.sleep(for: .seconds(600))
  }

  @Test(arguments: [SIGKILL, SIGTERM, SIGINT])
  func `servers and their folders go when the test process is killed`(signal: Int32) async throws {
    let owner = Process()
    owner.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    owner.arguments = [
      "--testing-library", "swift-testing", "--filter", "LifelineTests/`owns servers",
    ]
    owner.environment = ProcessInfo.processInfo.environment.merging(["SERVER_OWNER": "1"]) { $1 }
    let output = Pipe()
    owner.standardOutput = output
    let pieces = AsyncStream<Data> { continuation in
      output.fileHandleForReading.readabilityHandler = { continuation.yield($0.availableData) }
    }
    defer { output.fileHandleForReading.readabilityHandler = nil }
    owner.standardError = FileHandle.nullDevice
    try owner.run()
    defer { kill(owner.processIdentifier, SIGKILL) }

    var text = Data()
    var servers: [(process: pid_t, folder: String)] = []
    for await piece in pieces {
      text += piece
      servers = []
      for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.first == "server", words.count == 3 else { continue }
        servers.append((try #require(pid_t(words[1])), String(words[2])))
      }
      if piece.isEmpty || (servers.count == 4 && text.last == 0x0a) { break }
    }
    #expect(servers.count == 4)
    kill(owner.processIdentifier, signal)
    let deadline = ContinuousClock.now + .seconds(30)
    for server in servers {
      while ValueServer.isRunning(server.process)
        || FileManager.default.fileExists(atPath: server.folder)
      {
        guard ContinuousClock.now < deadline else {
          Issue.record("\(server) is left")
          return
        }
        await Task.yield()
      }
    }
  }
}
