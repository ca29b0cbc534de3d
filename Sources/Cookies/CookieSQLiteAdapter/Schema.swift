import CookiePort

/// The tables of a cookie store, as the steps that lead from each version to the next.
///
/// The version is SQLite's `user_version`, and `application_id` marks the file as ours. Text is
/// compared by octets (`BINARY`); instants are seconds since 2001-01-01T00:00:00Z, which a `Date`
/// holds exactly.
struct Schema {
  /// The statements of each step: the first makes version 1 of an empty file.
  var migrations: [String]

  /// The version that this package reads and writes.
  var version: Int64 { Int64(migrations.count) }

  /// `Cook` in ASCII, `application_id` of every store.
  static let applicationID: Int64 = 0x436F_6F6B

  static let current = Schema(migrations: [
    """
    CREATE TABLE cookie (
      domain TEXT NOT NULL,
      path TEXT NOT NULL,
      name TEXT NOT NULL,
      host_only INTEGER NOT NULL,
      value TEXT NOT NULL,
      expires REAL,
      secure INTEGER NOT NULL,
      http_only INTEGER NOT NULL,
      same_site INTEGER NOT NULL,
      creation REAL NOT NULL,
      last_access REAL NOT NULL,
      sequence INTEGER NOT NULL,
      PRIMARY KEY (domain, path, name, host_only)
    ) WITHOUT ROWID;
    CREATE INDEX cookie_secure ON cookie (name) WHERE secure;
    CREATE TABLE tally (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      cookies INTEGER NOT NULL,
      last_sequence INTEGER NOT NULL,
      latest_creation REAL,
      earliest_expiry REAL
    );
    INSERT INTO tally VALUES (1, 0, 0, NULL, NULL);
    """
  ])
}

extension Schema {
  /// Makes an empty file a store, brings an older store up to this version, and refuses all else.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)`` of kind `notACookieStore`, `newerVersion` or
  ///   `corrupt`, with the file unchanged; or of what SQLite met.
  func prepare(_ connection: Connection) throws(CookieStoreError) {
    var found = try connection.read { () throws(CookieStoreError) in try inspect(connection) }
    if found.version < version {
      // The log has to be chosen outside a transaction, and before the first one: a rollback
      // journal would be left by a crash in the midst of it.
      try useLog(connection)
      try connection.write { () throws(CookieStoreError) in
        // Another handle may have been quicker.
        let version = try inspect(connection).version
        for step in migrations.dropFirst(Int(version)) { try connection.execute(step) }
        try connection.execute("PRAGMA application_id = \(Self.applicationID)")
        try connection.execute("PRAGMA user_version = \(self.version)")
      }
      found = try connection.read { () throws(CookieStoreError) in try inspect(connection) }
    } else {
      try useLog(connection)
    }
    let expected = try Self.objects(in: try made())
    guard found.objects == expected else {
      throw connection.corrupt("its tables are not those of version \(version)")
    }
  }

  /// What stands in the file, if this package may use it.
  private func inspect(
    _ connection: Connection
  ) throws(CookieStoreError) -> (version: Int64, objects: [String]) {
    let application = try connection.integer("PRAGMA application_id")
    let version = try connection.integer("PRAGMA user_version")
    let objects = try Self.objects(in: connection)
    let isEmpty = application == 0 && version == 0 && objects.isEmpty
    guard isEmpty || application == Self.applicationID else {
      throw Self.failure(.notACookieStore, connection, "an SQLite database of another program")
    }
    guard version <= self.version else {
      throw Self.failure(
        .newerVersion, connection, "its version is \(version); this package knows \(self.version)")
    }
    guard isEmpty || version > 0 else { throw connection.corrupt("its version is \(version)") }
    guard try connection.rows("PRAGMA encoding", { $0.words(0) }) == ["UTF-8"] else {
      throw connection.corrupt("its text is not in UTF-8")
    }
    return (version, objects)
  }

  /// Switches to the write-ahead log; where that is on, nothing is written.
  private func useLog(_ connection: Connection) throws(CookieStoreError) {
    try connection.retryingWhileBusy { () throws(CookieStoreError) in
      let mode = try connection.rows("PRAGMA journal_mode = WAL") { $0.words(0) }
      guard mode == ["wal"] else {
        throw Self.failure(.other, connection, "this file system allows no write-ahead log")
      }
    }
  }

  /// A store of this version in memory.
  private func made() throws(CookieStoreError) -> Connection {
    let memory = try Connection(path: ":memory:", busyTimeout: .zero)
    for step in migrations { try memory.execute(step) }
    return memory
  }

  /// Every table, index, trigger and view; not SQLite's own.
  private static func objects(in connection: Connection) throws(CookieStoreError) -> [String] {
    try connection.rows(
      "SELECT type || ' ' || name || ': ' || ifnull(sql, '') FROM sqlite_schema "
        + "WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1"
    ) { $0.words(0) }
  }

  private static func failure(
    _ kind: CookieStorageFailure.Kind, _ connection: Connection, _ detail: String
  ) -> CookieStoreError {
    .storage(CookieStorageFailure(kind, subject: connection.path, detail: detail))
  }
}
