import ExploredSynchronization
import Foundation
import SeededRandom
import SystemLocks
import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// What an exploration claims to have covered holds on the real runtime.
///
/// Random programs run many times there, under varying load and noise. Every outcome must be
/// among those that an exploration found which claims to be exhaustive, and these must be exactly
/// the outcomes of ``DifferentialModel``.
///
/// `CONTRACT_SOAK_REAL_PROGRAMS` and `CONTRACT_SOAK_REAL_RUNS` set the number of programs and of
/// runs of each; `CONTRACT_SOAK_REAL_SEED` the first seed, `CONTRACT_SOAK_REAL_SCHEDULES` the
/// most schedules of one.
@Suite(.onObservedRuntime) struct DifferentialTests {
  private static func setting(_ name: String, _ fallback: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? fallback
  }

  private static let programs = setting("CONTRACT_SOAK_REAL_PROGRAMS", 16)
  private static let runs = setting("CONTRACT_SOAK_REAL_RUNS", 200)
  private static let firstSeed = setting("CONTRACT_SOAK_REAL_SEED", 0)
  /// The most schedules of a program; one that has more claims nothing and is left out.
  private static let mostSchedules = setting("CONTRACT_SOAK_REAL_SCHEDULES", 3_000)
  private static let mostStates = 400_000

  private struct Tally {
    var claimed = 0
    var modelled = 0
    var outcomes = 0
    var runs = 0
    var seen = 0
  }

  @Test
  func `no outcome of the real runtime is missing where an exploration claims to be exhaustive`()
    async
  {
    var tally = Tally()
    for number in 0..<Self.programs {
      let seed = UInt64(Self.firstSeed + number)
      let program = DifferentialProgram(seed: seed)
      await Self.compare(program, "seed \(seed)", &tally)
      if number > 0, number % 100 == 0 { print("\(number) programs, \(tally)") }
    }
    print("\(Self.programs) programs, \(tally)")
    #expect(tally.claimed > Self.programs / 20)
  }

  /// The same for every kind of task, group, stream, handler and lock. ``DifferentialModel`` knows only some of
  /// them.
  @Test
  func `no claim about a program of the whole vocabulary is wrong`() async {
    var tally = Tally()
    for number in 0..<Self.wholePrograms {
      let seed = UInt64(Self.firstSeed + number)
      let program = DifferentialProgram(seed: seed, ofWholeVocabulary: true)
      await Self.compare(
        program, "seed \(seed) of the whole vocabulary", &tally, mostSchedules: Self.wholeSchedules)
      if number > 0, number % 100 == 0 { print("\(number) programs, \(tally)") }
    }
    print("\(Self.wholePrograms) programs of the whole vocabulary, \(tally)")
    #expect(tally.claimed > Self.wholePrograms / 20)
  }

  /// `CONTRACT_SOAK_WHOLE_PROGRAMS` sets the number of programs.
  private static let wholePrograms = setting("CONTRACT_SOAK_WHOLE_PROGRAMS", 50)
  private static let wholeSchedules = setting("CONTRACT_SOAK_REAL_SCHEDULES", 500)

  /// Programs whose outcomes an earlier version did not explore.
  @Test(arguments: [
    // A child and its creator call the same actor.
    DifferentialProgram([[.beside([.mark(actor: 0)], [.mark(actor: 0)])]]),
    DifferentialProgram([[.group([[.lockedMark], [.lockedMark]], isCancelled: false)]]),
    DifferentialProgram([[.spawn(actor: 0), .mark(actor: 0)], [.mark(actor: 0)]]),
    DifferentialProgram([[.relay(from: 0, to: 1)], [.relay(from: 0, to: 1)]]),
    DifferentialProgram([
      [.task([.sleep], beside: [.mark(actor: 0)], isDetached: true, isCancelled: true)]
    ]),
    DifferentialProgram([[.lockedAdd], [.lockedAdd]]),
    DifferentialProgram([[.atomicAdd], [.atomicAdd]]),
    DifferentialProgram([[.send, .send], [.send]]),
    DifferentialProgram([[.signal(gate: 0), .mark(actor: 0)], [.wait(gate: 0), .mark(actor: 0)]]),
    DifferentialProgram([[.markBoth(actor: 0)], [.markBoth(actor: 0)]]),
    DifferentialProgram([[.relay(from: 0, to: 1)], [.relay(from: 1, to: 0)]]),
    DifferentialProgram([[.yieldingMark(actor: 0)], [.yieldingMark(actor: 0)]]),
    DifferentialProgram([[.mark(actor: 0), .mark(actor: 1)], [.mark(actor: 1), .mark(actor: 0)]]),
  ])
  func `every order of a program that was once covered wrongly is explored`(
    program: DifferentialProgram
  ) async {
    var tally = Tally()
    await Self.compare(program, "once wrong", &tally, mostSchedules: 30_000)
    #expect(tally.claimed == 1 && tally.modelled == 1, "\(program)")
  }

