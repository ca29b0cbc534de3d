import CookiePort
import SystemLocks

/// The tables of a cookie store, as a list of migrations.
///
/// SQLite's `user_version` is the schema's version; `application_id` identifies the file as a
/// cookie store. Text is compared by bytes (`BINARY`). Instants are seconds since 2001-01-01
/// 00:00:00 UTC, which convert to `Date` exactly.
struct Schema {
  /// The statements of each migration; the first one creates version 1 in an empty file.
  var migrations: [String]

  private let created = Created()

  /// The objects that the migrations create. SQLite is asked once, because that takes longer than
  /// everything else that opens a store.
  private final class Created: Sendable {
    let objects = Mutex<[String]?>(nil)
  }

  /// The version that this package reads and writes.
  var version: Int64 { Int64(migrations.count) }

  /// The `application_id` of every store: `Cook` in ASCII.
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
  /// Creates the tables in an empty file, migrates an older store, and rejects any other file.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)`` of the kind `notACookieStore`, `newerVersion` or
  ///   `corrupt`, with the file unchanged, or of the kind of an SQLite error.
  func prepare(_ connection: Connection) throws(CookieStoreError) {
    var found = try connection.read { () throws(CookieStoreError) in try inspect(connection) }
    if found.version < version {
      // The journal mode can't change inside a transaction, and it must change before the first
      // one: otherwise a crash during the migration would leave a rollback journal.
      try useLog(connection)
      try connection.write { () throws(CookieStoreError) in
        // Another handle may have migrated the file since the first check.
        let version = try inspect(connection).version
        try migrate(connection, from: version)
      }
      found = try connection.read { () throws(CookieStoreError) in try inspect(connection) }
    } else {
      try useLog(connection)
    }
    guard found.objects == (try expectedObjects()) else {
      throw connection.corrupt("its tables are not those of version \(version)")
    }
  }

  /// Checks that a file whose pages may be damaged is a store, and switches it to the write-ahead log.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)`` of the kind `notACookieStore` or `newerVersion`.
  func prepareDamaged(_ connection: Connection) throws(CookieStoreError) {
    try connection.toleratingDamage { () throws(CookieStoreError) in
      try checkApplication(connection)
      try useLog(connection)
    }
  }

  /// Runs the migrations that a version still needs.
  func migrate(_ connection: Connection, from version: Int64 = 0) throws(CookieStoreError) {
    for step in migrations.dropFirst(Int(version)) { try connection.execute(step) }
    try connection.execute("PRAGMA application_id = \(Self.applicationID)")
    try connection.execute("PRAGMA user_version = \(self.version)")
  }

  /// Checks that the file is a store and not newer, or empty.
  ///
  /// - Returns: The version, and whether the file may be empty.
  @discardableResult
  private func checkApplication(
    _ connection: Connection, isEmpty: Bool = false
  ) throws(CookieStoreError) -> Int64 {
    let application = try connection.integer("PRAGMA application_id")
    let version = try connection.integer("PRAGMA user_version")
    guard application == Self.applicationID || (isEmpty && application == 0 && version == 0) else {
      throw Self.failure(
        .notACookieStore, connection, "it is an SQLite database of another program")
    }
    guard version <= self.version else {
      throw Self.failure(
        .newerVersion, connection,
        "its version is \(version), this package supports \(self.version)")
    }
    return version
  }

  /// Reads the file's version and schema objects.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)`` if the file is neither empty nor a store of a known
  ///   version.
  private func inspect(
    _ connection: Connection
  ) throws(CookieStoreError) -> (version: Int64, objects: [String]) {
    let objects = try Self.objects(in: connection)
    let version = try checkApplication(connection, isEmpty: objects.isEmpty)
    guard objects.isEmpty || version > 0 else {
      throw connection.corrupt("its version is \(version)")
    }
    guard try connection.rows("PRAGMA encoding", { $0.displayText(0) }) == ["UTF-8"] else {
      throw connection.corrupt("its text is not in UTF-8")
    }
    return (version, objects)
  }

  /// Switches to the write-ahead log; writes nothing if the file uses it already.
  private func useLog(_ connection: Connection) throws(CookieStoreError) {
    try connection.retryingWhileBusy { () throws(CookieStoreError) in
      let mode = try connection.rows("PRAGMA journal_mode = WAL") { $0.displayText(0) }
      guard mode == ["wal"] else {
        throw Self.failure(.other, connection, "the file system doesn't support a write-ahead log")
      }
    }
  }

  /// The objects of a store of this version.
  private func expectedObjects() throws(CookieStoreError) -> [String] {
    try created.objects.withLock { known throws(CookieStoreError) in
      if let known { return known }
      let memory = try Connection.inMemory()
      try migrate(memory)
      let objects = try Self.objects(in: memory)
      known = objects
      return objects
    }
  }

  /// Returns the SQL of every table, index, trigger and view, except SQLite's own.
  private static func objects(in connection: Connection) throws(CookieStoreError) -> [String] {
    try connection.rows(
      "SELECT type || ' ' || name || ': ' || ifnull(sql, '') FROM sqlite_schema "
        + "WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1"
    ) { $0.displayText(0) }
  }

  private static func failure(
    _ kind: CookieStorageFailure.Kind, _ connection: Connection, _ detail: String
  ) -> CookieStoreError {
    .storage(CookieStorageFailure(kind, subject: connection.path, detail: detail))
  }
}
