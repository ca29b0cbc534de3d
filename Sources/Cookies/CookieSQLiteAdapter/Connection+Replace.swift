import CSQLite
import CookiePort

extension Connection {
  /// Replaces the contents of the file, however damaged its pages are, in one transaction.
  ///
  /// A store in memory is filled first. SQLite's backup interface then overwrites the file's pages with its
  /// pages. Other handles see the old contents or the new ones.
  ///
  /// - Parameter fill: Fills the new store, which is empty. Meanwhile no other handle can write.
  func replaceContents<Result>(
    _ fill: (_ memory: Connection) throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    try toleratingDamage { () throws(CookieStoreError) in
      let memory = try Connection.inMemory()
      // A backup can't change the page size of a file with a write-ahead log.
      try memory.execute("PRAGMA page_size = \(try integer("PRAGMA page_size"))")
      try Schema.current.migrate(memory)
      guard let backup = sqlite3_backup_init(handle, "main", memory.handle, "main") else {
        throw failure(sqlite3_errcode(handle))
      }
      defer { sqlite3_backup_finish(backup) }
      // A step of no pages takes the lock.
      try retryingWhileBusy { () throws(CookieStoreError) in
        try check(sqlite3_backup_step(backup, 0))
      }
      let result = try fill(memory)
      try check(sqlite3_backup_step(backup, -1))
      return result
    }
  }
}
