import Dispatch
public import ExplorationEngine
public import LinearizabilityChecking
import SeededRandom

/// Runs commands on a subject while faults happen, and checks that its answers keep a promise.
///
/// After the first fault of a run, a call that throws or takes too long has no answer: it may have
/// happened, may still happen, or may never. Before it, that is a failure. Commands are drawn as if
/// every call succeeded, so the model must accept any command in any state.
public struct FaultExplorer<Spec: Specification>: Sendable where Spec.Subject: Sendable {
  typealias Run = FaultRun<Spec>
  typealias Step = FaultStep<Spec.Command, Spec.Subject>

  /// The model and the generator.
  public let specification: Spec
  /// The faults to choose from. A run has one to three.
  public var faults: [Fault<Spec.Subject>]
  /// What the answers must agree with.
  public var promise: ConsistencyPromise
  /// The number of clients. One runs its commands and the faults one after the other.
  public var clients: Int
  /// The limits and seeds; `steps` is the number of commands of the clients together.
  public var settings: ExplorationSettings
  /// How long a call may take. Beyond it, the call is cancelled and has no answer.
  public var callLimit: Duration
  /// The limits of checking one history.
  public var limits: LinearizabilityLimits

  /// The first arguments of the call in printed tests.
  package var sourceArguments: String

  /// The store in which failures are saved, and from which they are replayed first.
  package var examples: ExampleStore?

  /// The implementation's id, so that each implementation has its own examples.
  package var implementation: String?

  /// Returns what a subject's servers have printed since the subject was made.
  package var logs: @Sendable (Spec.Subject) -> [FaultLog] {
    get { world.logs }
    set { world.logs = newValue }
  }

  var world: Run.World

  /// Creates an explorer.
  ///
  /// - Parameters:
  ///   - specification: The model and the generator.
  ///   - faults: The faults to choose from. A run has one to three.
  ///   - promise: What the answers must agree with.
  ///   - clients: The number of clients, from 1.
  ///   - settings: The limits and seeds.
  ///   - callLimit: How long a call may take.
  ///   - limits: The limits of checking one history.
  ///   - tearDown: Called with each subject when its run has ended.
  ///   - makeSubject: Creates a subject in the initial state, for each run.
  public init(
    _ specification: Spec, faults: [Fault<Spec.Subject>],
    promising promise: ConsistencyPromise = .linearizable, clients: Int = 1,
    settings: ExplorationSettings = .init(runs: 50, steps: 16),
    callLimit: Duration = .seconds(2),
    limits: LinearizabilityLimits = .init(memory: 1 << 28, time: .seconds(5)),
    tearDown: @escaping @Sendable (Spec.Subject) async throws -> Void = { _ in },
    makeSubject: @escaping @Sendable () async throws -> Spec.Subject
  ) {
    self.specification = specification
    self.faults = faults
    self.promise = promise
    self.clients = max(clients, 1)
    self.settings = settings
    self.callLimit = callLimit
    self.limits = limits
    sourceArguments = "\(specification.source), on: .subject"
    world = .init(
      specification: specification, callLimit: callLimit, subjectLimit: settings.setUpLimit,
      makeSubject: makeSubject, tearDown: tearDown)
  }

  /// Explores until a failure is found or a limit is reached.
  ///
  /// If the calling task is cancelled, the exploration ends with the report so far.
  public func explore() async -> FaultReport<Spec> {
    await onThread { explore($0) }
  }

  /// Runs given steps until they fail, or as often as the settings say.
  public func run(_ steps: [FaultStep<Spec.Command, Spec.Subject>]) async -> FaultReport<Spec> {
    await onThread { isCancelled in
      let program = FaultProgram<Spec>(steps: steps, isSequential: clients == 1)
      return explore(isCancelled, given: program)
    }
  }

  private func onThread(
    _ body: @escaping @Sendable (ConcurrentFlag) -> FaultReport<Spec>
  ) async -> FaultReport<Spec> {
    let isCancelled = ConcurrentFlag()
    return await onWatchdogThread {
      body(isCancelled)
    } onCancel: {
      isCancelled.set()
    }
  }

