import ContractTesting

@testable import CrashExploration

/// Notes by name: the model of the stores of these tests.
struct NoteSpecification: Specification {
  typealias Subject = any NoteStore
  typealias State = [String: String]

  enum Command: Hashable, Sendable, CustomStringConvertible {
    case put(String, String)
    case remove(String)
    /// Gives a note another name, in one step.
    case rename(String, to: String)
    case flush
    case all

    var description: String {
      switch self {
      case .put(let name, let text): "put(\(name.debugDescription), \(text.debugDescription))"
      case .remove(let name): "remove(\(name.debugDescription))"
      case .rename(let name, let other):
        "rename(\(name.debugDescription), to: \(other.debugDescription))"
      case .flush: "flush"
      case .all: "all"
      }
    }
  }

  enum Response: Hashable, Sendable {
    case done
    case notes([String: String])
  }

  var initialState: State { [:] }
  func isFlush(_ command: Command) -> Bool { command == .flush }
  func isReadOnly(_ command: Command) -> Bool { command == .all }

  func command(from choices: inout Choices, in state: State) -> Command {
    let names = ["a", "b", "c"]
    func name() -> String { choices.element(of: names, domain: "name") ?? "a" }
    switch choices.rule(weights: [6, 2, 2, 1, 1]) {
    case 0:
      let name = name()
      // Some texts take several sectors.
      let length = choices.element(of: [1, 40, 1500]) ?? 1
      let letter = choices.element(of: ["x", "y", "z"]) ?? "x"
      return .put(name, String(repeating: letter, count: length))
    case 1: return .remove(name())
    case 2: return .rename(name(), to: name())
    case 3: return .flush
    default: return .all
    }
  }

  func apply(_ command: Command, to state: inout State) -> Response {
    switch command {
    case .put(let name, let text): state[name] = text
    case .remove(let name): state[name] = nil
    case .rename(let name, let other):
      if let text = state.removeValue(forKey: name) { state[other] = text }
    case .flush: break
    case .all: return .notes(state)
    }
    return .done
  }

  func perform(_ command: Command, on store: any NoteStore) async throws -> Response {
    switch command {
    case .put(let name, let text): try store.change { $0[name] = text }
    case .remove(let name): try store.change { $0[name] = nil }
    case .rename(let name, let other): try store.rename(name, to: other)
    case .flush: try store.flush()
    case .all: return .notes(try store.notes())
    }
    return .done
  }
}

/// A store of notes.
protocol NoteStore: Sendable {
  func notes() throws -> [String: String]
  func change(_ body: (inout [String: String]) -> Void) throws
  func rename(_ name: String, to other: String) throws
  func flush() throws
}

extension NoteStore {
  func rename(_ name: String, to other: String) throws {
    try change { notes in
      if let text = notes.removeValue(forKey: name) { notes[other] = text }
    }
  }

  func flush() throws {}
}

extension NoteSpecification {
  /// Explores the crashes of a store in this process.
  static func report(
    on reopenable: Reopenable<any NoteStore>, surviving durability: CrashDurability = .powerLoss,
    modes: [CrashMode] = .posix, duringRecovery: Bool = false, settings: ExplorationSettings
  ) async throws -> CrashReport<NoteSpecification> {
    let trial = CrashTrial(
      specification: NoteSpecification(), reopenable: reopenable, durability: durability,
      modes: modes, duringRecovery: duringRecovery)
    return try await onWatchdogThread {
      Result {
        try CrashExplorer(
          specification: NoteSpecification(), durability: durability, implementation: "store",
          settings: settings, runner: LocalCrashRunner(trial: trial)
        ).explore()
      }
    } onCancel: {
    }.get()
  }
}
