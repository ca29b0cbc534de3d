import ContractExploration
import Storefront

/// The commands of a song library and what they answer: the oracle of the explorations.
struct SongSpecification: Specification {
  enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
    case save(id: String, title: String)
    case song(id: String)

    /// The test that a failure prints is built from this text.
    var description: String {
      switch self {
      case .save(let id, let title):
        "save(id: \(id.debugDescription), title: \(title.debugDescription))"
      case .song(let id): "song(id: \(id.debugDescription))"
      }
    }
  }

  enum Response: Hashable, Sendable {
    case saved
    case song(Song?)
  }

  let initialState: [String: Song] = [:]

  func command(from choices: inout Choices, in state: [String: Song]) -> Command {
    // Few ids, so that a song is often read that was saved before.
    let id = choices.element(of: ["1", "2", ""], domain: "id") ?? "1"
    let title = choices.element(of: ["Yesterday", "", "日本", "\"\n"]) ?? ""
    return choices.rule(of: 2) == 0 ? .save(id: id, title: title) : .song(id: id)
  }

  func apply(_ command: Command, to state: inout [String: Song]) -> Response {
    switch command {
    case .save(let id, let title):
      state[id] = Song(id: id, title: title)
      return .saved
    case .song(let id): return .song(state[id])
    }
  }

  func perform(_ command: Command, on fixture: SongLibraryFixture) async throws -> Response {
    switch command {
    case .save(let id, let title):
      try fixture.library.save(Song(id: id, title: title))
      return .saved
    case .song(let id): return .song(try fixture.library.song(id))
    }
  }

  func isReadOnly(_ command: Command) -> Bool {
    if case .song = command { true } else { false }
  }
}

extension Specification where Self == SongSpecification {
  static var songs: Self { .init() }
}
