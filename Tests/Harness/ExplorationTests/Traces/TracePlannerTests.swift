import Testing

@testable import ExplorationEngine
@testable import LockStepExploration
@testable import TraceExploration

@Suite struct TracePlannerTests {
  private typealias Planner = TracePlanner<DictionarySpecification>

  private let settings = ExplorationSettings(runs: 200, seed: 5, steps: 12)

  private var planner: Planner { Planner(DictionarySpecification(), settings: settings) }

  /// The transitions that commands cover: what a person would count for a dictionary.
  private func transitions(of lists: [[DictionarySpecification.Command]]) -> Set<String> {
    let specification = DictionarySpecification()
    var found: Set<String> = []
    for commands in lists {
      var state = specification.initialState
      for command in commands {
        let size = min(state.count, 2)
        let response = specification.apply(command, to: &state)
        let isFound =
          switch response {
          case .done: true
          case .value(let value): value != nil
          case .deleted(let isDeleted): isDeleted
          }
        found.insert("\(specification.kind(of: command)) \(size) \(isFound)")
      }
    }
    return found
  }

  @Test func `few commands cover every transition that many runs reach`() {
    let plans = planner.plan()
    let all = transitions(
      of: (0..<200).map {
        DrawnCommands(DictionarySpecification(), run: $0, of: settings).commands
      })
    #expect(all.count == 13)
    #expect(transitions(of: plans.map(\.commands)) == all)
    #expect(plans.joinedCount < 120, "\(plans.joinedCount) of 2,400 commands")
  }

  @Test func `no list can be left out, and none is longer than needed`() {
    let coverage = TraceCoverage(of: DictionarySpecification())
    let lists = planner.plan().map(\.commands)
    let features = lists.map { Set(coverage.features(of: $0).joined()) }
    for index in lists.indices {
      let others = features.indices.filter { $0 != index }.map { features[$0] }
      #expect(!features[index].isSubset(of: others.joined()), "list \(index) repeats others")
      // Its last command, or the one before a last one that reads, covers something new.
      let isNew = [lists[index], lists[index].dropLast()].map { commands in
        let steps = coverage.features(of: commands)
        return !Set(steps.dropLast().joined()).isSuperset(of: steps.last ?? [])
      }
      #expect(isNew.contains(true), "list \(index) ends too late")
    }
  }

  @Test func `each list ends with a command that reads what the others did`() {
    let specification = DictionarySpecification()
    let lists = planner.plan().map(\.commands)
    #expect(lists.allSatisfy { $0.last.map(specification.isReadOnly) == true })
  }

  @Test func `equal seeds give equal lists`() {
    #expect(planner.plan().map(\.commands) == planner.plan().map(\.commands))
    let other = Planner(DictionarySpecification(), settings: .init(runs: 200, seed: 6, steps: 12))
    #expect(planner.plan().map(\.commands) != other.plan().map(\.commands))
  }

  @Test func `lists chosen before stay as they are, without repeats`() {
    let first = planner.plan().map(\.commands)
    let other = ExplorationSettings(runs: 200, seed: 77, steps: 12)
    let again = Planner(DictionarySpecification(), settings: other).plan(keeping: first + first)
    #expect(again.map(\.commands) == first)
  }

  @Test func `a list says what it covers that those before do not`() {
    let plans = Planner(DictionarySpecification(), settings: .init(runs: 0))
      .plan(keeping: [[.get(1)], [.put(1, 1), .get(1)]])
    #expect(plans.first?.covers == ["get → value(nil)"])
    #expect(plans.dropFirst().first?.covers == ["put → done", "get → value(1)", "get after put"])
  }
}

extension [TracePlanner<DictionarySpecification>.Plan] {
  fileprivate var joinedCount: Int { reduce(0) { $0 + $1.commands.count } }
}
