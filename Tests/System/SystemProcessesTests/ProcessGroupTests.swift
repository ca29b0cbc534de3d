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
      #expect(exit?.status == 3 && exit?.signal == nil)
      #expect(exit?.description == "exited with status 3")
      let output = try String(contentsOf: folder.appendingPathComponent("output"), encoding: .utf8)
      #expect(output.hasPrefix("hello\n"))
      #expect(output.contains(folder.lastPathComponent))
    }
  }

  @Test func `a signal ends the program, and has no effect after the end of the group`()
    async throws
  {
    try await withGroup("exec sleep 1000") { group, _ in
      #expect(await group.exit(within: .milliseconds(1)) == nil)
      group.signal(SIGTERM)
      #expect(await group.exit(within: .seconds(60))?.signal == SIGTERM)
      group.end()
      group.signal(SIGKILL)
      #expect(group.exit?.signal == SIGTERM)
    }
  }

  /// Trees are found in /proc.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self")), .timeLimit(.minutes(1)))
  func `killing a group leaves the guards of others alone`() async throws {
    // Each prints its id when it has its variables.
    let print = { (word: String) in "sh -c 'echo \(word) $$; exec sleep 1000' &" }
    let command = "\(ProcessTree.guardVariable)=1 \(print("a")) \(print("b")) wait"
    try await withGroup(command) { group, folder in
      var ids: [pid_t] = []
      while ids.count < 2 {
        let output = try String(
          contentsOf: folder.appendingPathComponent("output"), encoding: .utf8)
        ids = output.split(separator: "\n").sorted().compactMap { pid_t($0.dropFirst(2)) }
        await Task.yield()
      }
      defer { kill(ids[0], SIGKILL) }
      var tree = ProcessTree(leader: group.id, mark: UUID().uuidString)
      let members = tree.members()
      #expect(members == [group.id, ids[1]])
      tree.kill()
      #expect(await group.exit(within: .seconds(60))?.signal == SIGKILL)
    }
  }

  @Test func `a program is looked up in PATH`() {
    #expect(executablePath(of: "sh")?.hasSuffix("/sh") == true)
    #expect(executablePath(of: "/bin/sh") == "/bin/sh")
    #expect(executablePath(of: "no-such-program-anywhere") == nil)
  }
}
