import ContractTesting
import CrashExploration
import Foundation
import Testing

// The code of the page CrashExploration.

extension NoteSpecification: PersistentSpecification {
  var probes: [Command] { [.all] }
}

extension Implementation where Fixture == Reopenable<any NoteStore> {
  static let rightFile = live("right-file") {
    Reopenable { folder, scope in try FileNoteStore(in: folder, .right) }
  }
}

@Suite struct CrashExplorationPageTests {
  @Test func notesSurviveCrashes() async throws {
    try await exploreCrashes(NoteSpecification(), on: .rightFile)
  }

  @Test func `every line of code on the page is in this file`() throws {
    let file = URL(filePath: #filePath)
    let root = file.deletingLastPathComponent().appending(path: "../../..").standardized
    let page = try String(
      contentsOf: root.appending(
        path: "Sources/Harness/CrashExploration/CrashExploration.docc/CrashExploration.md"),
      encoding: .utf8)
    let code = try String(contentsOf: file, encoding: .utf8)
    let known = Set(code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks.count == 3)
    for line in blocks.joined().split(separator: "\n") {
      let isKnown = known.contains(line.trimmingCharacters(in: .whitespaces))
      #expect(isKnown, "\(line)")
    }
  }
}