  private func explore(
    _ isCancelled: ConcurrentFlag, given: FaultProgram<Spec>? = nil
  ) -> FaultReport<Spec> {
    var report = FaultReport<Spec>(seed: settings.seed(ofRun: 0))
    if given == nil { report.health = HealthCheck.sample(specification, seed: settings.seed) }
    let start = ContinuousClock.now
    let deadline = settings.time.map { start.advanced(by: $0) }
    let count = max(clients, (given?.clients.max() ?? 0) + 1)
    // One more thread runs the faults.
    let workers = (0...count).map { _ in RunWorker() }
    defer { for worker in workers { worker.stop() } }
    if given == nil { replayExamples(on: workers, &report) }
    var answers: [String: (calls: Int, answers: Int)] = [:]
    while report.runs < settings.runs, report.failure == nil,
      !isCancelled.isSet,
      deadline.map({ ContinuousClock.now < $0 }) != false
    {
      let seed = settings.seed(ofRun: report.runs)
      let program = given ?? draw(seed: seed)
      report.runs += 1
      let outcome = run(program, seed: seed, on: workers)
      report.count(outcome)
      answers.merge(outcome.afterFault) { ($0.calls + $1.calls, $0.answers + $1.answers) }
      switch verdict(of: outcome) {
      case .passed: break
      case .undecided(let reason):
        report.undecided += 1
        report.undecidedReason = reason
      case .failed:
        let shrinker = FaultShrinker(explorer: self, seed: seed, workers: workers)
        report.failure = shrinker.shrink(
          program, outcome, isGiven: given != nil, isCancelled: isCancelled)
        if given == nil { saveFailure(&report) }
      }
    }
    if report.failure == nil {
      // Then every history is explained by what may not have happened.
      for (fault, count) in answers.sorted(by: { $0.key < $1.key })
      where count.calls >= 20 && count.answers == 0 {
        report.health.append(.neverAnswers(fault: fault, calls: count.calls))
      }
    }
    report.duration = ContinuousClock.now - start
    return report
  }

  // MARK: - For the shrinker too

  /// What a run says about the promise.
  enum Verdict: Equatable {
    case passed
    case undecided(String)
    /// The kind of failure, which stays the same while it is shrunk.
    case failed(kind: String)
  }

  func run(_ program: FaultProgram<Spec>, seed: UInt64, on workers: [RunWorker]) -> Run.Outcome {
    Run(world).execute(
      program.steps, isSequential: program.isSequential, seed: seed, on: workers)
  }

  func verdict(of outcome: Run.Outcome) -> Verdict {
    switch outcome.problem {
    case .threw: return .failed(kind: "threw")
    case .noAnswer: return .failed(kind: "no answer")
    case .fault(let name, _): return .failed(kind: "fault \(name)")
    case .subject: return .failed(kind: "subject")
    case nil: break
    }
    switch promise.verdict(of: outcome.history, specification, limits: limits) {
    case .kept: return .passed
    case .broken: return .failed(kind: "promise")
    case .undecided(let reason): return .undecided(reason)
    }
  }

  /// The smallest part found of a run's history that breaks the promise.
  func minimal(_ outcome: Run.Outcome) -> Run.Recorded? {
    guard outcome.problem == nil else { return nil }
    return promise.minimal(outcome.history, specification, within: settings.shrinkTime)
  }

  /// Describes a run that failed.
  func failure(
    _ program: FaultProgram<Spec>, _ outcome: Run.Outcome, originalLength: Int,
    replays: (runs: Int, failures: Int), seed: UInt64
  ) -> FaultFailure<Spec> {
    FaultFailure(
      promise: promise, problem: outcome.problem, originalLength: originalLength,
      replays: replays, seed: seed, logs: outcome.logs, program: program,
      history: outcome.history, minimal: minimal(outcome), specification: specification,
      sourceArguments: sourceArguments)
  }

  // MARK: - Drawing

  /// Draws commands for the clients in turns, and puts faults between them.
  private func draw(seed: UInt64) -> FaultProgram<Spec> {
    var choices = Choices(seed: seed, strategy: settings.strategy)
    var state = specification.initialState
    var steps: [Step] = []
    for step in 0..<settings.steps {
      choices.beginCommand()
      let command = choices.command(of: specification, in: state)
      choices.see(specification.apply(command, to: &state))
      steps.append(.call(command, by: step % clients))
    }
    var program = FaultProgram<Spec>(
      steps: steps, isSequential: clients == 1, spans: choices.sequence.spans)
    var random = SplitMix64(seed: seed)
    guard !faults.isEmpty else { return program }
    var last = 0
    for _ in 0..<[1, 1, 2, 3][Int.random(in: 0..<4, using: &random)] {
      let fault = faults[Int.random(in: faults.indices, using: &random)]
      // A fault before the first call shows little.
      guard last + 1 < program.steps.count else { break }
      last = Int.random(in: last + 1..<program.steps.count, using: &random)
      program.insert(.fault(fault), at: last)
      guard fault.heal != nil else { continue }
      last = min(
        last + 1 + Int.random(in: 1...2 * clients + 2, using: &random), program.steps.count)
      program.insert(.healing(fault), at: last)
    }
    return program
  }
}

extension FaultReport where Spec.Subject: Sendable {
  mutating func count(_ outcome: FaultRun<Spec>.Outcome) {
    calls += outcome.calls
    unanswered += outcome.unanswered
    for mark in outcome.history.faults where !mark.isHealing { strikes[mark.name, default: 0] += 1 }
  }
}
