import ContractTesting
import Foundation
import Synchronization
import Testing

@testable import CrashExploration

/// The functions that a test calls, with the subject in another process.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct ExploreCrashesTests {
  private static let trapping = Habit.overwriting { fatalError("damaged notes") }.reopenable

  @Test func `a correct store is explored without an issue`() async throws {
    try await exploreCrashes(
      NoteSpecification(), on: .file, settings: .init(runs: 1, seed: 5, steps: 12))
  }

  @Test func `a trap on what a crash left is a finding with a test to paste`() async throws {
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(), on: .live("trapping-file") { _ in Self.trapping },
        settings: .init(runs: 1, seed: 1, steps: 12))
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
            NoteSpecification(), on: .trappingFile, surviving: .powerLoss,
            commands: [
              .put("a", "x"),
            ])
        """), "\(message)")
  }

  @Test func `a subject that never opens is a finding`() async throws {
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(),
        on: .live("hanging-file") { _ in Habit.overwriting { while true { sleep(1) } }.reopenable },
        settings: .init(runs: 1, seed: 1, steps: 12, runLimit: .seconds(2), shrinkCalls: 0))
    }
    #expect(message.contains("reopening or reading the subject does not end"), "\(message)")
  }

  @Test func `given commands are examined again`() async throws {
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(), on: .lazyFile, surviving: .powerLoss,
        commands: [.put("a", "x")])
    }
    #expect(
      message.contains(
        """
        on lazy-file: after a power loss, which keeps nothing unsynchronized: 1 command had \
        returned, and the reopened subject has the state after 0
          1. put("a", "x")  → done, returned
        crash after the return of command 1
        """), "\(message)")
  }

  @Test func `a second crash is examined in the other process too`() async throws {
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(), on: .live("hasty-file") { _ in Habit.hasty.reopenable },
        duringRecovery: true, commands: [.put("a", "x")])
    }
    #expect(message.contains("second crash, while it was reopened, after "), "\(message)")
  }

  @Test func `a known end of the process does not hide what comes after it`() async throws {
    let settings = ExplorationSettings(runs: 1, seed: 2, steps: 3, shrinkCalls: 0)
    try await exploreCrashes(
      NoteSpecification(),
      on: .live("trusting-file") { _ in
        Self.trapping.deviating(found: "damaged notes", because: "it trusts its file")
      }, settings: settings)
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(),
        on: .live("half-known-file") { _ in
          Self.trapping.deviating(
            in: .processCrash, found: "damaged notes", because: "it trusts its file")
        }, settings: settings)
    }
    #expect(message.contains("after a power loss"), "\(message)")
    #expect(message.contains("damaged notes"), "\(message)")
    #expect(message.contains("crashes deviate: it trusts its file"), "\(message)")
  }

  @Test func `a known end of the process that there is not is stale`() async throws {
    let message = try await issue {
      try await exploreCrashes(
        NoteSpecification(),
        on: .live("file") { _ in
          Habit.replacing.reopenable.deviating(found: "damaged notes", because: "it was wrong")
        }, settings: .init(runs: 1, seed: 2, steps: 3))
    }
    #expect(message.contains("file no longer deviates (it was wrong)"), "\(message)")
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
