import CPlatform
import Foundation
import Testing

/// What a process believes of the variables that only a parent sets.
@Suite struct ProcessRoleTests {
  @Test(arguments: ["CONTRACT_CHILD_JOURNAL", "CONTRACT_CASE_SERVER", "CONTRACT_EXPLORATION"])
  func `a variable of child processes hides nothing in another process`(
    variable: String
  ) async throws {
    let run = try await SpecimenRun("failing", environment: [variable: "1"])
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@stuck") == .failed)
    #expect(run.output.contains("\(variable) is set, and only this package sets it"))
  }

  /// A shell stands between this process, which makes the socket, and the test program.
  @Test(arguments: [true, false])
  func `a child whose parent has ended reports nothing`(isOpen: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("orphan-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var ends: [CInt] = [-1, -1]
    #expect(platform_connected_sockets(&ends) == 0)
    if !isOpen { close(ends[0]) }
    defer { if isOpen { close(ends[0]) } }
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = [
      "-c",
      "\"$0\" --testing-library swift-testing --filter '\(SpecimenRun.filter("failing"))'; exit $?",
      SpecimenRun.program,
    ]
    shell.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CONTRACT") }
      .merging([
        "CONTRACT_SPECIMEN": "1", "SPECIMENS": "failing", "NO_COLOR": "1",
        "CONTRACT_JOURNAL_FOLDER": folder.path, "CONTRACT_CHILD_JOURNAL": folder.path + "/child",
      ]) { $1 }
    shell.standardInput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    let end = AsyncStream<Void>.makeStream()
    shell.terminationHandler = { _ in end.continuation.finish() }
    try shell.run()
    for await _ in end.stream {}
    #expect(shell.terminationStatus == 1)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.contains("latest.jsonl") == isOpen, "\(files)")
  }
}
