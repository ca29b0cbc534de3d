import CookiePort
import Foundation

extension Connection {
  /// Opens a store's file; creates it, or migrates it to the schema's version, if necessary.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``; a file that isn't a store is unchanged.
  convenience init(
    opening path: String, schema: Schema, durability: SQLiteCookieStore.Durability,
    busyTimeout: Duration
  ) throws(CookieStoreError) {
    let path = try StoreFile.prepare(path)
    let hasLog = StoreFile.hasLog(path)
    try self.init(path: path, busyTimeout: busyTimeout)
    // If the file turns out to be unusable, closing it must not checkpoint another program's log.
    setCheckpointsOnClose(!hasLog)
    // SQLite maps no files unless it was built so. Damage is found before it spreads.
    try execute("PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON")
    try schema.prepare(self)
    try read { () throws(CookieStoreError) in try verify() }
    guard !isReadOnly else {
      throw .storage(
        CookieStorageFailure(.notPermitted, subject: path, detail: "the file is read-only"))
    }
    switch durability {
    case .processCrash:
      try execute("PRAGMA synchronous = NORMAL")
    case .powerLoss:
      // A new file's name needs no call here: SQLite synchronizes the directory with the first journal in it.
      try execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
      try execute("PRAGMA checkpoint_fullfsync = ON")
    }
    try StoreFile.makePrivate(path)
    setCheckpointsOnClose(true)
  }

  /// Checks every page, the order of the rows and the index, at about 1.4 µs per cookie, to find most
  /// damage before the first write.
  ///
  /// `quick_check` takes a quarter of the time, but misses rows out of order, which lookups don't find,
  /// and `Secure` cookies without their index entry, which an insecure origin could overlay. The file
  /// may still contain invalid rows; each row is validated when it is read.
  private func verify() throws(CookieStoreError) {
    let found = try rows("PRAGMA integrity_check(1)") { $0.displayText(0) }
    guard found == ["ok"] else { throw corrupt(found.joined()) }
    let tallies = try rows("SELECT \(Tally.columns) FROM tally") { Tally($0) }
    guard tallies.count == 1, let tally = tallies[0],
      tally.lastSequence < Tally.range.upperBound
    else { throw corrupt("the tally is invalid") }
    guard tally.cookies == (try integer("SELECT count(*) FROM cookie")) else {
      throw corrupt("the tally doesn't match the number of cookies")
    }
  }
}
