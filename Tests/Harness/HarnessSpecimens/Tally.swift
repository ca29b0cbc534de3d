import ContractExploration
import ContractTesting
import Testing

/// A port with one number.
protocol Tally: Sendable {
  func add(_ number: Int) async -> Int
  func total() async -> Int
}

struct TallySpecification: Specification {
  enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
    case add(Int)
    case total

    var description: String {
      switch self {
      case .add(let number): "add(\(number))"
      case .total: "total"
      }
    }
  }

  /// The largest total that the model and the generator can handle; they trap at others.
  var modelLimit = Int.max
  var generatorLimit = Int.max

  var initialState: Int { 0 }
  var kinds: [String] { ["add", "total"] }

  func command(from choices: inout Choices, in state: Int) -> Command {
    precondition(state <= generatorLimit, "too much to draw more")
    return choices.rule(of: 2) == 0 ? .total : .add(choices.integer(in: 1...9))
  }

  func apply(_ command: Command, to state: inout Int) -> Int {
    if case .add(let number) = command { state += number }
    precondition(state <= modelLimit, "too much to add up")
    return state
  }

  func perform(_ command: Command, on subject: any Tally) async throws -> Int {
    switch command {
    case .add(let number): await subject.add(number)
    case .total: await subject.total()
    }
  }

  func isReadOnly(_ command: Command) -> Bool { command == .total }
}

extension Specification where Self == TallySpecification {
  static var tally: TallySpecification { TallySpecification() }
}

extension Implementation<any Tally> {
  static let sound: Self = fake("sound") { ActorTally() }
  static let capped: Self = fake("capped") { ActorTally { min(100, $0 + $1) } }
  static let reentrant: Self = fake("reentrant") { ReentrantTally() }
}

actor ActorTally: Tally {
  private var sum = 0
  private let plus: @Sendable (Int, Int) -> Int

  /// Creates a tally.
  ///
  /// - Parameter plus: Adds a number to the sum; another function makes the tally incorrect.
  init(_ plus: @escaping @Sendable (Int, Int) -> Int = { $0 + $1 }) { self.plus = plus }

  func add(_ number: Int) -> Int {
    sum = plus(sum, number)
    return sum
  }

  func total() -> Int { sum }
}

/// Incorrect: other tasks can run between its read and its write.
actor ReentrantTally: Tally {
  private var sum = 0

  func add(_ number: Int) async -> Int {
    let old = sum
    await Task.yield()
    sum = old + number
    return sum
  }

  func total() -> Int { sum }
}
