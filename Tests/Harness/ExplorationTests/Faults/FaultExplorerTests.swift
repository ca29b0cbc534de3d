import ExplorationEngine
import FaultExploration
import SystemLocks
import Testing

@Suite struct FaultExplorerTests {
  private typealias Report = FaultReport<RegistersSpecification>

  private func explore(
    _ flaw: FaultyRegisters.Flaw? = nil, cut: FaultyRegisters.Cut = .throwing,
    faults: [Fault<FaultyRegisters>] = [.crash, .cut],
    promising promise: ConsistencyPromise = .linearizable, clients: Int = 1, runs: Int = 200,
    callLimit: Duration = .seconds(30)
  ) async -> Report {
    await FaultExplorer(
      RegistersSpecification(), faults: faults, promising: promise, clients: clients,
      settings: .init(runs: runs, seed: 1, steps: 24), callLimit: callLimit
    ) {
      FaultyRegisters(flaw, cut: cut)
    }.explore()
  }

  // MARK: - Correct subjects

  @Test(arguments: ConsistencyPromise.allCases, [1, 3])
  func `a correct subject keeps each promise`(
    _ promise: ConsistencyPromise, _ clients: Int
  ) async {
    let report = await explore(promising: promise, clients: clients)
    #expect(report.isClean, "\(report)")
    #expect(report.runs == 200)
    #expect(report.undecided == 0)
    #expect((report.strikes["crash"] ?? 0) > 50)
    #expect((report.strikes["cut"] ?? 0) > 50)
    // Half of the writes that throw have happened, and half have not.
    #expect(report.unanswered > 100)
  }

  @Test func `a call that says that it did not happen is left out`() async throws {
    let honest = await explore(cut: .refusing, faults: [.cut])
    #expect(honest.isClean, "\(honest)")
    #expect(honest.unanswered == 0)
    let lying = await explore(.liesAboutRefusal, cut: .refusing, faults: [.cut])
    let failure = try #require(lying.failure)
    #expect(failure.problem == nil, "\(failure)")
  }

  // MARK: - Broken promises

