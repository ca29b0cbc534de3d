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
}
