public import CookiePort

extension SQLiteCookieStore {
  /// Repairs a damaged file: keeps a copy of it and the cookies that SQLite still reads, and says which rows
  /// it dropped.
  ///
  /// Use it if opening a store, or an operation, fails with the kind `corrupt`. The copy is named
  /// `PATH.damaged-1`, or the next number that is free; its write-ahead log is beside it. Nothing deletes it.
  /// Then the file is changed in one transaction, which open handles see like any other, and no write of
  /// theirs is lost. If the file is sound, nothing is copied or changed.
  ///
  /// SQLite reads the rows from both ends up to the first damaged page. For more of them, run the command
  /// `.recover` of sqlite3(1) on the copy. Damage that leaves a cookie valid, such as another letter in its
  /// value, can't be noticed, because SQLite files have no checksums.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - busyTimeout: How long to wait for other handles.
  /// - Returns: What was kept and dropped, and where the copy is.
  /// - Throws: ``CookieStoreError/storage(_:)`` if the file doesn't exist, isn't a cookie store, was written by
  ///   a newer version, or if it or the copy can't be written; the file is unchanged.
  @discardableResult
  public static func salvage(
    path: String,
    busyTimeout: Duration = .seconds(5)
  ) throws(CookieStoreError) -> CookieSalvage {
    let path = try StoreFile.existing(path)
    if let sound = try soundContents(of: path, busyTimeout: busyTimeout) { return sound }
    let connection = try Connection(path: path, busyTimeout: busyTimeout)
    try Schema.current.prepareDamaged(connection)
    let salvage = try connection.replaceContents { memory throws(CookieStoreError) in
      // Another connection reads, because this one holds the lock for writing.
      let reader = try Connection(path: path, busyTimeout: busyTimeout)
      return try reader.toleratingDamage { () throws(CookieStoreError) in
        let copy = try reader.copyAside()
        let table = try CookieTable(
          memory, policy: CookiePolicy(), broadcaster: CookieChangeBroadcaster())
        return try table.adopt(RowRecovery(reader), copy: copy)
      }
    }
    try StoreFile.makePrivate(path)
    return salvage
  }

  /// Returns the contents of a file without damage, or `nil`.
  private static func soundContents(
    of path: String, busyTimeout: Duration
  ) throws(CookieStoreError) -> CookieSalvage? {
    do throws(CookieStoreError) {
      let connection = try Connection(
        opening: path, schema: .current, durability: .processCrash, busyTimeout: busyTimeout)
      let found = RowRecovery(connection)
      guard found.dropped.isEmpty else { return nil }
      return CookieSalvage(
        kept: found.rows.map(\.cookie), dropped: [], missing: 0, damagedCopy: nil)
    } catch {
      guard case .storage(let failure) = error, [.corrupt, .other].contains(failure.kind) else {
        throw error
      }
      return nil
    }
  }
}