  /// An exploration with something left out, and a program that shows it.
  struct Omission: Sendable, CustomTestStringConvertible {
    var kinds: Set<PreemptionPointKind>
    var program: DifferentialProgram
    /// Whether the real runtime shows what is left out.
    var isReal = true

    var testDescription: String { kinds.map { "\($0)" }.sorted().joined(separator: " and ") }
  }

  private static let omissions = [
    Omission(
      kinds: [.wakes], program: DifferentialProgram([[.beside([.lockedMark], [.lockedMark])]])),
    Omission(
      kinds: [.arrivals],
      program: DifferentialProgram([[.markBoth(actor: 0)], [.markBoth(actor: 0)]])),
    // The runtime acquires the second actor before it leaves the first, so no task overtakes there.
    Omission(
      kinds: [.arrivals],
      program: DifferentialProgram([[.relay(from: 0, to: 1)], [.relay(from: 0, to: 1)]]),
      isReal: false),
    Omission(
      kinds: [.locks],
      program: DifferentialProgram([[.lockedAdd, .atomicAdd], [.lockedAdd, .atomicAdd]])),
    Omission(
      kinds: [.timers],
      program: DifferentialProgram([
        [
          .task(
            [.sleep, .mark(actor: 0)], beside: [.mark(actor: 0)], isDetached: false,
            isCancelled: false)
        ]
      ])),
    Omission(
      kinds: [.uncontrolledWork],
      program: DifferentialProgram([[.thread, .sleep, .checkFlag]])),
  ]

  /// The judge itself is judged: an exploration that leaves something out, and claims to be
  /// exhaustive nevertheless, must be found out both by brute force and by the real runtime.
  @Test(arguments: omissions)
  func `an exploration that leaves out a kind of point is found out`(
    omission: Omission
  ) async throws {
    let program = omission.program
    let outcomes = try #require(DifferentialModel(program).outcomes(mostStates: Self.mostStates))
    var explored = outcomes
    // A thread may be so fast that an exploration sees what it does not order.
    for _ in 0..<20 where outcomes.isSubset(of: explored) {
      let (found, report) = await Self.explore(
        program, 30_000, leavingOut: omission.kinds)
      #expect(report.isExhaustive)
      explored = found
    }
    #expect(!outcomes.isSubset(of: explored))
    var isFound = !omission.isReal
    for _ in 0..<100 where !isFound {
      let seen = await RealRuns.outcomes(of: program, runs: 1_000)
      isFound = seen.keys.contains { !explored.contains($0) }
    }
    #expect(isFound)
  }

