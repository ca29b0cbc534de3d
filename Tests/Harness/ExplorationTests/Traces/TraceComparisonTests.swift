import ExplorationEngine
import Testing
import TraceExploration

@Suite struct TraceComparisonTests {
  private typealias Spec = ShelvesSpecification

  /// What correct shelves answer to commands.
  private func trace(_ commands: [Spec.Command]) -> Trace<Spec> {
    let answers = TraceComparison(Spec()).answersOfModel(to: commands)
    return Trace(zip(commands, answers.responses).map { .init($0, $1) }, covering: [], at: 10)
  }

  /// The shortest steps that show how incorrect shelves differ from correct ones.
  private func difference(
    in commands: [Spec.Command], _ bug: Spec.Bug
  ) async -> TraceDifference<Spec>? {
    let comparison = TraceComparison(Spec())
    let wrong = TraceComparison(Spec(bug: bug))
    let found = comparison.compare(trace(commands), with: wrong.answersOfModel(to: commands))
    guard let difference = found.difference else { return nil }
    return await comparison.shrunk(difference) { $0.map { wrong.answersOfModel(to: $0) } }
  }

  @Test func `equal answers have no difference`() {
    let commands: [Spec.Command] = [.put(1), .count(1), .put(2), .count(2)]
    let comparison = TraceComparison(Spec())
    let result = comparison.compare(
      trace(commands), with: comparison.answersOfModel(to: commands))
    #expect(result.difference == nil)
    #expect(result.uncompared == 0)
  }

  @Test func `reads and other partitions are left out, and nothing else`() async throws {
    let found = try #require(
      await difference(
        in: [.put(2), .count(1), .put(1), .count(1), .put(2), .put(1), .count(1)], .forgetsSecond))
    #expect(found.index == 6)
    #expect(found.line == 16)
    #expect(found.path == [2, 5, 6])
    #expect(found.response == 1)
    #expect(found.step.response == 2)
  }

  @Test func `a read that the fake needs to show its bug stays`() async throws {
    let found = try #require(
      await difference(in: [.put(1), .count(2), .count(1), .put(1), .count(1)], .readsOnce))
    #expect(found.path == [0, 2, 3, 4])
  }

  @Test func `without partitions every command that may change the state stays`() async throws {
    let found = try #require(
      await difference(
        in: [.put(2), .clear, .put(1), .count(2), .put(2), .put(1), .count(1)], .forgetsSecond))
    #expect(found.path == [0, 1, 2, 4, 5, 6])
  }

  @Test func `a missing answer is a difference with its reason`() {
    let comparison = TraceComparison(Spec())
    let commands: [Spec.Command] = [.put(1), .count(1)]
    let result = comparison.compare(
      trace(commands), with: TraceAnswers([0], failure: "it threw"))
    #expect(result.difference?.index == 1)
    #expect(result.difference?.response == nil)
    #expect(result.difference?.failure == "it threw")
    let torn = comparison.compare(
      trace(commands), with: TraceAnswers([0, 1], failure: "tearing down the subject threw"))
    #expect(torn.difference?.failure == "tearing down the subject threw")
  }

  @Test func `after a declared difference only a read-only command lets the rest be compared`() {
    let commands: [Spec.Command] = [.put(1), .count(1), .put(1), .count(1)]
    let comparison = TraceComparison(Spec()) { step, _ in
      step.command == .count(1) ? 3 : step.command == .put(1) ? 4 : nil
    }
    let read = comparison.compare(trace(commands), with: TraceAnswers([0, 7, 0, 8]))
    #expect(read.difference == nil)
    #expect(read.declarations == [3])
    #expect(read.uncompared == 0)
    let written = comparison.compare(trace(commands), with: TraceAnswers([5, 7, 0, 8]))
    #expect(written.difference == nil)
    #expect(written.declarations == [4])
    #expect(written.uncompared == 3)
    #expect(
      TraceComparison(Spec()).compare(trace(commands), with: TraceAnswers([0, 7, 0, 8])).difference?
        .index == 1)
  }

  @Test func `a subject that answers, throws, hangs or can't be made is told apart`() async throws {
    let settings = ExplorationSettings(runLimit: .milliseconds(300))
    let runner = TraceRunner(Spec(), settings: settings) { Shelves() }
    let answers = await runner.run([
      [.put(1), .count(1)], [.put(1), .put(-1), .put(1)], [.put(1), .put(-2), .put(1)],
    ])
    #expect(answers.map(\.responses) == [[0, 1], [0], [0]])
    #expect(answers[0].failure == nil)
    #expect(answers[1].failure == "it threw Refusal: Refusal()")
    #expect(answers[2].failure?.contains("timed out after 0.3 seconds") == true)
    let none = await TraceRunner(Spec(), settings: settings) { throw Refusal() }.run([[.put(1)]])
    #expect(none.map(\.responses) == [[]])
    #expect(none.first?.failure == "creating the subject threw Refusal: Refusal()")
  }
}

/// Shelves that hold a number of things each.
private struct ShelvesSpecification: Specification {
  enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
    case put(Int)
    case count(Int)
    case clear

    var description: String {
      switch self {
      case .put(let shelf): "put(\(shelf))"
      case .count(let shelf): "count(\(shelf))"
      case .clear: "clear"
      }
    }
  }

  enum Bug { case forgetsSecond, readsOnce }

  struct State: Hashable, Sendable {
    var counts: [Int: Int] = [:]
    var isRead = false
  }

  var bug: Bug?

  var initialState: State { State() }

  func command(from choices: inout Choices, in state: State) -> Command { .clear }

  func apply(_ command: Command, to state: inout State) -> Int {
    switch command {
    case .put(let shelf):
      let isLost =
        switch bug {
        case .forgetsSecond: state.counts[shelf] == 1
        case .readsOnce: state.isRead
        case nil: false
        }
      state.counts[shelf, default: 0] += isLost ? 0 : 1
      return 0
    case .count(let shelf):
      if shelf == 1, bug == .readsOnce { state.isRead = true }
      return state.counts[shelf, default: 0]
    case .clear:
      state.counts = [:]
      return 0
    }
  }

  func perform(_ command: Command, on subject: Shelves) async throws -> Int {
    try await subject.perform(command)
  }

  func isReadOnly(_ command: Command) -> Bool {
    if case .count = command { return true }
    return false
  }

  func partition(of command: Command) -> AnyHashable? {
    switch command {
    case .put(let shelf), .count(let shelf): shelf
    case .clear: nil
    }
  }
}

private struct Refusal: Error {}

/// Throws for shelf -1 and never answers for shelf -2.
private actor Shelves {
  private var state = ShelvesSpecification.State()

  func perform(_ command: ShelvesSpecification.Command) async throws -> Int {
    if command == .put(-1) { throw Refusal() }
    if command == .put(-2) { try await Task.sleep(for: .seconds(1_000)) }
    return ShelvesSpecification().apply(command, to: &state)
  }
}
