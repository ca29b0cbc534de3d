import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Commands of a specification under many schedules, checked for linearizability.
@Suite struct SpecificationInterleavingTests {
  struct Counting: Specification {
    enum Command: Hashable, Sendable, CustomStringConvertible {
      case increment
      case read
      var description: String { self == .read ? "read" : "increment" }
    }

    let initialState = 0

    func command(from choices: inout Choices, in state: Int) -> Command {
      choices.integer(in: 0...2) == 0 ? .read : .increment
    }

    func apply(_ command: Command, to state: inout Int) -> Int {
      if command == .increment { state += 1 }
      return state
    }

    func perform(_ command: Command, on subject: Counter) async throws -> Int {
      command == .read ? await subject.value : await subject.increment()
    }

    func isReadOnly(_ command: Command) -> Bool { command == .read }
  }

  actor Counter {
    private let isCorrect: Bool
    private(set) var value = 0
    init(isCorrect: Bool) { self.isCorrect = isCorrect }

    func increment() async -> Int {
      if isCorrect {
        value += 1
        return value
      }
      let old = value
      await Task.yield()
      value = old + 1
      return value
    }
  }

  @Test func `a smaller program is covered although larger ones have taken all of the time`() async
  {
    var settings = ExplorationSettings.interleavings(seed: 1)
    settings.runs = 1_000_000
    settings.time = .seconds(1)
    let found = await exploreInterleavings(
      Counting(), makeSubject: { Counter(isCorrect: true) }, tasks: 4, commands: 8, programs: 1,
      settings: settings)
    #expect(found.programs > 1)
    #expect(found.exhaustedPrograms == 1, "\(found)")
  }

  @Test func `a lost update is found and shrunk to two increments`() async {
    let found = await exploreInterleavings(
      Counting(), makeSubject: { Counter(isCorrect: false) }, tasks: 3, commands: 2,
      settings: .interleavings(seed: 1))
    #expect(found.report.failure?.kind == .error(type: "NotLinearizableError"))
    #expect(found.program == [[.increment], [.increment]])
    #expect(found.report.failure?.preemptions == 1)
    let again = await exploreInterleavings(
      Counting(), program: found.program, settings: Self.replaying(found.report),
      makeSubject: { Counter(isCorrect: false) })
    #expect(again.report.failure?.schedule == found.report.failure?.schedule)
  }

  private static func replaying(_ report: InterleavingReport) -> ExplorationSettings {
    var settings = ExplorationSettings.interleavings()
    settings.replay = report.failure?.schedule
    settings.runs = 0
    return settings
  }

  @Test(.onObservedRuntime)
  func `the search is exhaustive for every program of a correct subject`() async {
    var settings = ExplorationSettings.interleavings(seed: 1)
    settings.runs = 100_000
    settings.time = .seconds(300)
    let found = await exploreInterleavings(
      Counting(), makeSubject: { Counter(isCorrect: true) }, tasks: 2, commands: 2, programs: 5,
      settings: settings)
    #expect(found.report.failure == nil)
    #expect(found.exhaustedPrograms == 5)
    #expect(found.report.isExhaustive)
    #expect(
      found.summary.hasPrefix(
        "5 of 5 programs covered in every order at suspension points, in virtual time; "))
  }

  @Test func `a generator that always draws the same commands is reported`() async {
    let found = await exploreInterleavings(Reading(), makeSubject: { Stale() }, programs: 1)
    #expect(found.health == [.nothingNew(runs: 200)])
    #expect(found.description.contains("200 runs had the same commands"))
  }

  /// A subject whose read is stale. The history shows it only if one call returns before the other
  /// begins.
  actor Stale {
    private var value = 0
    private var cached = 0
    func increment() async -> Int {
      value += 1
      let answer = value
      await Task.yield()
      await Task.yield()
      return answer
    }
    var stale: Int {
      defer { cached = value }
      return cached
    }
  }

  struct Reading: Specification {
    typealias Command = Counting.Command
    let initialState = 0
    func command(from choices: inout Choices, in state: Int) -> Command { .read }
    func apply(_ command: Command, to state: inout Int) -> Int {
      if command == .increment { state += 1 }
      return state
    }
    func perform(_ command: Command, on subject: Stale) async throws -> Int {
      command == .read ? await subject.stale : await subject.increment()
    }
  }

  @Test func `the order of calls and returns is explored`() async {
    let found = await exploreInterleavings(
      Reading(), program: [[.increment], [.read]],
      settings: .interleavings(), makeSubject: { Stale() })
    #expect(found.report.failure?.kind == .error(type: "NotLinearizableError"))
  }
}
