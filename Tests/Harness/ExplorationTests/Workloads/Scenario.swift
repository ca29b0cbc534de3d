import ExplorationEngine

/// A small port with a seeded bug, given by a correct function and an incorrect one.
struct Scenario: SynchronousSpecification {
  struct Command: Sendable, Hashable, CustomStringConvertible {
    var name: String
    var arguments: [Int]

    var description: String {
      "\(name)(\(arguments.map(String.init).joined(separator: ", ")))"
    }
  }

  /// The state of the model and of the subject. The bugs may use fields that the model does not.
  struct World: Sendable, Hashable {
    var map: [Int: Int] = [:]
    var list: [Int] = []
    var total = 0
    var hidden: [Int: Int] = [:]
  }

  struct Argument: Sendable {
    var domain: Choices.Domain
    var range: ClosedRange<Int>

    static let key = Argument(domain: "key", range: 0...15)
    static let value = Argument(domain: "value", range: 0...99)
  }

  typealias Step = @Sendable (Command, inout World) -> [Int]

  final class Subject {
    var world = World()
  }

  let name: String
  /// The fewest commands that show the bug.
  let minimum: Int
  let rules: [(name: String, arguments: [Argument])]
  /// Whether arguments are drawn with their domains; generators need not give any.
  var isTagged = true
  /// Whether the model's state hides what the bug depends on.
  var isBlind = false
  var model: Step
  let subject: Step

  var initialState: World { World() }
  var kinds: [String] { rules.map(\.name) }

  func command(from choices: inout Choices, in state: World) -> Command {
    let rule = rules[choices.rule(of: rules.count)]
    return Command(
      name: rule.name,
      arguments: rule.arguments.map {
        choices.integer(in: $0.range, domain: isTagged ? $0.domain : nil)
      })
  }

  func apply(_ command: Command, to state: inout World) -> [Int] { model(command, &state) }

  func perform(_ command: Command, on subject: Subject) throws -> [Int] {
    self.subject(command, &subject.world)
  }

  /// The same port with a model that has no state, for models that respond the same to any command.
  var blind: Scenario {
    var copy = self
    copy.isBlind = true
    copy.model = { _, _ in [] }
    return copy
  }

  /// The same port with a generator that gives no domains.
  var untagged: Scenario {
    var copy = self
    copy.isTagged = false
    return copy
  }
}
