import ContractTesting
import DriftExploration
import Foundation
import SystemLocks
import Testing

/// A small store, with mistakes to choose from.
protocol Notes: Sendable {
  func set(_ text: String, for key: String) throws(NotesError)
  func text(for key: String) throws(NotesError) -> String
  func add(_ text: String) -> Int
  func remove(_ id: Int) throws(NotesError)
  func all() -> [String]
  func noteCount() throws(NotesError) -> Int
  func entries() -> [Entry]
  func text(ofEntry id: Int) throws(NoEntry) -> String
  /// The first texts after one, in their order.
  func page(_ limit: Int, after text: String?) -> [String]
}

extension Notes {
  /// An error that is compared by its code.
  func throwByCount() throws {
    throw CocoaError(
      try noteCount() == 0 ? .fileNoSuchFile : .fileReadNoPermission,
      userInfo: [NSFilePathErrorKey: "/\(UUID())"])
  }

  /// An error that can't be compared.
  func refuseByCount() throws { throw Refusal.tooMany(count: try noteCount()) }

  func anyCount() throws -> any Sendable { try noteCount() }
}

struct Entry: Hashable {
  var id: Int
  var text: String
}

enum Refusal: Error { case tooMany(count: Int) }

/// There is no entry with this id.
struct NoEntry: Error, Hashable {
  var number: Int
}

extension Implementation<any Notes> {
  static let reference = fake("reference") { try MemoryNotes(firstID: 100) }

  static func notes(_ mistakes: MemoryNotes.Mistake...) -> Self {
    fake(mistakes.map { "\($0)" }.joined(separator: "-")) { try MemoryNotes(Set(mistakes)) }
  }
}

extension ExplorationSettings {
  /// As much as finds each mistake, on any machine.
  static var brief: Self {
    var settings = drift(fromFake: true, seed: 1)
    settings.time = nil
    settings.runs = 60
    settings.shrinkTime = .seconds(60)
    return settings
  }
}

enum NotesError: Error, Hashable {
  case unknownID
  case failed(message: String)
}

final class MemoryNotes: Notes {
  enum Mistake {
    case keepsFirst
    case forgetsEmptyKey
    case crashesOnEmptyText
    case hangsOnEmptyText
    case removesTwice
    case orders
    case otherError
    case otherMessage
    case crashesInSetUp
    case refusesSetUp
    case countsOneMore
    case mixesIDs
    case namesOtherID
    case hasNoLimitAtZero
    case includesBound
  }

  private struct State {
    var texts: [String: String] = [:]
    var added: [Int: String] = [:]
    var next: Int
  }

  private let state: Mutex<State>
  private let mistakes: Set<Mistake>

  init(_ mistakes: Set<Mistake> = [], firstID: Int = 1) throws(NotesError) {
    self.mistakes = mistakes
    if mistakes.contains(.crashesInSetUp) { Self.crash() }
    if mistakes.contains(.refusesSetUp) { throw .unknownID }
    state = Mutex(State(next: firstID))
  }

  func set(_ text: String, for key: String) throws(NotesError) {
    if mistakes.contains(.crashesOnEmptyText), text.isEmpty { Self.crash() }
    if mistakes.contains(.hangsOnEmptyText), text.isEmpty { while true { usleep(1000) } }
    state.withLock { state in
      if mistakes.contains(.keepsFirst), state.texts[key] != nil { return }
      if mistakes.contains(.forgetsEmptyKey), key.isEmpty { return }
      state.texts[key] = text
    }
  }

  func text(for key: String) throws(NotesError) -> String {
    guard let text = state.withLock({ $0.texts[key] }) else {
      if mistakes.contains(.otherMessage) { throw .failed(message: "nothing") }
      throw mistakes.contains(.otherError) ? .unknownID : .failed(message: "no text for \(key)")
    }
    return text
  }

  func add(_ text: String) -> Int {
    state.withLock { state in
      state.next += 1
      state.added[state.next] = text
      return state.next
    }
  }

  func remove(_ id: Int) throws(NotesError) {
    let wasThere = state.withLock { $0.added.removeValue(forKey: id) != nil }
    if !wasThere, !mistakes.contains(.removesTwice) { throw .unknownID }
  }

  func all() -> [String] {
    let texts = state.withLock { $0.added.sorted { $0.key < $1.key }.map(\.value) }
    return mistakes.contains(.orders) ? texts.reversed() : texts
  }

  func noteCount() -> Int {
    state.withLock { $0.added.count } + (mistakes.contains(.countsOneMore) ? 1 : 0)
  }

  func entries() -> [Entry] {
    state.withLock { state in
      let ids = state.added.keys.sorted()
      let first = mistakes.contains(.mixesIDs) ? ids.first : nil
      return ids.map { Entry(id: first ?? $0, text: state.added[$0] ?? "") }
    }
  }

  func text(ofEntry id: Int) throws(NoEntry) -> String {
    guard let text = state.withLock({ $0.added[id] }) else {
      throw NoEntry(number: id + (mistakes.contains(.namesOtherID) ? 1 : 0))
    }
    return text
  }

  func page(_ limit: Int, after text: String?) -> [String] {
    let texts = state.withLock { $0.added.values.sorted() }
      .filter { other in
        text.map { $0 < other || mistakes.contains(.includesBound) && $0 == other } ?? true
      }
    if limit == 0, mistakes.contains(.hasNoLimitAtZero) { return texts }
    return Array(texts.prefix(max(0, limit)))
  }

  private static func crash() { fatalError("the text is empty") }
}
