import ExplorationEngine
import LockStepExploration
import Testing

@Suite struct HealthCheckTests {
  /// A specification with one fault, or none.
  private struct FaultySpecification: SynchronousSpecification {
    enum Fault {
      case none
      case model
      case generator
      case readOnly
      case nothingNew
      case unreachable
    }

    let fault: Fault
    let counter = Counter()

    var initialState: Int { 0 }
    var kinds: [String] { fault == .unreachable ? ["add", "clear"] : ["add"] }

    func command(from choices: inout Choices, in state: Int) -> String {
      counter.add()
      let number = choices.integer(in: 0...9)
      switch fault {
      case .generator: return "add(\(counter.value))"
      case .nothingNew: return "add(1)"
      default: return "add(\(number))"
      }
    }

    func apply(_ command: String, to state: inout Int) -> Int {
      counter.add()
      state += 1
      return fault == .model ? counter.value : state
    }

    func perform(_ command: String, on subject: Int) throws -> Int { subject }

    func isReadOnly(_ command: String) -> Bool { fault == .readOnly }
  }

  private func health(_ fault: FaultySpecification.Fault) async -> [HealthIssue] {
    let settings = ExplorationSettings(runs: 50, seed: 5, steps: 1)
    return await LockStep(FaultySpecification(fault: fault), settings: settings) { 1 }
      .explore().health
  }

  @Test func `a correct specification has no health issue`() async {
    #expect(await health(.none).isEmpty)
  }

  @Test func `a nondeterministic model is reported`() async throws {
    guard case .modelDisagrees(_, seed: 5) = try #require(await health(.model).first) else {
      Issue.record("another health issue")
      return
    }
  }

  @Test func `a nondeterministic generator is reported`() async {
    #expect(await health(.generator).first == .generatorDisagrees(seed: 5))
  }

  @Test func `a command that is wrongly declared read-only is reported`() async throws {
    guard case .readOnlyChanges = try #require(await health(.readOnly).first) else {
      Issue.record("another health issue")
      return
    }
  }

  @Test func `a generator that ignores its choices is reported`() async {
    #expect(await health(.nothingNew) == [.nothingNew(runs: 50)])
  }

  @Test func `kinds that no run contains are reported`() async {
    #expect(await health(.unreachable) == [.neverReached(kinds: ["clear"], runs: 50)])
  }
}
