import ExplorationEngine
import Testing

@Suite struct HealthCheckTests {
  /// A specification that is sick in one way.
  private struct Sick: SynchronousSpecification {
    enum Illness {
      case none
      case model
      case generator
      case readOnly
      case nothingNew
      case unreachable
    }

    let illness: Illness
    let counter = Counter()

    var initialState: Int { 0 }
    var kinds: [String] { illness == .unreachable ? ["add", "clear"] : ["add"] }

    func command(from choices: inout Choices, in state: Int) -> String {
      counter.add()
      let number = choices.integer(in: 0...9)
      switch illness {
      case .generator: return "add(\(counter.value))"
      case .nothingNew: return "add(1)"
      default: return "add(\(number))"
      }
    }

    func apply(_ command: String, to state: inout Int) -> Int {
      counter.add()
      state += 1
      return illness == .model ? counter.value : state
    }

    func perform(_ command: String, on subject: Int) throws -> Int { subject }

    func isReadOnly(_ command: String) -> Bool { illness == .readOnly }
  }

  private func health(_ illness: Sick.Illness) async -> [HealthIssue] {
    let settings = ExplorationSettings(runs: 50, seed: 5, steps: 1)
    return await LockStep(Sick(illness: illness), settings: settings) { 1 }.explore().health
  }

  @Test func `a sound specification has no complaints`() async {
    #expect(await health(.none).isEmpty)
  }

  @Test func `a model that disagrees with itself is named`() async throws {
    guard case .modelDisagrees(_, seed: 5) = try #require(await health(.model).first) else {
      Issue.record("another complaint")
      return
    }
  }

  @Test func `a generator that draws from elsewhere is named`() async {
    #expect(await health(.generator).first == .generatorDisagrees(seed: 5))
  }

  @Test func `a command that is wrongly called read-only is named`() async throws {
    guard case .readOnlyChanges = try #require(await health(.readOnly).first) else {
      Issue.record("another complaint")
      return
    }
  }

  @Test func `a generator without anything new is named`() async {
    #expect(await health(.nothingNew) == [.nothingNew(runs: 50)])
  }

  @Test func `kinds that are never reached are named`() async {
    #expect(await health(.unreachable) == [.neverReached(kinds: ["clear"], runs: 50)])
  }
}
