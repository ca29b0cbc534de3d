import AnalyticsPort
import Storefront
import Testing

@Suite struct SongEditorTests {
  private struct FullLibrary: SongLibrary {
    func save(_ song: Song) throws(SongLibraryError) {
      throw SongLibraryError.unusable(path: "disk", problem: "full")
    }
    func song(_ id: Song.ID) -> Song? { nil }
  }

  private let spy = AnalyticsSpy()

  @Test func `a saved song is in the library and is tracked`() throws {
    let library = InMemorySongLibrary()
    var editor = SongEditor(song: Song(id: "1", title: "?"), library: library, analytics: spy)
    editor.song.title = "Help!"
    try editor.save()
    #expect(library.song("1")?.title == "Help!")
    #expect(spy.events == [AnalyticsEvent("song", action: "save")])
  }

  @Test func `a failed save is tracked`() {
    let editor = SongEditor(
      song: Song(id: "1", title: "Help!"), library: FullLibrary(), analytics: spy)
    #expect(throws: SongLibraryError.unusable(path: "disk", problem: "full")) { try editor.save() }
    #expect(spy.events == [AnalyticsEvent("song", action: "save-failed")])
  }
}
