public import ExplorationEngine

/// Runs random commands on a subject and on the model, and compares their responses.
///
/// Runs have a separate thread. If a run times out, its task is cancelled and abandoned. A failure
/// is replayed, shrunk, and saved.
public struct LockStep<Spec: Specification>: Sendable {
  typealias Monitor = RunMonitor<Spec.Response>

  /// Starts a loop of runs on a worker.
  @usableFromInline
  typealias Start =
    @Sendable (LockStepPlan<Spec.Command>, RunMonitor<Spec.Response>, RunWorker) -> Void

  /// The model and the generator.
  public let specification: Spec

  /// The limits and seeds.
  public var settings: ExplorationSettings

  /// The store in which failures are saved and replayed; `nil` saves none.
  public private(set) var examples: ExampleStore?

  /// The expressions with which printed tests create the specification and a subject.
  public var source: LockStepSource

  /// The implementation's id, so that each implementation has its own examples.
  package var implementation: String?

  /// The processes that can run the subject; `nil` if none can be started.
  package var processes: SubjectProcesses?

  /// Whether the processes stay for the next exploration; the caller then stops them.
  package var keepsProcesses = false

  /// What the other process needs to know before it runs subjects.
  package var context: String?

  /// Called in the other process with the context, before it runs subjects.
  package var onContext: (@Sendable (String) -> Void)?

  /// Whether every subject runs in another process, and not only commands that ended one before.
  package var isIsolated = false

  /// The path of the file whose package has the subject's source code, for ``literals``.
  package var filePath: String

  /// Called at most once a second while runs are in progress.
  public var onProgress: (@Sendable (ExplorationProgress) -> Void)?

  /// The encoding of stored commands; `nil` if commands are not `Codable`.
  private(set) var coding: CommandCoding<Spec.Command>?

  let start: Start

  /// The literals that runs draw more often.
  var literals: [Int64] {
    // A type's name may be `any Store` or have generic arguments.
    let names: String = specification.typeName + " \(Spec.Subject.self)"
    let words: [Substring] = names.split { (character: Character) in
      !character.isLetter && !character.isNumber && character != "_"
    }
    return SourceLiterals.literals(
      concerning: words.filter { $0.count > 4 }.map(String.init), at: filePath)
  }

  /// What identifies the marks of commands that are running: the examples with which those are
  /// saved, and what is explored.
  var crashKey: [String]? { examples.map { [$0.folder.path] + name.components } }

  var name: ExplorationName { .init(specification.typeName, on: implementation) }

  @usableFromInline
  init(
    _ specification: Spec, _ settings: ExplorationSettings, isAsync: Bool, filePath: String,
    start: @escaping Start
  ) {
    self.filePath = filePath
    self.specification = specification
    self.settings = settings
    self.start = start
    source = LockStepSource(
      specification: specification.source,
      subject: isAsync ? "try await makeSubject()" : "try makeSubject()", isAsync: isAsync)
  }

  /// Creates an exploration of a subject that may suspend.
  ///
  /// - Parameters:
  ///   - specification: The model and the generator.
  ///   - settings: The limits and seeds.
  ///   - filePath: The path of the calling file. Integer literals of the files in its package that
  ///     concern the specification or the subject are drawn more often.
  ///   - tearDown: Called with each subject when its run has ended.
  ///   - makeSubject: Creates a subject in the initial state, for each run.
  @inlinable
  public init(
    _ specification: Spec, settings: ExplorationSettings = .init(), filePath: String = #filePath,
    tearDown: @escaping @Sendable (Spec.Subject) async throws -> Void = { _ in },
    makeSubject: @escaping @Sendable () async throws -> Spec.Subject
  ) {
    self.init(specification, settings, isAsync: true, filePath: filePath) { plan, monitor, worker in
      worker.runTask {
        await LockStepLoop<Spec>.run(
          specification, plan, monitor, makeSubject: makeSubject, tearDown: tearDown)
      }
    }
  }

