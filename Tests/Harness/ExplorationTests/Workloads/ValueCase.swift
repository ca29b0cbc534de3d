import ExplorationEngine

/// A bug that one command shows, if its argument is a value of a certain structure.
///
/// The cases are those on which the shrinkers of property-based tests are compared (Shrinking
/// Challenge): lists whose elements matter together, values whose ranges depend on one another, and
/// kinds of value of which one has fewer parts. Hypothesis's form of each is in
/// `Benchmarks/Sources/ExplorationBenchmark/Peers/hypothesis_value_cases.py`.
struct ValueCase: SynchronousSpecification {
  /// A command, which is its argument.
  struct Value: Sendable, Hashable, CustomStringConvertible {
    var lists: [[Int]] = []
    var text = ""

    var description: String { text.isEmpty ? "\(lists)" : text }
  }

  final class Subject {}

  let name: String
  private let draw: @Sendable (inout Choices) -> Value
  private let isHit: @Sendable (Value) -> Bool
  private let minimum: @Sendable (Value) -> Bool

  /// Creates a case.
  ///
  /// - Parameters:
  ///   - name: The name, as in the script for Hypothesis.
  ///   - draw: Draws an argument.
  ///   - isHit: Whether an argument shows the bug.
  ///   - minimum: Whether an argument that shows the bug is a smallest one.
  private init(
    _ name: String, _ draw: @escaping @Sendable (inout Choices) -> Value,
    isHit: @escaping @Sendable (Value) -> Bool, minimum: @escaping @Sendable (Value) -> Bool
  ) {
    self.name = name
    self.draw = draw
    self.isHit = isHit
    self.minimum = minimum
  }

  /// Whether a failing argument is a smallest one.
  func isMinimal(_ value: Value) -> Bool { isHit(value) && minimum(value) }

  var initialState: Int { 0 }
  var kinds: [String] { ["check"] }
  func kind(of command: Value) -> String { "check" }
  func command(from choices: inout Choices, in state: Int) -> Value { draw(&choices) }
  func apply(_ command: Value, to state: inout Int) -> Bool { false }
  func perform(_ command: Value, on subject: Subject) throws -> Bool { isHit(command) }
}

extension ValueCase {
  static let all = lists + listsOfLists + pairs + structures

  // MARK: - Lists

  private static let lists = [
    ValueCase("length list") { choices in
      Value(lists: [list(1...100, of: 0...1_000, &choices)])
    } isHit: {
      $0.lists[0].contains { $0 >= 900 }
    } minimum: {
      $0.lists == [[900]]
    },
    ValueCase("reverse") { choices in
      Value(lists: [list(0...30, of: -1_000...1_000, &choices)])
    } isHit: {
      $0.lists[0] != $0.lists[0].reversed()
    } minimum: {
      $0.lists == [[0, 1]]
    },
    ValueCase("distinct") { choices in
      Value(lists: [list(0...30, of: -1_000...1_000, &choices)])
    } isHit: {
      Set($0.lists[0]).count >= 3
    } minimum: {
      $0.lists[0].count == 3 && Set($0.lists[0]) == [0, 1, -1]
    },
    ValueCase("large sum") { choices in
      // Each element follows a choice that there is one.
      var elements: [Int] = []
      while elements.count < 60, choices.bool(probability: 0.9) {
        elements.append(choices.integer(in: 0...200))
      }
      return Value(lists: [elements])
    } isHit: {
      $0.lists[0].reduce(0, +) >= 1_000
    } minimum: {
      $0.lists[0] == [200, 200, 200, 200, 200]
    },
    ValueCase("duplicates") { choices in
      Value(lists: [list(0...40, of: 0...10_000, &choices)])
    } isHit: { value in
      let counts = Dictionary(grouping: value.lists[0].filter { $0 > 20 }) { $0 }
      return counts.values.contains { $0.count >= 2 }
    } minimum: {
      $0.lists[0] == [21, 21]
    },
    ValueCase("order") { choices in
      Value(lists: [list(0...20, of: 0...100, &choices)])
    } isHit: { value in
      // Two neighbours that are out of order by more than ten.
      zip(value.lists[0], value.lists[0].dropFirst()).contains { $0 > $1 + 10 }
    } minimum: {
      $0.lists[0] == [11, 0]
    },
    ValueCase("coupling") { choices in
      Value(lists: [list(0...10, of: 0...10, &choices)])
    } isHit: { value in
      let places = value.lists[0]
      guard places.allSatisfy({ $0 < places.count }) else { return false }
      return places.indices.contains { places[$0] != $0 && places[places[$0]] == $0 }
    } minimum: {
      $0.lists[0] == [1, 0]
    },
    ValueCase("deletion") { choices in
      let elements = list(1...30, of: -100...100, &choices)
      let place = choices.integer(in: 0...elements.count - 1)
      return Value(lists: [elements, [elements[place]]])
    } isHit: { value in
      value.lists[0].count { $0 == value.lists[1][0] } > 1
    } minimum: {
      $0.lists == [[0, 0], [0]]
    },
  ]

  // MARK: - Lists of lists

