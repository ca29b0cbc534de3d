public import ExplorationEngine
import Synchronization

/// Runs commands on a subject from several threads in parallel, and checks that each recorded
/// history is linearizable.
///
/// Every client has its own thread. A call that throws or does not return is pending: it may have
/// happened or not. Commands are drawn for one sequential order of the clients, which the threads
/// do not keep, so the model must accept any command in any state.
public struct ConcurrentExplorer<Spec: Specification>: Sendable where Spec.Subject: Sendable {
  typealias Operation = History<Spec.Command, Spec.Response>.Operation

  /// The model, the generator and the partitions.
  public let specification: Spec

  /// The limits and seeds; `steps` is the number of commands of the clients together.
  public var settings: ExplorationSettings

  /// The number of clients that use the subject concurrently, from 1.
  public var clients: Int

  /// The limits of checking one history.
  public var limits: LinearizabilityLimits

  /// Called with the seed of each run before it begins.
  package var onRun: @Sendable (_ seed: UInt64) -> Void = { _ in }

  private let makeSubject: @Sendable () async throws -> Spec.Subject
  private let tearDown: @Sendable (Spec.Subject) async throws -> Void

  /// Creates an explorer.
  ///
  /// - Parameters:
  ///   - specification: The model, the generator and the partitions.
  ///   - clients: The number of clients that use the subject concurrently, from 1.
  ///   - settings: The limits and seeds.
  ///   - limits: The limits of checking one history.
  ///   - tearDown: Called with each subject when its run has ended.
  ///   - makeSubject: Creates a subject in the initial state, for each run.
  public init(
    _ specification: Spec, clients: Int = 4,
    settings: ExplorationSettings = .init(runs: 200, steps: 24),
    limits: LinearizabilityLimits = .init(),
    tearDown: @escaping @Sendable (Spec.Subject) async throws -> Void = { _ in },
    makeSubject: @escaping @Sendable () async throws -> Spec.Subject
  ) {
    self.specification = specification
    self.settings = settings
    self.clients = max(clients, 1)
    self.limits = limits
    self.makeSubject = makeSubject
    self.tearDown = tearDown
  }

  /// Explores until a failure is found or a limit is reached.
  ///
  /// If the calling task is cancelled, the exploration ends with the report so far.
  public func explore() async -> ConcurrentReport<Spec> { await explore(nil) }

  /// Explores the given commands of each client, or draws some for each run.
  package func explore(_ plans: [[Spec.Command]]?) async -> ConcurrentReport<Spec> {
    let isCancelled = ConcurrentFlag()
    return await onWatchdogThread {
      explore(plans, isCancelled)
    } onCancel: {
      isCancelled.set()
    }
  }

  /// The time for which a run repeats its commands on new subjects, if they take less.
  private static var slice: Duration { .milliseconds(5) }

  private func explore(
    _ plans: [[Spec.Command]]?, _ isCancelled: ConcurrentFlag
  ) -> ConcurrentReport<Spec> {
    var report = ConcurrentReport<Spec>(seed: settings.seed(ofRun: 0))
    report.health = HealthCheck.sample(specification, seed: settings.seed)
    let start = ContinuousClock.now
    let deadline = settings.time.map { start.advanced(by: $0) }
    let workers = (0..<(plans?.count ?? clients)).map { _ in RunWorker() }
    let checker = LinearizabilityChecker(specification, limits: limits)
    defer { for worker in workers { worker.stop() } }
    while report.runs < settings.runs, report.failure == nil,
      !isCancelled.isSet,
      deadline.map({ ContinuousClock.now < $0 }) != false
    {
      let seed = settings.seed(ofRun: report.runs)
      report.runs += 1
      onRun(seed)
      let run = ConcurrentRun(
        specification, plans: plans ?? draw(seed: seed), seed: seed, makeSubject: makeSubject,
        tearDown: tearDown)
      guard
        let outcome = run.execute(
          on: workers, slice: Self.slice, limit: settings.runLimit,
          setUpLimit: settings.setUpLimit)
      else {
        let history = History(checked: run.operations).renumbered
        report.calls += history.operations.count
        report.operationsPending += history.operations.count { $0.end == nil }
        report.failure = ConcurrentFailure(
          specification, .timedOut(after: settings.runLimit), history, minimal: nil, seed: seed)
        break
      }
      report.calls += outcome.calls
      report.operationsPending += outcome.pending
      if let problem = outcome.problem {
        report.failure = ConcurrentFailure(
          specification, .subject(problem), outcome.history.renumbered, minimal: nil, seed: seed)
      } else if !outcome.isExplained {
        decide(outcome.history.renumbered, seed, with: checker, &report)
      }
    }
    report.duration = ContinuousClock.now - start
    return report
  }

  /// Searches for an order of a history that a short search did not explain.
  private func decide(
    _ history: History<Spec.Command, Spec.Response>, _ seed: UInt64,
    with checker: LinearizabilityChecker<Spec>, _ report: inout ConcurrentReport<Spec>
  ) {
    switch checker.check(history) {
    case .linearizable: break
    case .unknown(let reason):
      report.unknown += 1
      report.unknownReason = reason.description
    case .notLinearizable(let violation):
      report.failure = ConcurrentFailure(
        specification, .notLinearizable(violation), history,
        minimal: checker.reduced(history, violation, within: settings.shrinkTime)?.history
          .renumbered, seed: seed)
    }
  }

  /// Draws the commands of each client, in turns, so that the generator sees states that are
  /// likely.
  package func draw(seed: UInt64) -> [[Spec.Command]] {
    var choices = Choices(seed: seed, strategy: settings.strategy, isRecording: false)
    var state = specification.initialState
    var plans: [[Spec.Command]] = Array(repeating: [], count: clients)
    for step in 0..<settings.steps {
      let command = specification.command(from: &choices, in: state)
      _ = specification.apply(command, to: &state)
      plans[step % clients].append(command)
    }
    return plans
  }
}

extension ConcurrentExplorer {
  /// This exploration as one of programs, which can run in another process.
  ///
  /// - Parameter key: What marks the exploration.
  package func programs(key: [String]) -> ProgramExploration<Spec.Command> {
    var short = self
    short.settings.runs = 20
    short.settings.time = .milliseconds(100)
    // A process sends nothing while it minimizes a history.
    let silenceLimit =
      settings.setUpLimit + settings.runLimit + settings.shrinkTime + .seconds(10)
    return ProgramExploration(
      key: key, silenceLimit: silenceLimit, shrinkTime: settings.shrinkTime, draw: draw
    ) { [self] onProgram in
      var explorer = self
      explorer.onRun = onProgram
      let report = await explorer.explore()
      let isClean = report.failure == nil && report.health.isEmpty
      return .init(summary: report.summary, problem: isClean ? nil : "\(report)")
    } attempt: { [short] program in
      _ = await short.explore(program)
    }
  }
}
