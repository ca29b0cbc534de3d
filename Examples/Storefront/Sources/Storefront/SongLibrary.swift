import Synchronization

/// Stores songs. This port belongs to the app, and so does its contract.
///
/// Every implementation satisfies `Contract.songs`.
public protocol SongLibrary: Sendable {
  /// Saves a song. It replaces the song with the same id.
  func save(_ song: Song) throws(SongLibraryError)

  /// Returns the song with an id, or `nil`.
  func song(_ id: Song.ID) throws(SongLibraryError) -> Song?
}

/// An operation failed and has changed nothing.
public enum SongLibraryError: Error, Hashable, Sendable {
  /// The file cannot be read or written, or is not a song library.
  case unusable(path: String, problem: String)
}

/// The fake: a library in memory, for tests and previews.
public final class InMemorySongLibrary: SongLibrary {
  private let songs = Mutex<[String: Song]>([:])

  /// Creates an empty library.
  public init() {}

  public func save(_ song: Song) { songs.withLock { $0[song.id] = song } }

  public func song(_ id: Song.ID) -> Song? { songs.withLock { $0[id] } }
}
