import ContractExploration

/// The values from which an argument is drawn.
///
/// Two domains that are declared alike, such as `.paths` in two operations, are one: a value that one call
/// used is drawn again for others, so that they meet in the same file or key. The first values are the
/// simplest, and shrinking prefers them.
public struct Domain<Value: Sendable>: Sendable {
  /// The operations whose results are drawn.
  let references: [String]
  /// The meanings of the values, for the engine.
  let meanings: [String]
  /// Draws a value; `nil` if there is none yet.
  let draw: @Sendable (inout Choices, DrawContext) -> Drawn<Value>?

  init(
    references: [String] = [], meanings: [String] = [],
    draw: @escaping @Sendable (inout Choices, DrawContext) -> Drawn<Value>?
  ) {
    self.references = references
    self.meanings = meanings
    self.draw = draw
  }

  /// Values of a list.
  ///
  /// - Parameters:
  ///   - values: The values, the simplest first.
  ///   - name: What the values mean. Domains of one name share what is drawn.
  public static func of(_ values: [Value], named name: String) -> Self {
    of(values, families: [], named: name)
  }

  /// Values of a list, with the indices of those that are drawn together in most runs.
  static func of(_ values: [Value], families: [[Int]], named name: String) -> Self {
    Self(meanings: [name]) { choices, context in
      choices.favourite(of: values, families: families, domain: context.domain(name))
        .map { .value($0) }
    }
  }

  /// Some values, the simplest first.
  public static func of(_ values: Value...) -> Self {
    of(values, named: values.map { ValueSource.text(of: $0) }.joined(separator: ","))
  }
}

/// A drawn argument.
enum Drawn<Value: Sendable>: Sendable {
  case value(Value)
  /// What an earlier call returned; each side has its own.
  case result(ResultName, extract: @Sendable (Any) -> Value?)

  struct Unresolved: Error {}

  func resolved(in results: [[Any?]]) throws(Unresolved) -> Value {
    switch self {
    case .value(let value): return value
    case .result(let name, let extract):
      guard results.indices.contains(name.operation),
        results[name.operation].indices.contains(name.call),
        let result = results[name.operation][name.call], let value = extract(result)
      else { throw Unresolved() }
      return value
    }
  }

  func text(_ nameOfResult: (ResultName) -> String) -> String {
    switch self {
    case .value(let value): ValueSource.text(of: value)
    case .result(let name, _): nameOfResult(name) + name.path
    }
  }
}

/// The name of a result that an argument uses.
struct ResultName: Hashable, Sendable {
  /// The operation's name.
  var name: String
  /// The number of the operation among those whose results are used.
  var operation: Int
  /// The number of its call.
  var call: Int
  /// The path from the result to the value, such as `.ticket`.
  var path = ""
}

/// What a draw depends on besides its choices.
struct DrawContext: Sendable {
  /// The names of operations whose results are used.
  let recorded: [String]
  /// The meanings of the values of all operations.
  let meanings: [String]
  /// The number of calls so far of each recorded operation.
  var calls: [Int] = []

  /// The engine's name of a meaning.
  func domain(_ meaning: String) -> Choices.Domain {
    let index = meanings.firstIndex(of: meaning) ?? 0
    return Self.names[min(index, Self.names.count - 1)]
  }

  /// The engine names domains by constants.
  private static let names: [Choices.Domain] = [
    "domain 0", "domain 1", "domain 2", "domain 3", "domain 4", "domain 5", "domain 6", "domain 7",
    "domain 8", "domain 9", "domain 10", "domain 11", "domain 12", "domain 13", "domain 14",
    "domain 15", "domain 16", "domain 17", "domain 18", "domain 19", "domain 20", "domain 21",
    "domain 22", "domain 23",
  ]
}
