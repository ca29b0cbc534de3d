public import CookiePort
public import Foundation

/// The policy, clock and directory with which a clause opens a store.
public struct CookieStoreSetup: Sendable {
  /// The policy that the store applies.
  public let policy: CookiePolicy

  /// The clock that the store reads in place of `Date()`.
  public let now: @Sendable () -> Date

  /// The location of the store's cookies: stores with the same location share a directory.
  let location: String

  /// The directories of all locations.
  let directories: StoreDirectories

  /// Returns the directory for all files of the store, empty when the store is first opened.
  ///
  /// A clause that reopens a store, or opens a second handle, passes the same directory. The
  /// directory is created by the first call; a store without files doesn't call this method.
  /// - Throws: Foundation's error if the directory can't be created.
  public func directory() throws -> URL { try directories.directory(for: location) }

  /// The same setup with another location, and another policy if one is given.
  func at(_ location: String, with policy: CookiePolicy? = nil) -> CookieStoreSetup {
    CookieStoreSetup(
      policy: policy ?? self.policy, now: now, location: location, directories: directories)
  }
}
