import Foundation
import Testing

/// Tests of `contracts coverage`, and of `--requirements` of `report` and `gate`.
@Suite struct CoverageTests {
  /// A package whose only function was executed `count` times.
  private func folder(count: Int) throws -> ToolFolder {
    let folder = try ToolFolder(files: [
      "Package.swift": "// swift-tools-version: 6.3\n", "j": SampleJournal.text(),
      "Sources/App/Clock.swift": """
      protocol Clock { func now() -> Int }
      struct SystemClock: Clock { func now() -> Int { 1 } }
      """,
    ])
    let source = folder.url.resolvingSymlinksInPath().path + "/Sources/App/Clock.swift"
    let export = """
      {"type":"llvm.coverage.json.export","data":[{"files":[
        {"filename":"\(source)","segments":[[1,1,\(count),true,true,false]]}]}]}
      """
    let codecov = folder.url.appendingPathComponent(".build/debug/codecov")
    try FileManager.default.createDirectory(at: codecov, withIntermediateDirectories: true)
    try Data(export.utf8).write(to: codecov.appendingPathComponent("App.json"))
    return folder
  }

  @Test func `coverage shows what ran, and the gate fails for what did not`() async throws {
    for (count, mark, status) in [(0, "✗ now(): never executed", Int32(1)), (3, "✓ now()", 0)] {
      let folder = try folder(count: count)
      defer { folder.remove() }
      let report = try await ToolRun(["coverage", "Clock"], in: folder)
      #expect(report.status == 0)
      #expect(report.output.contains(mark), "\(report.output)\(report.errors)")
      let gate = try await ToolRun(["gate", "j", "--requirements", "Clock"], in: folder)
      #expect(gate.status == status, "\(gate.output)")
      #expect(gate.output.contains("✗ Clock: now() was never executed") == (count == 0))
      for format in ["terminal", "markdown"] {
        let report = try await ToolRun(
          ["report", "j", "--requirements", "Clock", "--format", format], in: folder)
        #expect(report.output.contains(mark), "\(report.output)\(report.errors)")
      }
    }
  }

  @Test func `without coverage both say how to get it`() async throws {
    let files = [
      "Package.swift": "", "j": SampleJournal.text(), "A.swift": "protocol A { func a() }",
    ]
    let report = try await ToolRun(["coverage", "A"], files: files)
    #expect(report.status == 65)
    #expect(report.errors.contains("run 'swift test --enable-code-coverage' first"))
    let gate = try await ToolRun(["gate", "j", "--requirements", "A"], files: files)
    #expect(gate.status == 1)
    #expect(gate.output.contains("✗ there is no coverage of requirements"))
    #expect(try await ToolRun(["coverage"]).status == 64)
    let section = try await ToolRun(["report", "j", "--requirements", "A"], files: files)
    #expect(section.status == 65)
    #expect(
      try await ToolRun(["report", "j", "--requirements", "A", "--format", "html"]).status == 64)
    #expect(try await ToolRun(["gate", "j", "--profile", "p"], files: files).status == 64)
  }
}