  private static let listsOfLists = [
    ValueCase("large union") { choices in
      let count = choices.integer(in: 0...20)
      return Value(lists: (0..<count).map { _ in list(0...20, of: -1_000...1_000, &choices) })
    } isHit: {
      Set($0.lists.joined()).count >= 5
    } minimum: {
      $0.lists.joined().count == 5 && Set($0.lists.joined()) == [0, 1, -1, 2, -2]
    },
    ValueCase("nested lists") { choices in
      let count = choices.integer(in: 0...20)
      return Value(lists: (0..<count).map { _ in list(0...20, of: 0...9, &choices) })
    } isHit: {
      $0.lists.joined().count > 10
    } minimum: {
      $0.lists == [[Int](repeating: 0, count: 11)]
    },
    ValueCase("bound 5") { choices in
      Value(lists: (0..<5).map { _ in list(0...10, of: -32_768...32_767, &choices) })
    } isHit: { value in
      func sum(_ list: some Sequence<Int>) -> Int16 {
        list.reduce(0) { $0 &+ Int16(truncatingIfNeeded: $1) }
      }
      return value.lists.allSatisfy { sum($0) < 256 } && sum(value.lists.joined()) >= 5 * 256
    } minimum: {
      $0.lists.joined().sorted() == [-32_768, -1]
    },
  ]

  // MARK: - Two numbers

  private static let pairs = [
    ValueCase("difference of 0") {
      pair(0...1_000, &$0)
    } isHit: {
      $0.lists[0][0] >= 10 && $0.lists[0][0] == $0.lists[0][1]
    } minimum: {
      $0.lists == [[10, 10]]
    },
    ValueCase("small difference") {
      pair(0...1_000, &$0)
    } isHit: {
      $0.lists[0][0] >= 10 && (1...4).contains(abs($0.lists[0][0] - $0.lists[0][1]))
    } minimum: {
      $0.lists == [[10, 6]]
    },
    ValueCase("difference of 1") {
      pair(0...1_000, &$0)
    } isHit: {
      $0.lists[0][0] >= 10 && abs($0.lists[0][0] - $0.lists[0][1]) == 1
    } minimum: {
      $0.lists == [[10, 9]]
    },
    ValueCase("zig-zag") { choices in
      // The limits differ, so that nothing tells that the numbers are related.
      Value(lists: [[choices.integer(in: 0...1_000), choices.integer(in: 0...1_001)]])
    } isHit: {
      abs($0.lists[0][0] - $0.lists[0][1]) == 1
    } minimum: {
      $0.lists == [[0, 1]]
    },
    ValueCase("range") { choices in
      let upper = choices.integer(in: 0...1_000)
      return Value(lists: [[choices.integer(in: 0...upper), upper]])
    } isHit: {
      $0.lists[0][0] >= 7 && $0.lists[0][1] - $0.lists[0][0] >= 5
    } minimum: {
      $0.lists == [[7, 12]]
    },
    ValueCase("key and value") { choices in
      let keys = list(1...20, of: 0...99, &choices)
      return Value(lists: [keys, keys.map { _ in choices.integer(in: 0...999) }])
    } isHit: { value in
      zip(value.lists[0], value.lists[1]).contains { $0 >= 5 && $1 == 10 * $0 }
    } minimum: {
      $0.lists == [[5], [50]]
    },
  ]

  // MARK: - Structures

  private static let structures = [
    ValueCase("two kinds") { choices in
      // The second kind has more parts before the one that matters.
      let kind = choices.rule(of: 2)
      let before = kind == 0 ? [] : [choices.integer(in: 0...99), choices.integer(in: 0...9)]
      return Value(lists: [before, [choices.integer(in: 0...1_000)]])
    } isHit: {
      $0.lists[1][0] >= 700 && ($0.lists[0].isEmpty || $0.lists[0][0] > 50)
    } minimum: {
      $0.lists == [[], [700]]
    },
    ValueCase("calculator") { choices in
      Value(text: Expression(from: &choices, depth: 4).text)
    } isHit: {
      $0.text.contains("÷0!")
    } minimum: {
      $0.text == "(0 ÷0! (0 + 0))"
    },
  ]

  private static func list(
    _ count: ClosedRange<Int>, of range: ClosedRange<Int>, _ choices: inout Choices
  ) -> [Int] {
    let count = choices.integer(in: count)
    return (0..<count).map { _ in choices.integer(in: range) }
  }

  private static func pair(_ range: ClosedRange<Int>, _ choices: inout Choices) -> Value {
    Value(lists: [[choices.integer(in: range), choices.integer(in: range)]])
  }
}

/// An arithmetic expression. Its text marks a division by an expression, not the number 0, that is
/// zero.
private indirect enum Expression {
  case number(Int)
  case sum(Expression, Expression)
  case quotient(Expression, Expression)

  init(from choices: inout Choices, depth: Int) {
    let kind = depth == 0 ? 0 : choices.integer(in: 0...2)
    if kind == 0 {
      self = .number(choices.integer(in: -10...10))
    } else {
      let left = Self(from: &choices, depth: depth - 1)
      let right = Self(from: &choices, depth: depth - 1)
      self = kind == 1 ? .sum(left, right) : .quotient(left, right)
    }
  }

  /// The value, or `nil` after a division by zero.
  private var value: Int? {
    switch self {
    case .number(let number): return number
    case .sum(let left, let right):
      guard let left = left.value, let right = right.value else { return nil }
      return left + right
    case .quotient(let left, let right):
      guard let left = left.value, let right = right.value, right != 0 else { return nil }
      return left / right
    }
  }

  var text: String {
    switch self {
    case .number(let number): return "\(number)"
    case .sum(let left, let right): return "(\(left.text) + \(right.text))"
    case .quotient(let left, let right):
      if case .number = right { return "(\(left.text) ÷ \(right.text))" }
      return "(\(left.text) ÷\(right.value == 0 ? "0!" : "") \(right.text))"
    }
  }
}
