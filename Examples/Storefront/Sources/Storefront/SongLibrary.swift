import Synchronization

/// A port of the shop's own: a place that keeps songs.
///
/// Every implementation promises the clauses of `Contract.songs`.
public protocol SongLibrary: Sendable {
  /// Keeps a song, in place of one of the same id.
  func save(_ song: Song) throws(SongLibraryError)

  /// The song of an id, or `nil`.
  func song(_ id: Song.ID) throws(SongLibraryError) -> Song?
}

/// Why a library did not do what it was asked to; nothing has changed.
public enum SongLibraryError: Error, Hashable, Sendable {
  /// The library's place can't be read or written, or holds something else.
  case unusable(place: String, problem: String)
}

/// A library in memory, for tests and previews.
public final class InMemorySongLibrary: SongLibrary {
  private let songs = Mutex<[String: Song]>([:])

  /// Makes an empty library.
  public init() {}

  public func save(_ song: Song) { songs.withLock { $0[song.id] = song } }

  public func song(_ id: Song.ID) -> Song? { songs.withLock { $0[id] } }
}
