import CookiePort
import Foundation

extension Connection {
  /// Opens the file of a store, made or brought up to the schema's version where need be.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``; a file that isn't a store is as it was.
  convenience init(
    opening path: String, schema: Schema, durability: SQLiteCookieStore.Durability,
    busyTimeout: Duration
  ) throws(CookieStoreError) {
    let file = try StoreFile.prepare(path)
    let hasLog = StoreFile.hasLog(file.path)
    try self.init(path: file.path, busyTimeout: busyTimeout)
    // Closing an unfit file may clear away an empty log, and mustn't touch a full one.
    setCheckpointsOnClose(!hasLog)
    try execute("PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON")
    try schema.prepare(self)
    try verify()
    guard !isReadOnly else {
      throw .storage(
        CookieStorageFailure(.notPermitted, subject: file.path, detail: "it can only be read"))
    }
    switch durability {
    case .processCrash:
      try execute("PRAGMA synchronous = NORMAL")
    case .powerLoss:
      try execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
      try execute("PRAGMA checkpoint_fullfsync = ON")
      if file.isNew { try StoreFile.synchronizeFolder(of: file.path) }
    }
    setCheckpointsOnClose(true)
  }

  /// Looks every page over, at about 0.3 µs a cookie, so that most damage is found before a write.
  ///
  /// What passes may still hold rows that no store writes: each is checked when it is read.
  private func verify() throws(CookieStoreError) {
    let found = try rows("PRAGMA quick_check(1)") { $0.words(0) }
    guard found == ["ok"] else { throw corrupt(found.joined(separator: "; ")) }
    let counts = try rows("SELECT cookies, (SELECT count(*) FROM cookie) FROM tally") {
      ($0.integer(0), $0.integer(1))
    }
    guard counts.count == 1, let count = counts[0].0, count == counts[0].1 else {
      throw corrupt("the tally doesn't count the cookies that there are")
    }
  }
}
