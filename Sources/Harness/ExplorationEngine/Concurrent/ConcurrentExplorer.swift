import Foundation
import Synchronization

/// Explores a subject by using it from several tasks truly in parallel, and searching each
/// recorded history for an order that the model allows.
///
/// Every client runs on a thread of its own. A call that throws or never returns is pending: it
/// may have happened or not. Commands are drawn for one sequential order of all clients, so the
/// model must accept any command in any state.
public struct ConcurrentExplorer<Spec: Specification>: Sendable where Spec.Subject: Sendable {
  typealias Operation = History<Spec.Command, Spec.Response>.Operation

  /// The model, the generator and the partitions.
  public let specification: Spec

  /// How long, how far and from which seeds to explore; `steps` is the commands of all clients.
  public var settings: ExplorationSettings

  /// The number of tasks that use the subject at once, from 1.
  public var clients: Int

  /// When a search gives up as unknown.
  public var limits: LinearizabilityLimits

  private let makeSubject: @Sendable () async throws -> Spec.Subject
  private let tearDown: @Sendable (Spec.Subject) async throws -> Void

  /// An explorer of fresh subjects.
  ///
  /// - Parameters:
  ///   - specification: The model, the generator and the partitions.
  ///   - clients: The number of tasks that use the subject at once, from 1.
  ///   - settings: How long, how far and from which seeds to explore.
  ///   - limits: When a search gives up as unknown.
  ///   - tearDown: Called with each subject once its run is over.
  ///   - makeSubject: Makes a subject nobody has used, for each run.
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

  /// Explores until a failure is found or the settings say stop.
  ///
  /// Cancelling the calling task ends the exploration with what was found so far.
  public func explore() async -> ConcurrentReport<Spec> {
    let isCancelled = ConcurrentFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: explore(isCancelled)) }
        thread.name = "exploration watchdog"
        thread.stackSize = 8 << 20
        thread.start()
      }
    } onCancel: {
      isCancelled.value.store(true, ordering: .relaxed)
    }
  }

  private func explore(_ isCancelled: ConcurrentFlag) -> ConcurrentReport<Spec> {
    var report = ConcurrentReport<Spec>(seed: settings.seed(ofRun: 0))
    report.health = HealthCheck.sample(specification, seed: settings.seed)
    let start = ContinuousClock.now
    let deadline = settings.time.map { start.advanced(by: $0) }
    var workers = (0..<clients).map { _ in RunWorker() }
    let checker = LinearizabilityChecker(specification, limits: limits)
    defer { for worker in workers { worker.stop() } }
    while report.runs < settings.runs, report.failure == nil,
      !isCancelled.value.load(ordering: .relaxed),
      deadline.map({ ContinuousClock.now < $0 }) != false
    {
      let seed = settings.seed(ofRun: report.runs)
      report.runs += 1
      let run = ConcurrentRun(specification, plans: plans(seed: seed), seed: seed)
      let isOver = run.execute(
        on: &workers, limit: settings.runLimit, makeSubject: makeSubject, tearDown: tearDown)
      report.calls += run.calls
      let history = History(checked: run.operations)
      report.operationsPending += history.operations.count { $0.end == nil }
      if let problem = run.problem {
        report.failure = ConcurrentFailure(
          specification, .subject(problem), history, minimal: nil, seed: seed)
      } else if !isOver {
        report.failure = ConcurrentFailure(
          specification, .hung(after: settings.runLimit), history, minimal: nil, seed: seed)
      } else {
        switch checker.check(history) {
        case .linearizable: break
        case .unknown(let reason):
          report.unknown += 1
          report.unknownReason = reason.description
        case .notLinearizable(let violation):
          report.failure = ConcurrentFailure(
            specification, .notLinearizable(violation), history,
            minimal: checker.minimized(history, within: settings.shrinkTime), seed: seed)
        }
      }
    }
    report.duration = ContinuousClock.now - start
    return report
  }

  /// The commands of each client, drawn in turns so that the generator sees likely states.
  private func plans(seed: UInt64) -> [[Spec.Command]] {
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

/// A flag that another task may set.
final class ConcurrentFlag: Sendable {
  let value = Atomic<Bool>(false)
}
