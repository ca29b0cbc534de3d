/// The cases on the code without mutants: which pass, how long they take, and which mutants they
/// reach.
struct UnmutatedRun {
  /// One case.
  struct Case: Sendable {
    /// The case's id.
    var id: String
    /// Seconds, of the slower of two runs.
    var seconds: Double
    /// How many switches the case passes.
    var switches: Int
  }

  /// The cases that judge, by id.
  private(set) var cases: [String: Case] = [:]

  /// The cases that can't judge, with the reasons.
  private(set) var leftOut: [String: String] = [:]

  /// The ids of the cases that reach each mutant.
  private(set) var reach: [Int: Set<String>] = [:]

  /// The mutants that some case reached more often the first time: a value that is computed once
  /// depends on them, so that they must be active when their process starts.
  private(set) var reachedOnce: Set<Int> = []

  /// The ids of the cases whose implementation is a fake.
  private(set) var fakes: Set<String> = []

  /// The names of the types of the cases' fixtures.
  private(set) var fixtures: Set<String> = []

  /// Whether an implementation uses resources that only one process may use.
  private(set) var isExclusive = false

  /// What the cases of each implementation reach.
  ///
  /// - Parameter targets: The target of each mutant by its number.
  func columns(_ targets: [Int: String]) -> [ImplementationReach] {
    let none = Dictionary(uniqueKeysWithValues: Set(targets.values).map { ($0, 0) })
    var columns: [[Substring]: ImplementationReach] = [:]
    var columnOfCase: [String: [Substring]] = [:]
    for id in cases.keys {
      // A case's id is `contract/clause@implementation`.
      guard let contract = id.split(separator: "/").first, let name = id.split(separator: "@").last
      else { continue }
      columnOfCase[id] = [contract, name]
      columns[[contract, name]] = ImplementationReach(
        contract: String(contract), implementation: String(name), isFake: fakes.contains(id),
        mutants: none)
    }
    for (number, ids) in reach {
      guard let target = targets[number] else { continue }
      for column in Set(ids.compactMap { columnOfCase[$0] }) {
        columns[column]?.mutants[target, default: 0] += 1
      }
    }
    return columns.values.sorted {
      ($0.contract, $0.implementation) < ($1.contract, $1.implementation)
    }
  }

  /// How long a case may be silent before it counts as hanging, in seconds.
  func timeLimit(of id: String) -> Double { 6 + 30 * (cases[id]?.seconds ?? 0) }

  /// No cases.
  init() {}

  /// Runs all cases twice in one process, the second time in the reverse order. Cases that did not
  /// reach the same both times run a third time.
  ///
  /// - Throws: ``MutationError`` if a case fails, hangs or crashes, or passes only once.
  init(
    _ program: CaseServerProcess.Program, state: SwitchState, folder: String
  ) throws(MutationError) {
    let server = try CaseServerProcess(program, state: state, folder: folder, name: "unmutated")
    let served = try readCases(of: server)
    // What the tests' arguments reached is computed once, like static tables.
    reachedOnce = Set(state.takeReached().keys)
    var failures: [String: [String]] = [:]
    var first: [String: [Int: UInt8]] = [:]
    var second: [String: [Int: UInt8]] = [:]
    for pass in 0..<2 {
      for id in pass == 0 ? served : served.reversed() {
        state.setActive(nil, fuel: nil)
        let clock = ContinuousClock.now
        if let failure = try run(id, on: server) { failures[id, default: []].append(failure) }
        let seconds = clock.duration(to: .now) / .seconds(1)
        let reached = state.takeReached()
        if pass == 0 { first[id] = reached } else { second[id] = reached }
        for number in reached.keys { reach[number, default: []].insert(id) }
        let old = cases[id]
        cases[id] = Case(
          id: id, seconds: max(seconds, old?.seconds ?? 0),
          switches: max(state.passedSwitches, old?.switches ?? 0))
      }
    }
    guard failures.isEmpty else { throw Self.error(for: failures) }
    for id in served where first[id] != second[id] {
      state.setActive(nil, fuel: nil)
      _ = try run(id, on: server)
      let (before, after, third) = (first[id] ?? [:], second[id] ?? [:], state.takeReached())
      // Where threads or clocks decide how often, the later runs probably differ too.
      reachedOnce.formUnion(
        before.keys.filter { before[$0] != after[$0] && after[$0] == third[$0] })
    }
  }

  private mutating func readCases(of server: CaseServerProcess) throws(MutationError) -> [String] {
    var served: [String] = []
    while true {
      do throws(CaseServerProcess.Silence) {
        switch try server.line(within: 60) {
        case .served(let id, let kind, let isExclusive, let fixture):
          served.append(id)
          fixtures.insert(fixture)
          if kind == "fake" { fakes.insert(id) }
          if isExclusive { self.isExclusive = true }
        case .leftOut(let id, let reason): leftOut[id] = reason
        case .ready:
          guard !served.isEmpty else {
            throw CaseServerProcess.Silence.ended(signal: nil, status: 0)
          }
          return served
        default: break
        }
      } catch {
        throw MutationError(
          "no case can judge: the test program lists none (\(error)); check --contract, "
            + "--implementation and --filter; its last output:\n\(server.output)")
      }
    }
  }

  /// Runs a case, and returns why it did not pass.
  private mutating func run(
    _ id: String, on server: CaseServerProcess
  ) throws(MutationError) -> String? {
    server.send([id])
    var failure: String?
    while true {
      do throws(CaseServerProcess.Silence) {
        switch try server.line(within: 120) {
        case .failed(_, let message): failure = message
        case .unavailable: failure = "it became unavailable"
        case .done: return failure
        default: break
        }
      } catch {
        throw MutationError(
          "\(id) \(error == .timedOut ? "hangs" : "ends its process") without any mutant; correct "
            + "that first: swift test --filter Contract\n\(server.output)")
      }
    }
  }

  private static func error(for failures: [String: [String]]) -> MutationError {
    let lines = failures.sorted { $0.key < $1.key }.prefix(20).map { id, messages in
      "  \(id) \(messages.count == 2 ? "fails" : "is flaky, it failed once in two runs"): "
        + messages[0]
    }
    return MutationError(
      "the cases must pass without mutants first; \(failures.count) do not:\n"
        + lines.joined(separator: "\n"))
  }
}
