import Foundation
import Testing

@testable import SystemProcesses

@Suite struct ProcessGroupTests {
  /// Starts a shell command in a new folder, and gives a closure the group and the folder.
  private func withGroup(
    _ command: String, _ body: (ProcessGroup, URL) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("group-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = open(
      folder.appendingPathComponent("output").path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(output) }
    let group = try ProcessGroup(
      ["sh", "-c", command], in: folder.path, removing: folder.path,
      environment: ["WORD": "hello", "PATH": "/usr/bin:/bin"], output: output)
    defer { group.end() }
    try await body(group, folder)
  }

  @Test func `a program has its folder, variables and output, and ends with its status`()
    async throws
  {
    try await withGroup("echo $WORD; pwd; exit 3") { group, folder in
      let exit = await group.exit(within: .seconds(60))
      #expect(exit == .init(signal: nil, status: 3))
      #expect("\(exit.map(String.init(describing:)) ?? "")" == "exited with status 3")
      let output = try String(contentsOf: folder.appendingPathComponent("output"), encoding: .utf8)
      #expect(output.hasPrefix("hello\n"))
      #expect(output.contains(folder.lastPathComponent))
    }
  }

  @Test func `a signal reaches the program's children, and nothing runs after the end`()
    async throws
  {
    try await withGroup("sleep 1000 & wait") { group, _ in
      #expect(await group.exit(within: .milliseconds(1)) == nil)
      group.signal(SIGTERM)
      #expect(await group.exit(within: .seconds(60))?.signal == SIGTERM)
      group.end()
      #expect(kill(-group.id, 0) == -1)
      #expect(errno == ESRCH)
    }
  }

  @Test func `a program is looked up in PATH`() {
    #expect(executablePath(of: "sh")?.hasSuffix("/sh") == true)
    #expect(executablePath(of: "/bin/sh") == "/bin/sh")
    #expect(executablePath(of: "no-such-program-anywhere") == nil)
  }
}
