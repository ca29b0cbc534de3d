import Foundation
import SystemLocks

/// Explores a subject by running random commands on it and on the model, and comparing responses.
///
/// Runs are executed on a thread of their own, so that a subject that hangs is cut off: its task
/// is cancelled and left behind. A failure is repeated, shrunk, and saved.
public struct LockStep<Spec: Specification>: Sendable {
  typealias Monitor = RunMonitor<Spec.Response>

  /// How to run a loop on a worker, and how to cancel what it is doing.
  @usableFromInline
  typealias Start =
    @Sendable (LockStepPlan<Spec.Command>, RunMonitor<Spec.Response>, RunWorker) -> Void

  /// The oracle and the generator.
  public let specification: Spec

  /// How long, how far and from which seeds to explore.
  public var settings: ExplorationSettings

  /// Where failures are kept and replayed from; `nil` keeps none.
  public private(set) var examples: ExampleStore?

  /// How printed tests make the specification and a subject.
  public var source: LockStepSource

  /// Told about once a second how many runs and commands there have been.
  public var onProgress: (@Sendable (ExplorationProgress) -> Void)?

  /// How a stored command is written and read; `nil` if commands cannot be.
  private(set) var coding: CommandCoding<Spec.Command>?

  let start: Start

  @usableFromInline
  init(
    _ specification: Spec, _ settings: ExplorationSettings, isAsync: Bool, start: @escaping Start
  ) {
    self.specification = specification
    self.settings = settings
    self.start = start
    source = LockStepSource(
      specification: specification.source,
      subject: isAsync ? "try await makeSubject()" : "try makeSubject()", isAsync: isAsync)
  }

  /// Explores a subject that may suspend.
  ///
  /// - Parameters:
  ///   - specification: The oracle and the generator.
  ///   - settings: How long, how far and from which seeds to explore.
  ///   - tearDown: Called with each subject once its run is over.
  ///   - makeSubject: Makes a subject nobody has used, for each run.
  @inlinable
  public init(
    _ specification: Spec, settings: ExplorationSettings = .init(),
    tearDown: @escaping @Sendable (Spec.Subject) async throws -> Void = { _ in },
    makeSubject: @escaping @Sendable () async throws -> Spec.Subject
  ) {
    self.init(specification, settings, isAsync: true) { plan, monitor, worker in
      worker.runTask {
        await LockStepLoop<Spec>.run(
          specification, plan, monitor, makeSubject: makeSubject, tearDown: tearDown)
      }
    }
  }

  /// Explores a subject that answers at once, without suspending; this is much faster.
  ///
  /// - Parameters:
  ///   - specification: The oracle and the generator.
  ///   - settings: How long, how far and from which seeds to explore.
  ///   - tearDown: Called with each subject once its run is over.
  ///   - makeSubject: Makes a subject nobody has used, for each run.
  @inlinable
  public init(
    _ specification: Spec, settings: ExplorationSettings = .init(),
    tearDown: @escaping @Sendable (Spec.Subject) throws -> Void = { _ in },
    makeSubject: @escaping @Sendable () throws -> Spec.Subject
  ) where Spec: SynchronousSpecification {
    self.init(specification, settings, isAsync: false) { plan, monitor, worker in
      worker.run {
        LockStepLoop<Spec>.run(
          specification, plan, monitor, makeSubject: makeSubject, tearDown: tearDown)
      }
    }
  }

  /// Explores until a failure is found or the settings say stop.
  ///
  /// Cancelling the calling task ends the exploration with what was found so far.
  public func explore() async -> LockStepReport<Spec> { await onWatchdog { $0.explore() } }

  /// Runs given commands once.
  ///
  /// - Returns: The failure, if the subject answers otherwise than the model.
  package func run(_ commands: [Spec.Command]) async -> LockStepFailure<Spec>? {
    await onWatchdog { $0.run(commands) }
  }

  private func onWatchdog<Value: Sendable>(
    _ body: @escaping @Sendable (LockStepEngine<Spec>) -> Value
  ) async -> Value {
    let engine = LockStepEngine(self)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: body(engine)) }
        thread.name = "exploration watchdog"
        thread.stackSize = 8 << 20
        thread.start()
      }
    } onCancel: {
      engine.cancel()
    }
  }
}

extension LockStep where Spec.Command: Codable {
  /// Stores commands beside the choices, so that examples outlive changes to the generator.
  ///
  /// - Parameter examples: Where failures are kept and replayed from.
  public func storing(in examples: ExampleStore) -> Self {
    var copy = self
    copy.examples = examples
    copy.coding = CommandCoding()
    return copy
  }
}

extension LockStep {
  /// Stores choices alone, for commands that cannot be coded: they go stale with the generator.
  ///
  /// - Parameter examples: Where failures are kept and replayed from.
  public func keeping(_ examples: ExampleStore) -> Self {
    var copy = self
    copy.examples = examples
    return copy
  }
}

/// The Swift expressions that printed tests use.
public struct LockStepSource: Sendable {
  /// An expression for the specification.
  public var specification: String
  /// An expression for a new subject, with the `try` and `await` that it needs.
  public var subject: String
  /// What is given to `explore`, beside the commands, by a test that needs that call alone.
  package var arguments: String?
  /// Whether commands are awaited.
  let isAsync: Bool
}

/// How an exploration gets on.
public struct ExplorationProgress: Sendable {
  /// The runs begun so far.
  public let runs: Int
  /// The commands performed so far.
  public let commands: Int
  /// Commands in a second, since the beginning.
  public let rate: Double
}
