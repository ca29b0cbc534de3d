import ContractTesting
import Foundation
import Synchronization
import Testing

@testable import CrashExploration

/// The functions that a test calls, with the subject in another process.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct ExploreCrashesTests {
  static func file(_ way: FileNoteStore.Way) -> Implementation<Reopenable<any NoteStore>> {
    .live("file-\(way.rawValue.lowercased())") { _ in .file(way) }
  }

  @Test func `a correct store is explored without an issue`() async throws {
    try await exploreCrashes(
      NoteSpecification(), on: Self.file(.right), settings: .init(runs: 2, seed: 5, steps: 12))
  }

  @Test func `a trap on what a crash left is a finding with a test to paste`() async throws {
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(), on: Self.file(.trapping), settings: .init(runs: 1, seed: 1, steps: 12))
    }
    #expect(
      message.contains("after a process crash: reopening or reading the subject ends the process"),
      "\(message)")
    #expect(message.contains("found    it ended by signal"), "\(message)")
    #expect(message.contains("damaged notes"), "\(message)")
    #expect(
      message.contains(
        """
          try await exploreCrashes(
            NoteSpecification(), on: .fileTrapping, surviving: .powerLoss,
            commands: [
              .put("a", "x"),
            ])
        """), "\(message)")
  }

  @Test func `a subject that never opens is a finding`() async throws {
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(), on: Self.file(.hanging),
        settings: .init(runs: 1, seed: 1, steps: 12, runLimit: .seconds(2), shrinkCalls: 0))
    }
    #expect(message.contains("reopening or reading the subject does not end"), "\(message)")
  }

  @Test func `given commands are examined again`() async throws {
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(), on: Self.file(.withoutFolder), surviving: .powerLoss,
        commands: [.put("a", "x")])
    }
    #expect(
      message.contains(
        """
        on file-withoutfolder: after a power loss, which keeps nothing unsynchronized: 1 command had \
        returned, and the reopened subject has the state after 0
          1. put("a", "x")  → done, returned
        crash after the return of command 1
        """), "\(message)")
  }

  @Test func `a second crash is examined in the other process too`() async throws {
    try await exploreCrashes(
      NoteSpecification(), on: Self.file(.hastyRecovery), commands: [.put("a", "x")])
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(), on: Self.file(.hastyRecovery), duringRecovery: true,
        commands: [.put("a", "x")])
    }
    #expect(
      message.contains("second crash, while it was reopened, after open of the new"), "\(message)")
  }

  /// The message of the issue that a body records, as a known issue.
  private func issue(_ body: () async throws -> Void) async throws -> String {
    let messages = Mutex<[String]>([])
    try await withKnownIssue {
      try await body()
    } matching: { issue in
      messages.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
      return true
    }
    return try #require(messages.withLock { $0.first })
  }
}
