public import AnalyticsPort

/// Edits one song.
public struct SongEditor: Sendable {
  /// The edited song, which need not be saved.
  public var song: Song

  private let library: any SongLibrary
  private let analytics: any AnalyticsTracking

  /// Creates an editor for a song.
  public init(song: Song, library: any SongLibrary, analytics: any AnalyticsTracking) {
    self.song = song
    self.library = library
    self.analytics = analytics
  }

  /// Saves the song and tracks the result.
  ///
  /// - Throws: ``SongLibraryError``. The editor keeps the song.
  public func save() throws(SongLibraryError) {
    do throws(SongLibraryError) {
      try library.save(song)
    } catch {
      analytics.track("song", action: "save-failed")
      throw error
    }
    analytics.track("song", action: "save")
  }
}