  @Test(arguments: [ConsistencyPromise.linearizable, .acknowledgedWritesSurvive], [1, 3])
  func `a lost acknowledged write is found and shrunk`(
    _ promise: ConsistencyPromise, _ clients: Int
  ) async throws {
    let report = await explore(.acknowledgesEarly, promising: promise, clients: clients)
    let failure = try #require(report.failure)
    #expect(failure.problem == nil)
    #expect(failure.isSequential)
    #expect(failure.replays.failures == 3)
    #expect(failure.callCount == 2)
    #expect(failure.faultCount == 1)
    #expect(
      failure.swiftTest == """
        @Test func faultBreaksPromise() async throws {
          // client 0  [write(0, 1) → 1]         [read(0) → 0]
          // faults                      [crash]
          try await explore(
            RegistersSpecification(), on: .subject, promising: .\(promise.rawValue),
            steps: [
              .call(.write(0, 1)),
              .fault(.crash),
              .call(.read(0)),
            ])
        }
        """)
  }

  @Test func `the history says which calls matter, so a dear run need not be repeated often`()
    async throws
  {
    for seed: UInt64 in 1...8 {
      for clients in [1, 3] {
        let explorer = FaultExplorer(
          RegistersSpecification(), faults: [.crash, .cut], clients: clients,
          // Less than one run of all commands.
          settings: .init(runs: 200, seed: seed, steps: 24, shrinkCalls: 20),
          callLimit: .seconds(30)
        ) {
          FaultyRegisters(.acknowledgesEarly)
        }
        let failure = try #require(await explorer.explore().failure)
        #expect(failure.steps.count == 3, "seed \(seed): \(failure)")
        #expect(failure.replays.failures == 3)
      }
    }
  }

  @Test func `a failure is replayed even if no time is left to shrink it`() async throws {
    let explorer = FaultExplorer(
      RegistersSpecification(), faults: [.crash],
      settings: .init(runs: 200, seed: 1, steps: 24, shrinkTime: .zero), callLimit: .seconds(30)
    ) {
      FaultyRegisters(.acknowledgesEarly)
    }
    let failure = try #require(await explorer.explore().failure)
    #expect(failure.steps.count > 20)
    #expect(failure.replays == (3, 3))
  }

  @Test func `steps that always fail are not shrunk to steps that fail by luck`() async throws {
    for seed: UInt64 in 1...8 {
      let made = Mutex(0)
      let explorer = FaultExplorer(
        RegistersSpecification(), faults: [.crash],
        settings: .init(runs: 200, seed: seed, steps: 24), callLimit: .seconds(30)
      ) {
        let isLucky = made.withLock { count in
          count += 1
          return count % 3 == 0
        }
        return FaultyRegisters(isLucky ? .acknowledgesEarly : .acknowledgesThirdEarly)
      }
      let failure = try #require(await explorer.explore().failure)
      #expect(failure.replays == (3, 3), "seed \(seed): \(failure)")
      #expect(failure.steps.count == 5, "seed \(seed): \(failure)")
    }
  }

  @Test func `an unanswered write happens once, at one time`() async throws {
    let report = await explore(.flickers, faults: [.cut])
    let failure = try #require(report.failure)
    #expect(failure.problem == nil)
    #expect(failure.callCount <= 3, "\(failure)")
    #expect(failure.faultCount == 1)
  }

  @Test func `arguments that only fail together become simpler together`() async throws {
    for seed: UInt64 in 1...8 {
      let explorer = FaultExplorer(
        RegistersSpecification(lastKey: 9), faults: [.crash],
        settings: .init(runs: 200, seed: seed, steps: 24), callLimit: .seconds(30)
      ) {
        FaultyRegisters(.acknowledgesEarly, cut: .throwing)
      }
      let failure = try #require(await explorer.explore().failure)
      #expect(failure.timeline.contains("[read(0) → 0]"), "seed \(seed): \(failure)")
    }
  }

  @Test func `a stale read is not linearizable but sequentially consistent`() async throws {
    let strict = await explore(.readsReplica, faults: [.cut], clients: 3)
    let failure = try #require(strict.failure)
    #expect(failure.callCount == 2, "\(failure)")
    #expect(failure.faultCount == 1)

    // The steps of another client's read.
    let steps: [FaultStep<RegistersSpecification.Command, FaultyRegisters>] = [
      .fault(.cut), .call(.write(0, 1)), .call(.read(0), by: 1),
    ]
    for promise in ConsistencyPromise.allCases {
      let report = await FaultExplorer(
        RegistersSpecification(), faults: [], promising: promise, settings: .init(runs: 1)
      ) {
        FaultyRegisters(.readsReplica)
      }.run(steps)
      #expect((report.failure != nil) == (promise == .linearizable), "\(promise): \(report)")
    }
    // Once the fault is over, a stale read is a lost write.
    let late = await FaultExplorer(
      RegistersSpecification(), faults: [], promising: .acknowledgedWritesSurvive,
      settings: .init(runs: 1)
    ) {
      FaultyRegisters(.acknowledgesEarly)
    }.run([.call(.write(0, 1)), .fault(.cut), .fault(.crash), .healing(.cut), .call(.read(0))])
    #expect(late.failure != nil)
  }

  @Test func `a client that sees its own write vanish is not sequentially consistent`() async throws
  {
    let report = await explore(
      .readsReplica, faults: [.cut], promising: .sequentiallyConsistent, clients: 1)
    let failure = try #require(report.failure)
    #expect(failure.callCount == 2, "\(failure)")
  }

  @Test func `given steps show only the calls that are not sequentially consistent`() async throws {
    let report = await FaultExplorer(
      RegistersSpecification(), faults: [], promising: .sequentiallyConsistent,
      settings: .init(runs: 1)
    ) {
      FaultyRegisters(.readsReplica)
    }.run([
      .call(.read(1)), .call(.write(1, 8)), .call(.read(1), by: 1), .fault(.cut),
      .call(.write(0, 1)), .call(.read(1), by: 1), .call(.read(0)), .call(.read(0), by: 1),
    ])
    let failure = try #require(report.failure)
    #expect(failure.steps.count == 8)
    #expect(failure.callCount == 2)
    #expect(
      failure.timeline == """
        client 0        [write(0, 1) → 1] [read(0) → 0]
        faults    [cut]
        """)
  }

  @Test func `a short history is drawn with the calls that break nothing`() async throws {
    let report = await FaultExplorer(
      RegistersSpecification(), faults: [], promising: .linearizable, settings: .init(runs: 1)
    ) {
      FaultyRegisters(.acknowledgesEarly, cut: .throwing)
    }.run([
      .fault(.cut), .call(.write(1, 8)), .healing(.cut), .call(.write(0, 1)), .fault(.crash),
      .call(.read(0)),
    ])
    let failure = try #require(report.failure)
    #expect(failure.callCount == 2, "\(failure)")
    #expect(failure.timeline.contains("[write(1, 8) ┄┄┄"), "\(failure)")
    #expect("\(failure)".contains("3 calls and 2 faults of 6 steps"), "\(failure)")
  }

  @Test func `reads that go back and forth are not sequentially consistent`() async throws {
    let report = await explore(
      .readsEither, faults: [.cut], promising: .sequentiallyConsistent, clients: 3)
    #expect(report.failure?.problem == nil)
    #expect(report.failure != nil)
  }

  @Test func `stale reads during a fault break no promise about writes`() async {
    let report = await explore(
      .readsReplica, faults: [.cut], promising: .acknowledgedWritesSurvive, clients: 3)
    #expect(report.isClean, "\(report)")
  }

  // MARK: - Time

  @Test(arguments: [FaultyRegisters.Cut.suspending, .blocking], [1, 3])
  func `calls that never return end with their limit`(
    _ cut: FaultyRegisters.Cut, _ clients: Int
  ) async {
    let report = await explore(
      cut: cut, faults: [.cut], clients: clients, runs: 4, callLimit: .milliseconds(50))
    #expect(report.failure == nil, "\(report)")
    #expect(report.runs == 4)
    #expect(report.unanswered > 0)
    // 24 calls of 50 ms each, and the threads that must be replaced.
    #expect(report.duration < .seconds(30))
  }

  @Test func `faults strike while calls are in progress`() async {
    let crashes = Mutex(0)
    let report = await FaultExplorer(
      RegistersSpecification(), faults: [.crash], clients: 3,
      settings: .init(runs: 20, seed: 1, steps: 24), callLimit: .seconds(30),
      tearDown: { subject in crashes.withLock { $0 += subject.crashesDuringCalls } }
    ) {
      FaultyRegisters(delay: .milliseconds(2))
    }.explore()
    #expect(report.isClean, "\(report)")
    #expect(crashes.withLock { $0 } > 5)
  }

  // MARK: - Failures that are not about a promise

  @Test func `an error before any fault is a failure`() async throws {
    let report = await explore(.throwsWithoutReason)
    let failure = try #require(report.failure)
    #expect(failure.callCount == 1)
    #expect(failure.faultCount == 0)
    guard case .threw("write(0, 1)", let text) = failure.problem else {
      Issue.record("\(failure)")
      return
    }
    #expect(text.contains("CutError"))
  }

  @Test func `a call that never returns without a fault is a failure`() async throws {
    let stuck = Fault<FaultyRegisters>("none") { _ in }
    let report = await FaultExplorer(
      RegistersSpecification(), faults: [stuck],
      settings: .init(runs: 1, seed: 1, steps: 2, shrinkTime: .seconds(2)),
      callLimit: .milliseconds(50)
    ) {
      let subject = FaultyRegisters(cut: .suspending)
      subject.setCut(true)
      return subject
    }.explore()
    guard case .noAnswer = try #require(report.failure).problem else {
      Issue.record("\(report)")
      return
    }
  }

  @Test func `a fault that throws or does not end fails the run`() async throws {
    struct Broken: Error {}
    let throwing = Fault<FaultyRegisters>("throwing") { _ in throw Broken() }
    let endless = Fault<FaultyRegisters>("endless", within: .milliseconds(50)) { _ in
      NeverSignalled.semaphore.wait()
    }
    for (fault, text) in [
      (throwing, "the fault 'throwing' threw Broken: Broken()"),
      (endless, "the fault 'endless' did not end within its limit"),
    ] {
      let report = await explore(faults: [fault], runs: 1)
      #expect(report.failure?.problem?.description == text)
    }
  }

  @Test func `a subject that cannot be made or torn down fails the run`() async {
    struct Broken: Error {}
    let making = await FaultExplorer(
      RegistersSpecification(), faults: [.crash], settings: .init(runs: 2)
    ) { () -> FaultyRegisters in
      throw Broken()
    }.explore()
    #expect(making.failure?.problem == .subject("creating the subject threw Broken: Broken()"))
    let ending = await FaultExplorer(
      RegistersSpecification(), faults: [.crash], settings: .init(runs: 2),
      tearDown: { _ in throw Broken() }
    ) {
      FaultyRegisters()
    }.explore()
    #expect(ending.failure?.problem == .subject("tearing down the subject threw Broken: Broken()"))
  }

  @Test func `creating a subject is no part of the time of a run`() async {
    let report = await FaultExplorer(
      RegistersSpecification(), faults: [.crash],
      settings: .init(runs: 1, steps: 4, runLimit: .milliseconds(20))
    ) {
      // It ends when a fault has reached a longer limit.
      let endless = Fault<FaultyRegisters>("endless", within: .milliseconds(50)) { _ in
        NeverSignalled.semaphore.wait()
      }
      _ = await explore(faults: [endless], runs: 1)
      return FaultyRegisters()
    }.explore()
    #expect(report.failure == nil, "\(report)")
  }

  @Test func `a subject that never answers again shows nothing`() async throws {
    let report = await explore(.staysDown, faults: [.crash], runs: 20)
    #expect(report.failure == nil)
    #expect(!report.isClean)
    guard case .neverAnswers(fault: "crash", let calls) = try #require(report.health.first) else {
      Issue.record("\(report)")
      return
    }
    #expect(calls >= 20)
  }
}
