public import CookiePort
public import Foundation

/// How a clause wants a store to be opened.
public struct CookieStoreSetup: Sendable {
  /// The rules that the store is to go by.
  public let policy: CookiePolicy

  /// The clock that the store is to read.
  public let now: @Sendable () -> Date

  /// What tells the places apart where stores keep their cookies.
  let place: String

  /// The folders of the places.
  let folders: PlaceFolders

  /// The folder in which the store is to keep all its files, empty when a place is first opened.
  ///
  /// A clause that opens a store again, or a second handle, gives the same folder. A store that
  /// needs no folder doesn't ask for it.
  /// - Throws: Foundation's error when the folder can't be made.
  public func directory() throws -> URL { try folders.folder(for: place) }

  /// The same setup for another place.
  func at(_ place: String) -> CookieStoreSetup {
    CookieStoreSetup(policy: policy, now: now, place: place, folders: folders)
  }
}
