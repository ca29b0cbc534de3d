import ContractTesting
import CookieContract
import CookieSQLiteAdapter
import Foundation
import Synchronization
import Testing

@testable import CrashExploration

/// The store after a crash at every point: `Scripts/soak` runs 200 commands.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct CrashTests {
  private static let settings: ExplorationSettings = {
    let commands = ProcessInfo.processInfo.environment["CONTRACT_SOAK_CRASH_COMMANDS"]
    // A swarm run may have hardly any command that writes.
    return ExplorationSettings(
      runs: 1, seed: 1, steps: commands.flatMap { Int($0) } ?? 10, runLimit: .seconds(60),
      strategy: .uniform)
  }()

  @Test func `a durable store loses nothing at a power loss`() async throws {
    try await exploreCrashes(.cookies, on: .sqlitePowerLoss, settings: Self.settings)
  }

  @Test func `a store loses nothing at the end of the process, and is never torn`() async throws {
    try await exploreCrashes(
      .cookies, on: .sqliteProcessCrash, surviving: .processCrash, settings: Self.settings)
  }

  /// Otherwise the first test would show nothing.
  @Test func `a store that is not durable loses the last writes at a power loss`() async throws {
    let issues = Mutex<[String]>([])
    try await withKnownIssue {
      try await exploreCrashes(
        .cookies, on: .sqliteProcessCrash, surviving: .powerLoss,
        commands: [
          .store("a=0", from: "https://example.com/")
        ])
    } matching: { issue in
      issues.withLock { $0 += issue.comments.map(\.rawValue) }
      return true
    }
    let message = issues.withLock { $0.joined(separator: "\n") }
    #expect(message.contains("1 command had returned"), "\(message)")
    #expect(message.contains("has the state after 0"), "\(message)")
  }
}

extension Implementation<Reopenable<CookieStoreFixture>> {
  static let sqlitePowerLoss = live("sqlite-power-loss") { _ in .sqlite(.powerLoss) }
  static let sqliteProcessCrash = live("sqlite-process-crash") { _ in .sqlite(.processCrash) }
}

extension Reopenable<CookieStoreFixture> {
  static func sqlite(_ durability: SQLiteCookieStore.Durability) -> Self {
    Reopenable { folder, scope in
      try await CookieStoreFixture(in: scope) { setup in
        let store = try SQLiteCookieStore(
          path: folder.appending(path: "cookies.sqlite").path, policy: setup.policy,
          durability: durability, now: setup.now)
        scope.onTearDown { store.close() }
        return store
      }
    }
  }
}

extension CookieSpecification: PersistentSpecification {
  public var probes: [Command] { [.all] }

  public func isOutside(_ command: Command) -> Bool {
    switch command {
    case .wait, .setBack: true
    default: false
    }
  }
}
