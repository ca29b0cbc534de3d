public import AnalyticsPort

/// Edits one song.
public struct SongEditor: Sendable {
  /// The song as it stands in the editor.
  public var song: Song

  private let library: any SongLibrary
  private let analytics: any AnalyticsTracking

  /// Opens an editor.
  public init(song: Song, library: any SongLibrary, analytics: any AnalyticsTracking) {
    self.song = song
    self.library = library
    self.analytics = analytics
  }

  /// Saves the song, and tracks that it was saved or that it was not.
  ///
  /// - Throws: ``SongLibraryError`` with the song left in the editor.
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
