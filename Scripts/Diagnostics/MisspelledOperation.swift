import ContractTesting
import DriftExploration
import Testing

protocol Notes: Sendable {
  func all() -> [String]
  func set(_ text: String, for key: String) throws
}

final class MemoryNotes: Notes {
  func all() -> [String] { [] }
  func set(_ text: String, for key: String) {}
}

extension Implementation<any Notes> {
  static let inMemory = fake("in-memory") { MemoryNotes() }
  static let other = fake("other") { MemoryNotes() }
}

@Test func behavesAlike() async throws {
  try await exploreDrift(of: .inMemory, from: .other) {
    Operation("all") { notes in notes.al() }  // expect: value of type 'any Notes' has no member 'al'
    Operation("set", .texts, .keys) { notes, text, key in try notes.set(text, for: key) }
  }
}
