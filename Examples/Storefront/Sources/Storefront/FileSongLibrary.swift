public import Foundation
import Synchronization

/// A library in a JSON file. Threads may share it, processes may not.
public final class FileSongLibrary: SongLibrary {
  private let file: URL
  private let lock = Mutex(())

  /// Opens a library. The first saved song creates the file.
  public init(_ file: URL) { self.file = file }

  public func save(_ song: Song) throws(SongLibraryError) {
    try lock.withLock { _ throws(SongLibraryError) in
      var songs = try read()
      songs[song.id] = song
      do {
        try JSONEncoder().encode(songs).write(to: file, options: .atomic)
      } catch {
        throw SongLibraryError.unusable(path: file.path, problem: "\(error)")
      }
    }
  }

  public func song(_ id: Song.ID) throws(SongLibraryError) -> Song? {
    try lock.withLock { _ throws(SongLibraryError) in try read()[id] }
  }

  private func read() throws(SongLibraryError) -> [String: Song] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
    do {
      return try JSONDecoder().decode([String: Song].self, from: Data(contentsOf: file))
    } catch {
      throw SongLibraryError.unusable(path: file.path, problem: "\(error)")
    }
  }
}
