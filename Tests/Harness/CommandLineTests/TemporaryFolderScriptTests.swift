import Foundation
import SystemProcesses
import Testing

/// Tests of `Scripts/in-temporary-folder`, with which `make test` leaves nothing in the temporary folder.
@Suite struct TemporaryFolderScriptTests {
  private static let script = URL(filePath: #filePath)
    .appending(path: "../../../../Scripts/in-temporary-folder").standardized.path

  /// Runs a shell's command under the script, in an otherwise empty temporary folder.
  private func run(_ command: String, in folder: ToolFolder) async throws -> ProgramRun {
    try await ProgramRun(
      [Self.script, "sh", "-c", command], in: folder.url.path,
      environment: folder.variables(adding: ["TMPDIR": folder.url.path]), input: "")
  }

  private func names(in folder: ToolFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
  }

  @Test func `what a command leaves is removed, and its exit status kept`() async throws {
    let folder = try ToolFolder()
    defer { folder.remove() }
    let run = try await run("mkdir \"$TMPDIR/left\" && echo \"$TMPDIR\" && exit 3", in: folder)
    #expect(run.status == 3)
    #expect(run.output.hasPrefix(folder.url.path + "/contract-tests."), "\(run.output)")
    #expect(try names(in: folder) == [])
  }

  @Test func `the next run removes what a killed run has left, and nothing else`() async throws {
    let folder = try ToolFolder(files: ["contract-tests.\(getpid())/mine": "", "other": ""])
    defer { folder.remove() }
    let killed = try await run("mkdir \"$TMPDIR/left\"; kill -KILL $PPID", in: folder)
    #expect(killed.status == -SIGKILL)
    #expect(try names(in: folder).count == 3, "the script can't remove its folder if it is killed")
    #expect(try await run("true", in: folder).status == 0)
    #expect(try names(in: folder).sorted() == ["contract-tests.\(getpid())", "other"])
  }
}