  @Test func `an exploration that leaves out unstructured tasks claims nothing`() async {
    let program = DifferentialProgram([
      [
        .task(
          [.mark(actor: 0)], beside: [.mark(actor: 0)], isDetached: false, isCancelled: false)
      ]
    ])
    #expect(
      await !Self.explore(program, 30_000, leavingOut: [.unstructuredTasks]).1.isExhaustive)
  }

  @Test(arguments: [
    DifferentialProgram([[.thread, .sleep, .checkFlag]]),
    DifferentialProgram([[.thread], [.checkFlag]]),
  ])
  func `an exploration of a thread that nobody waits for claims nothing`(
    program: DifferentialProgram
  ) async {
    #expect(await !Self.explore(program, 30_000).1.isExhaustive)
  }

  @Test func `an exploration that ignores work outside its schedules is found out`() async {
    let explored = Collected()
    let draw: @Sendable () -> String = { "\(Int.random(in: 0..<1_000_000_000))" }
    func explore(leavingOut kinds: Set<PreemptionPointKind>) async -> Bool {
      var settings = ExplorationSettings.interleavings()
      settings.leavesOut = kinds
      return await exploreInterleavings(settings) { program in
        program.task { explored.insert(draw()) }
      }.isExhaustive
    }
    #expect(await explore(leavingOut: [.uncontrolledWork]))
    #expect(!explored.values.contains(draw()))
    #expect(await !explore(leavingOut: []))
  }

  private static func compare(
    _ program: DifferentialProgram, _ name: String, _ tally: inout Tally,
    mostSchedules: Int = mostSchedules
  ) async {
    guard var found = await wrongClaim(program, &tally, mostSchedules) else { return }
    var smallest = program
    var candidates = smallest.smaller[...]
    var unused = Tally()
    while let candidate = candidates.popFirst() {
      guard let again = await wrongClaim(candidate, &unused, mostSchedules) else { continue }
      (smallest, found) = (candidate, again)
      candidates = smallest.smaller[...]
    }
    Issue.record("\(name): \(program)\nsmallest: \(smallest)\n\(found)")
  }

  /// What the exploration of a program says and does not hold, or `nil`.
  private static func wrongClaim(
    _ program: DifferentialProgram, _ tally: inout Tally, _ mostSchedules: Int
  ) async -> String? {
    let (explored, report) = await explore(program, mostSchedules)
    if let failure = report.failure { return "fails falsely: \(failure)" }
    guard report.isExhaustive else { return nil }
    tally.claimed += 1
    tally.outcomes += explored.count
    if let outcomes = DifferentialModel(program).outcomes(mostStates: mostStates) {
      tally.modelled += 1
      let missing = outcomes.subtracting(explored).sorted()
      let extra = explored.subtracting(outcomes).sorted()
      if !missing.isEmpty || !extra.isEmpty {
        return """
          explored \(explored.count), by brute force \(outcomes.count)
          not explored: \(missing.prefix(3))
          impossible: \(extra.prefix(3))
          """
      }
    }
    let seen = await RealRuns.outcomes(of: program, runs: runs)
    tally.runs += runs
    tally.seen += seen.count
    let missing = Set(seen.keys).subtracting(explored).sorted()
    guard let first = missing.first else { return nil }
    return """
      \(missing.count) outcomes of the runtime were not explored, such as \(first), \
      \(seen[first] ?? 0) times of \(runs); explored: \(explored.sorted().prefix(10))
      """
  }

  /// The outcomes of the schedules of a program, and the report.
  static func explore(
    _ program: DifferentialProgram, _ mostSchedules: Int,
    leavingOut kinds: Set<PreemptionPointKind> = [], isReducing: Bool = true
  ) async -> (Set<String>, InterleavingReport) {
    var settings = ExplorationSettings.interleavings()
    settings.isReducing = isReducing
    settings.stopsAtFailure = false
    settings.runs = mostSchedules
    settings.leavesOut = kinds
    settings.time = .seconds(600)
    if program.hasSleeps { settings.timers = .racing }
    let outcomes = Collected()
    let report = await exploreInterleavings(settings) { concurrent in
      let world = DifferentialWorld(for: program)
      for task in program.tasks.indices {
        concurrent.task { await world.run(task: task, of: program) }
      }
      concurrent.check { outcomes.insert(await world.outcome) }
    }
    return (outcomes.values, report)
  }
}

/// Runs of a program on the real runtime, several at once, with noise.
private enum RealRuns {
  /// The outcomes and how often each was seen.
  static func outcomes(of program: DifferentialProgram, runs: Int) async -> [String: Int] {
    let seen = Tally()
    await withTaskGroup(of: Void.self) { group in
      // From one program at a time to more than there are processors.
      for lane in 0..<4 {
        group.addTask {
          var random = SplitMix64(seed: UInt64(lane))
          for run in 0..<runs / 4 {
            if lane >= 1 + run * 8 / max(1, runs) { await Task.yield() }
            let noise = Noise(seed: random.next(), level: run % 4)
            let outcome = await DifferentialWorld(for: program, noise: { noise.pause() }).runReally(
              program)
            seen.counts.withLock { $0[outcome, default: 0] += 1 }
          }
        }
      }
    }
    return seen.counts.withLock { $0 }
  }

  private final class Tally: Sendable {
    let counts = Mutex<[String: Int]>([:])
  }
}

/// Short pauses of random length.
private final class Noise: Sendable {
  private let generator: Mutex<SplitMix64>
  private let level: Int

  init(seed: UInt64, level: Int) {
    generator = Mutex(SplitMix64(seed: seed))
    self.level = level
  }

  func pause() {
    guard level > 0 else { return }
    let value = generator.withLock { $0.next() }
    // Up to a third of a microsecond, or up to ten, or now and then a switch of threads.
    let turns = Int(value >> 32) % (level == 1 ? 100 : 3_000)
    if level == 3, value % 64 == 0 { sched_yield() }
    for turn in 0..<turns { withExtendedLifetime(turn) {} }
  }
}
