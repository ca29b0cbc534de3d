import ContractTesting
import CrashExploration
import Foundation
import Testing

// The code of the page CrashExploration.

extension NoteSpecification: PersistentSpecification {
  var probes: [Command] { [.all] }
}

extension Implementation where Fixture == Reopenable<any NoteStore> {
  static let file = live("file") { _ in
    Reopenable { folder, scope in try FileNoteStore(in: folder, .replacing) }
  }

  static let lmdb = live("lmdb") { _ in
    Reopenable { folder, scope in
      let store = try LMDBStore(in: folder)
      scope.onTearDown { store.close() }
      return store
    }
    .exempting("lock.mdb", because: "LMDB makes its table of readers again")
    .deviating(found: "MDB_INVALID", because: "LMDB does not create its file in one step")
  }
}

@Suite struct CrashExplorationPageTests {
  @Test func notesSurviveCrashes() async throws {
    try await exploreCrashes(NoteSpecification(), on: .file)
  }

  @Test(.enabled(if: LMDBStore.library != nil, "install it: apt-get install liblmdb0"))
  func lmdbSurvivesCrashes() async throws {
    try await exploreCrashes(NoteSpecification(), on: .lmdb, settings: .init(runs: 1, steps: 8))
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
    #expect(blocks.count == 4)
    for line in blocks.joined().split(separator: "\n") {
      let isKnown = known.contains(line.trimmingCharacters(in: .whitespaces))
      #expect(isKnown, "\(line)")
    }
  }
}
