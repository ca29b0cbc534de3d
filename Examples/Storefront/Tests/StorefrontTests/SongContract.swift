import ContractTesting
import Storefront
import Testing

/// A library, and a way to open it a second time.
struct SongLibraryFixture: Sendable {
  var library: any SongLibrary
  var reopen: @Sendable () -> any SongLibrary
}

extension Capability {
  static let permanence = Capability(
    "permanence", "songs are still there when the library is opened again")
}

extension Contract<SongLibraryFixture> {
  static let songs = Contract("songs", "Song library") {
    Clause("keeps", "a saved song is found, and its title has unchanged bytes") { fixture in
      for title in ["Yesterday", "", "e\u{301}\u{0}\n\"", "日本"] {
        try fixture.library.save(Song(id: title, title: title))
        let song = try fixture.library.song(title)
        #expect(song.map { Array($0.title.utf8) } == Array(title.utf8))
      }
    }
    Clause("replaces", "saving a song again replaces it and leaves other songs as they are") {
      fixture in
      try fixture.library.save(Song(id: "1", title: "Old"))
      try fixture.library.save(Song(id: "2", title: "Other"))
      try fixture.library.save(Song(id: "1", title: "New"))
      let titles = try ["1", "2"].map { try fixture.library.song($0)?.title }
      #expect(titles == ["New", "Other"])
    }
    Clause("knows-nothing-else", "a song that was not saved is not found") { fixture in
      let song = try fixture.library.song("1")
      #expect(song == nil)
    }
    Clause(
      "outlives", "saved songs are found when the library is opened again", requires: .permanence
    ) { fixture in
      try fixture.library.save(Song(id: "1", title: "Kept"))
      let song = try fixture.reopen().song("1")
      #expect(song?.title == "Kept")
    }
    Absence(of: .permanence, "a library is empty when it is opened again") { fixture in
      try fixture.library.save(Song(id: "1", title: "Lost"))
      let song = try fixture.reopen().song("1")
      #expect(song == nil)
    }
  } saboteurs: {
    Saboteur("forgets-titles", "drops titles", caughtBy: "keeps") {
      .flawed { library, song in library.save(Song(id: song.id, title: "?")) }
    }
    Saboteur("keeps-first", "never replaces a song", caughtBy: "replaces") {
      .flawed { if $0.song($1.id) == nil { $0.save($1) } }
    }
    Saboteur("has-one", "contains a song at first", caughtBy: "knows-nothing-else") {
      let library = InMemorySongLibrary()
      library.save(Song(id: "1", title: "Free"))
      return SongLibraryFixture(library: library) { library }
    }
    Saboteur("starts-over", "is empty when opened again", caughtBy: "outlives") {
      SongLibraryFixture(library: InMemorySongLibrary()) { InMemorySongLibrary() }
    }
    Saboteur("clings", "keeps its songs when opened again", caughtBy: "lacks-permanence") {
      .flawed { $0.save($1) }
    }
  }
}

extension SongLibraryFixture {
  fileprivate static func flawed(
    _ save: @escaping @Sendable (InMemorySongLibrary, Song) -> Void
  ) -> SongLibraryFixture {
    let library = FlawedSongLibrary(save: save)
    return SongLibraryFixture(library: library) { library }
  }
}

private struct FlawedSongLibrary: SongLibrary {
  private let songs = InMemorySongLibrary()
  private let onSave: @Sendable (InMemorySongLibrary, Song) -> Void

  init(save: @escaping @Sendable (InMemorySongLibrary, Song) -> Void) { onSave = save }

  func save(_ song: Song) { onSave(songs, song) }
  func song(_ id: Song.ID) -> Song? { songs.song(id) }
}
