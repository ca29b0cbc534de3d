import ContractTesting
import DriftExploration
import Foundation
import Storefront
import Testing

@Suite struct SongContractTests {
  @Test(
    arguments: Contract.songs.cases(for: .inMemory, .file)
      + Contract.songs.saboteurCases)
  func holds(_ contractCase: ContractCase<SongLibraryFixture>) async throws {
    try await contractCase.verify()
  }

  @Test func `the fake answers as the file does`() async throws {
    try await exploreDrift(of: .inMemory, from: .file) {
      Operation("save", .keys, .texts) { fixture, id, title in
        try fixture.library.save(Song(id: id, title: title))
      }
      Operation("song", .keys) { fixture, id in try fixture.library.song(id) }
      Operation("songAfterReopening", .keys) { fixture, id in try fixture.reopen().song(id) }
        .differing(because: "the fake lacks permanence", by: "in-memory")
    }
  }
}

extension Implementation<SongLibraryFixture> {
  static let inMemory = fake("in-memory") {
    SongLibraryFixture(library: InMemorySongLibrary()) { InMemorySongLibrary() }
  }
  .lacking(.permanence, because: "the songs are in the memory of one instance")

  static let file = live("file") { scope in
    let file = try scope.temporaryDirectory().appendingPathComponent("songs.json")
    scope.witness(file: file)
    return SongLibraryFixture(library: FileSongLibrary(file)) { FileSongLibrary(file) }
  }
}