  /// Creates an exploration of a subject that never suspends. It is 10 to 100 times faster.
  ///
  /// - Parameters:
  ///   - specification: The model and the generator.
  ///   - settings: The limits and seeds.
  ///   - filePath: The path of the calling file. Integer literals of the files in its package that
  ///     concern the specification or the subject are drawn more often.
  ///   - tearDown: Called with each subject when its run has ended.
  ///   - makeSubject: Creates a subject in the initial state, for each run.
  @inlinable
  public init(
    _ specification: Spec, settings: ExplorationSettings = .init(), filePath: String = #filePath,
    tearDown: @escaping @Sendable (Spec.Subject) throws -> Void = { _ in },
    makeSubject: @escaping @Sendable () throws -> Spec.Subject
  ) where Spec: SynchronousSpecification {
    self.init(specification, settings, isAsync: false, filePath: filePath) {
      plan, monitor, worker in
      worker.run {
        LockStepLoop<Spec>.run(
          specification, plan, monitor, makeSubject: makeSubject, tearDown: tearDown)
      }
    }
  }

  /// Explores until a failure is found or a limit is reached.
  ///
  /// If the calling task is cancelled, the exploration ends with the report so far.
  ///
  /// A model or a generator that does not return within ``ExplorationSettings/runLimit`` is a health issue.
  public func explore() async -> LockStepReport<Spec> {
    let engine = LockStepEngine(self)
    let watch = CodeWatch()
    return await withTaskCancellationHandler {
      await onWatchedThread(
        watch, limit: settings.runLimit, memory: settings.memoryLimit, inTask: false
      ) {
        engine.explore()
      } onStop: {
        engine.report(on: $0, watch)
      }
    } onCancel: {
      engine.cancel()
    }
  }

  /// Runs given commands once.
  ///
  /// - Returns: The failure, or `nil` if every response is the model's.
  package func run(_ commands: [Spec.Command]) async -> LockStepFailure<Spec>? {
    await onWatchdog { $0.run(commands) }
  }

  /// Runs lists of commands, each once on a separate subject, until the calling task is cancelled.
  ///
  /// - Parameters:
  ///   - lists: The lists.
  ///   - end: Called after each list with the way in which it failed and the number of commands that
  ///     were needed for that, and makes the result.
  package func run<Value: Sendable>(
    each lists: [[Spec.Command]],
    _ end: @escaping @Sendable (LockStepFailureKind<Spec.Response>?, _ count: Int) -> Value
  ) async -> [Value] {
    await onWatchdog { $0.run(each: lists, end) }
  }

  /// Runs subjects for the process at the other end of a connection, until it closes it.
  ///
  /// - Parameters:
  ///   - descriptor: The connection's socket.
  ///   - commands: The commands to run if the other process has the same ones.
  package func serve(_ descriptor: Int32, given commands: [Spec.Command] = []) async {
    var copy = self
    copy.examples = nil
    copy.processes = nil
    await copy.onWatchdog { $0.serve(LineConnection(descriptor), given: commands) }
  }

  private func onWatchdog<Value: Sendable>(
    _ body: @escaping @Sendable (LockStepEngine<Spec>) -> Value
  ) async -> Value {
    let engine = LockStepEngine(self)
    return await onWatchdogThread {
      body(engine)
    } onCancel: {
      engine.cancel()
    }
  }
}

extension LockStep where Spec.Command: Codable {
  /// A copy that saves nothing, and can send commands to another process.
  package func sendingCommands() -> Self {
    var copy = self
    copy.coding = CommandCoding()
    return copy
  }

  /// A copy that saves failures with their choices and their commands.
  ///
  /// If the generator changes, the choices no longer draw these commands, and the commands are
  /// replayed.
  ///
  /// - Parameter examples: The store in which failures are saved and replayed.
  public func storing(in examples: ExampleStore) -> Self {
    var copy = self
    copy.examples = examples
    copy.coding = CommandCoding()
    return copy
  }
}

/// The Swift expressions that printed tests use.
public struct LockStepSource: Sendable {
  /// An expression that creates the specification.
  public var specification: String
  /// An expression that creates a subject, with the `try` and `await` that it needs.
  public var subject: String
  /// The arguments of `explore`, without the commands. If set, the printed test consists of that
  /// call.
  package var arguments: String?
  /// Whether commands are awaited.
  let isAsync: Bool
}

/// The progress of an exploration.
public struct ExplorationProgress: Sendable {
  /// The number of runs begun.
  public let runs: Int
  /// The number of commands performed.
  public let commands: Int
  /// The commands per second since the start.
  public let rate: Double
}
