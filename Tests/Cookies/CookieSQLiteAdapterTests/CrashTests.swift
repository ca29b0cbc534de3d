import ContractTesting
import CookieContract
import CookieTestSupport
import Foundation
import Synchronization
import Testing

@testable import CookieSQLiteAdapter
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

  /// Where a crash has left a log, nothing but the adapter synchronizes the folder after the copy was made.
  @Test(arguments: [false, true])
  func `a salvage replaces the damaged file only when no crash can take its copy`(
    hasLog: Bool
  ) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 20)
    let store = hasLog ? try SQLiteCookieStore(path: directory.file()) : nil
    defer { store?.close() }
    try directory.execute("UPDATE tally SET cookies = 7")
    let damaged = Self.files(in: directory.path, "cookies.db")
    #expect(damaged.count == (hasLog ? 2 : 1))
    let folder = try WorkingFolder()
    defer { folder.remove() }
    let place = try folder.subfolder("store")
    let recording = await onSeparateThread {
      Result {
        try FileRecorder.recording(place) {
          for (suffix, bytes) in damaged {
            try StoreFile.write(Array(bytes), to: place + "/cookies.db" + suffix)
          }
          try StoreFile.synchronizeDirectory(of: place + "/cookies.db")
          FileRecorder.mark(0)
          _ = try SQLiteCookieStore.salvage(path: place + "/cookies.db")
        }
      }
    }
    var (damagedImages, soundImages) = (0, 0)
    try forEachImage(of: recording.get()) { image in
      let place = try folder.subfolder("image")
      defer { try? FileManager.default.removeItem(atPath: place) }
      try image.write(to: place)
      let copy = Self.files(in: place, "cookies.db.damaged-1")
      let salvage = try SQLiteCookieStore.salvage(path: place + "/cookies.db")
      #expect(salvage.kept.count == 20)
      if salvage.isSound { #expect(copy == damaged) }
      damagedImages += salvage.isSound ? 0 : 1
      soundImages += salvage.isSound ? 1 : 0
    }
    #expect(damagedImages > 0 && soundImages > 0)
  }

  /// A database and its log, if that has any content, by their suffixes.
  private static func files(in folder: String, _ name: String) -> [String: Data] {
    let files = ["", "-wal"].map { suffix in
      (suffix, FileManager.default.contents(atPath: "\(folder)/\(name)\(suffix)") ?? Data())
    }
    return Dictionary(uniqueKeysWithValues: files.filter { !$0.1.isEmpty })
  }

  /// Calls a closure with every folder that a crash after the first mark leaves.
  private func forEachImage(
    of events: [FileEvent], _ body: (FolderImage) throws -> Void
  ) throws {
    var recorded = RecordedFolder()
    var hasBegun = false
    var known: Set<[String: FolderImage.Content]> = []
    for event in events {
      let isChange = try recorded.apply(event)
      hasBegun = hasBegun || event.kind == .mark
      guard hasBegun, isChange else { continue }
      for mode in CrashMode.allCases {
        for image in FolderImage.images(of: recorded, after: mode).all
        where known.insert(image.contents).inserted {
          try body(image)
        }
      }
    }
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
