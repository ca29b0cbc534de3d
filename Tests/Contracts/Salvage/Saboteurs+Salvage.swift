import CSQLite
import ContractTesting
import CookiePort
import CookieSQLiteAdapter
import Foundation
import SystemLocks
import Testing

extension Saboteur<CookieSalvageFixture> {
  /// Declares a saboteur: a correct repair after which one thing is wrong.
  fileprivate static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @escaping @Sendable (inout CookieSalvage, CookieSalvageFixture) throws -> Void
  ) -> Saboteur {
    Saboteur(id, text, caughtBy: clauses, saying: message, sourceLocation: sourceLocation) {
      scope in
      try CookieSalvageFixture(in: scope).salvaging { fixture in
        var salvage = try fixture.salvage()
        try change(&salvage, fixture)
        return salvage
      }
    }
  }
}

extension Saboteur<CookieSalvageFixture> {
  @SaboteurBuilder<CookieSalvageFixture>
  static var cookieSalvage: [Saboteur] {
    flawed(
      "changes-sound-files", "writes to a sound file", caughtBy: "sound",
      saying: "whether the file is the same"
    ) { salvage, fixture in
      guard salvage.isSound else { return }
      try fixture.execute("UPDATE tally SET last_sequence = last_sequence + 1")
    }
    flawed(
      "forgets-last", "loses the last cookie of a damaged file", caughtBy: "lost-page",
      "lost-inner-page", "lost-pages", "long", "page-size", "row-count", "deleted", "truncated",
      "schema", "tally",
      saying: "without"
    ) { salvage, fixture in
      guard !salvage.isSound, salvage.dropped.isEmpty else { return }
      try fixture.lose(salvage.kept.popLast())
    }
    flawed(
      "loses-neighbour", "loses the row beside two damaged ones", caughtBy: "lost-rows",
      saying: "without"
    ) { salvage, fixture in
      guard salvage.missing == 2 else { return }
      try fixture.lose(salvage.kept.popLast())
    }
    flawed(
      "loses-behind-pointer", "loses the row behind a damaged pointer", caughtBy: "lost-pointers",
      saying: "the number of cookies kept"
    ) { salvage, _ in
      if salvage.missing == 1 { salvage.kept.removeLast() }
    }
    flawed(
      "undeletes", "finds the cookies on free pages", caughtBy: "deleted", "deleted-by-damage"
    ) { salvage, _ in
      guard salvage.kept.count < 30 else { return }
      salvage.kept.append(
        Cookie(name: "name70", value: "", domain: "host0.example.com", creation: .distantFuture))
    }
    flawed("reorders", "returns cookies of one creation in any order", caughtBy: "lost-page") {
      salvage, _ in
      if salvage.kept.count > 2 { salvage.kept.swapAt(0, 1) }
    }
    flawed(
      "vague-problem", "names the first column whatever is wrong", caughtBy: "bad-fields",
      saying: "the problem of"
    ) { salvage, _ in
      for index in salvage.dropped.indices { salvage.dropped[index].problem = .column("domain") }
    }
    flawed(
      "raw-text", "returns names of dropped rows as they are", caughtBy: "displayed",
      saying: "the name"
    ) { salvage, _ in
      for index in salvage.dropped.indices {
        salvage.dropped[index].name.replace("\\u{1b}", with: "\u{1b}")
      }
    }
    flawed(
      "silent-drop", "does not say that it dropped unproducible cookies", caughtBy: "unproducible",
      saying: "the problems"
    ) { salvage, _ in
      salvage.dropped.removeAll { if case .rejected = $0.problem { true } else { false } }
    }
    flawed(
      "forgets-sequence", "assigns sequence numbers from the beginning again",
      caughtBy: "used-again", saying: "the number of sequence numbers"
    ) { salvage, fixture in
      if !salvage.isSound { try fixture.execute("UPDATE tally SET last_sequence = 0") }
    }
    flawed(
      "other-file", "replaces the file by another", caughtBy: "open-handles"
    ) { _, fixture in
      let copy = fixture.file.appendingPathExtension("copy")
      try fixture.execute("VACUUM INTO '\(copy.path)'")
      _ = try FileManager.default.replaceItemAt(fixture.file, withItemAt: copy)
    }
    Saboteur(
      "claims-files", "makes every file a cookie store", caughtBy: "no-database", "damaged",
      "newer-version", "other-program", "other-log", "other-tables", "no-file",
      saying: "the failure of"
    ) { scope in
      @Sendable func claim(_ opening: CookieSalvageFixture.Opening) throws {
        for suffix in ["", "-wal", "-journal"] {
          try? FileManager.default.removeItem(atPath: opening.path + suffix)
        }
        try opening.store().close()
      }
      return try CookieSalvageFixture(in: scope) { opening in
        do {
          return try SQLiteCookieStore.salvage(path: opening.path)
        } catch {
          try claim(opening)
          return try SQLiteCookieStore.salvage(path: opening.path)
        }
      } opening: { opening in
        do {
          return try opening.store()
        } catch {
          try claim(opening)
          return try opening.store()
        }
      }
    }
    Saboteur("strict-tables", "refuses the statistics of ANALYZE", caughtBy: "statistics") {
      scope in
      try CookieSalvageFixture(
        in: scope,
        opening: { opening in
          if let data = try? Data(contentsOf: URL(filePath: opening.path)),
            data.range(of: Data("sqlite_stat1".utf8)) != nil
          {
            throw CookieStoreError.storage(
              CookieStorageFailure(.corrupt, subject: opening.path, detail: "it has other tables"))
          }
          return try opening.store()
        })
    }
    Saboteur(
      "shuns-journals", "refuses a store with any journal", caughtBy: "ended-journal"
    ) { scope in
      try CookieSalvageFixture(
        in: scope,
        opening: { opening in
          if FileManager.default.fileExists(atPath: opening.path + "-journal") {
            throw CookieStoreError.storage(
              CookieStorageFailure(
                .notACookieStore, subject: opening.path, detail: "it has a journal"))
          }
          return try opening.store()
        })
    }
    Saboteur(
      "public-files", "leaves files as readable as they were", caughtBy: "private",
      saying: "the mode of"
    ) { scope in
      try CookieSalvageFixture(
        in: scope,
        opening: { opening in
          let before = try? FileManager.default.attributesOfItem(atPath: opening.path)
          let store = try opening.store()
          if let mode = before?[.posixPermissions] {
            try FileManager.default.setAttributes(
              [.posixPermissions: mode], ofItemAtPath: opening.path)
          }
          return store
        })
    }
    Saboteur(
      "tidies-up", "moves the log into the file on closing, whatever happened",
      caughtBy: "kept-as-evidence", saying: "whether close() leaves the"
    ) { scope in
      let file = Mutex<String?>(nil)
      return try CookieSalvageFixture(
        in: scope,
        closing: { store in
          store.close()
          guard let path = file.withLock({ $0 }) else { return }
          var database: OpaquePointer?
          sqlite3_open(path, &database)
          sqlite3_exec(database, "PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil)
          sqlite3_close(database)
        },
        opening: { opening in
          file.withLock { $0 = opening.path }
          return try opening.store()
        })
    }
    Saboteur("impatient", "does not wait for locks", caughtBy: "locked", saying: "waited") {
      scope in
      try CookieSalvageFixture(
        in: scope,
        opening: {
          var hasty = $0
          hasty.timeout = .zero
          return try hasty.store()
        })
    }
    Saboteur("reads-to-clear", "deletes the cookies one by one", caughtBy: "cleared") { scope in
      try CookieSalvageFixture(
        in: scope,
        clearing: { store in
          for cookie in try store.all() { try store.delete(cookie.id) }
        })
    }
  }
}

extension CookieSalvageFixture {
  /// Deletes a cookie of the repaired file, and keeps the tally right.
  fileprivate func lose(_ cookie: Cookie?) throws {
    guard let cookie else { return }
    try execute(
      """
      DELETE FROM cookie WHERE name = '\(cookie.name)';
      UPDATE tally SET cookies = cookies - 1
      """)
  }
}
