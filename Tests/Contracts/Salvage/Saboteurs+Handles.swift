import CSQLite
import ContractTesting
import CookiePort
import CookieSQLiteAdapter
import Foundation
import SystemLocks
import Testing

extension Saboteur<CookieSalvageFixture> {
  /// Declares a saboteur: stores that are opened in a wrong way.
  fileprivate static func opening(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ open: @escaping @Sendable (CookieSalvageFixture.Opening) throws -> SQLiteCookieStore
  ) -> Saboteur {
    Saboteur(id, text, caughtBy: clauses, saying: message, sourceLocation: sourceLocation) {
      try CookieSalvageFixture(in: $0, opening: open)
    }
  }
}

extension Saboteur<CookieSalvageFixture> {
  @SaboteurBuilder<CookieSalvageFixture>
  static var cookieHandles: [Saboteur] {
    opening("decodes-paths", "takes a path for a part of a URL", caughtBy: "paths") {
      var opening = $0
      opening.path = opening.path.removingPercentEncoding ?? opening.path
      return try opening.store()
    }
    opening(
      "vague", "gives no reason why a file can't be opened", caughtBy: "bad-paths", "log-waits",
      saying: "the failure of"
    ) {
      do {
        return try $0.store()
      } catch CookieStoreError.storage(var failure) {
        failure.kind = .full
        throw CookieStoreError.storage(failure)
      }
    }
    opening(
      "leaves-public", "makes a file private at last", caughtBy: "created-private",
      saying: "the mode of a"
    ) { opening in
      do {
        return try opening.store()
      } catch {
        chmod(opening.path, 0o644)
        throw error
      }
    }
    opening(
      "marked-otherwise", "marks the file with another number", caughtBy: "marked", saying: "the id"
    ) { opening in
      let store = try opening.store()
      var database: OpaquePointer?
      sqlite3_open(opening.path, &database)
      sqlite3_exec(database, "PRAGMA application_id = 1", nil, nil, nil)
      sqlite3_close(database)
      return store
    }
    opening(
      "other-name", "opens a file under another name", caughtBy: "gone", "gone-soon",
      "flushed"
    ) {
      var opening = $0
      try Data().write(to: URL(filePath: opening.path))
      opening.path += ".sqlite"
      return try opening.store()
    }
    opening(
      "own-clock", "reads the clock of the system", caughtBy: "accesses-buffered",
      "accesses-at-once", "other-access", "impossible-time"
    ) {
      var opening = $0
      opening.now = { Date() }
      return try opening.store()
    }
    opening(
      "does-not-wait", "never waits for the locks of others", caughtBy: "log-waits",
      "flush-waits", "accesses-at-once", saying: "waited"
    ) {
      var opening = $0
      opening.timeout = .zero
      return try opening.store()
    }
    Saboteur(
      "repairs-at-once", "repairs without waiting for the locks of others",
      caughtBy: "salvage-waits", saying: "waited"
    ) { scope in
      try CookieSalvageFixture(
        in: scope, salvaging: { try SQLiteCookieStore.salvage(path: $0.path, busyTimeout: .zero) })
    }
    Saboteur(
      "keeps-open", "keeps every file open", caughtBy: "closed", "released", "refused-closed",
      saying: "open"
    ) { scope in
      let files = KeptFiles()
      return try CookieSalvageFixture(
        in: scope,
        opening: {
          files.open($0.path)
          return try $0.store()
        })
    }
  }
}

/// Files that stay open until the saboteur ends.
private final class KeptFiles: Sendable {
  private let descriptors = Mutex<[Int32]>([])

  func open(_ path: String) {
    descriptors.withLock { $0.append(Foundation.open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0o600)) }
  }

  deinit { descriptors.withLock { for descriptor in $0 { close(descriptor) } } }
}
