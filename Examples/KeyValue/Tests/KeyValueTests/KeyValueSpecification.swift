import ContractExploration
import KeyValue

/// The model of a key-value store with random commands.
struct KeyValueSpecification: Specification {
  enum Command: Hashable, Sendable, CustomStringConvertible {
    case get(String)
    case put(String, Int)
    case compareAndSet(String, from: Int?, to: Int)
    case delete(String)

    var description: String {
      switch self {
      case .get(let key): "get(\"\(key)\")"
      case .put(let key, let value): "put(\"\(key)\", \(value))"
      case .compareAndSet(let key, let old, let new):
        "compareAndSet(\"\(key)\", from: \(old.map(String.init) ?? "nil"), to: \(new))"
      case .delete(let key): "delete(\"\(key)\")"
      }
    }

    var key: String {
      switch self {
      case .get(let key), .put(let key, _), .compareAndSet(let key, _, _), .delete(let key): key
      }
    }
  }

  enum Response: Hashable, Sendable {
    case value(String?)
    case done(Bool)
  }

  var initialState: KeyValueModel { KeyValueModel() }

  func command(from choices: inout Choices, in state: KeyValueModel) -> Command {
    let key = choices.element(of: ["a", "b"], domain: "key") ?? "a"
    let value = choices.integer(in: 0...99, domain: "value")
    return switch choices.rule(weights: [4, 3, 3, 1]) {
    case 0: .get(key)
    case 1: .put(key, value)
    case 2: .compareAndSet(key, from: state.values[key].flatMap(Int.init), to: value)
    default: .delete(key)
    }
  }

  func apply(_ command: Command, to state: inout KeyValueModel) -> Response {
    switch command {
    case .get(let key): return .value(state.values[key])
    case .put(let key, let value):
      state.put(key, "\(value)")
      return .done(true)
    case .compareAndSet(let key, let old, let new):
      return .done(state.compareAndSet(key, from: old.map(String.init), to: "\(new)"))
    case .delete(let key): return .done(state.delete(key))
    }
  }

  func perform(_ command: Command, on subject: KeyValueFixture) async throws -> Response {
    let store = subject.store
    do throws(KeyValueError) {
      switch command {
      case .get(let key): return .value(try await store.get(key))
      case .put(let key, let value):
        try await store.put(key, "\(value)")
        return .done(true)
      case .compareAndSet(let key, let old, let new):
        return .done(
          try await store.compareAndSet(key, from: old.map(String.init), to: "\(new)"))
      case .delete(let key): return .done(try await store.delete(key))
      }
    } catch {
      if case .unavailable(let reason) = error { throw CallDidNotHappen(reason) }
      throw error
    }
  }

  func isReadOnly(_ command: Command) -> Bool { command == .get(command.key) }
  func partition(of command: Command) -> AnyHashable? { command.key }
}
