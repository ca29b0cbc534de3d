public import Foundation
import Synchronization

/// A library in a JSON file, for one process at a time.
public final class FileSongLibrary: SongLibrary {
  private let file: URL
  private let turn = Mutex(())

  /// Opens a library; the file is made when the first song is saved.
  public init(_ file: URL) { self.file = file }

  public func save(_ song: Song) throws(SongLibraryError) {
    try turn.withLock { _ throws(SongLibraryError) in
      var songs = try read()
      songs[song.id] = song
      do {
        try JSONEncoder().encode(songs).write(to: file, options: .atomic)
      } catch {
        throw SongLibraryError.unusable(place: file.path, problem: "\(error)")
      }
    }
  }

  public func song(_ id: Song.ID) throws(SongLibraryError) -> Song? {
    try turn.withLock { _ throws(SongLibraryError) in try read()[id] }
  }

  private func read() throws(SongLibraryError) -> [String: Song] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
    do {
      return try JSONDecoder().decode([String: Song].self, from: Data(contentsOf: file))
    } catch {
      throw SongLibraryError.unusable(place: file.path, problem: "\(error)")
    }
  }
}
