public import ExplorationEngine
import Synchronization

/// The runs that a loop performs.
@usableFromInline
enum LockStepPlan<Command: Sendable>: Sendable {
  /// Runs drawn from seeds.
  case seeds(SeededRuns)
  /// One run of these commands, which the crash record numbers as given.
  case commands([Command], run: Int = 0)
}

/// The inner loops of lock-step exploration.
///
/// They are inlinable, so that they are specialised for the specification in the specification's
/// module. There are two, because Swift cannot abstract over `async`, and a loop without suspension
/// points is 10 to 100 times faster.
@usableFromInline
enum LockStepLoop<Spec: Specification> {
  @usableFromInline typealias Monitor = RunMonitor<Spec.Response>
  @usableFromInline typealias Kind = LockStepFailureKind<Spec.Response>

  /// Runs an asynchronous subject.
  @inlinable
  static func run(
    _ spec: Spec, _ plan: LockStepPlan<Spec.Command>, _ monitor: Monitor,
    makeSubject: () async throws -> Spec.Subject, tearDown: (Spec.Subject) async throws -> Void
  ) async {
    var choices = plan.choices
    let end = plan.end
    let first = plan.first
    var run = first
    var calls = 0
    while run < end, !monitor.isStopped.load(ordering: .relaxed) {
      monitor.step.store(-1, ordering: .relaxed)
      monitor.begun.store(run - first + 1, ordering: .relaxed)
      monitor.position.set(run: run, commands: 0)
      let length = plan.start(run, &choices)
      var state = spec.initialState
      var step = 0
      var failure: Kind?
      let subject: Spec.Subject
      do {
        subject = try await makeSubject()
      } catch {
        return monitor.end(.failed(.init(run: run, step: 0, kind: .setUpThrew(error))))
      }
      monitor.step.store(0, ordering: .relaxed)
      while step < length {
        monitor.position.set(drawing: step)
        let command = plan.command(step, spec, state, &choices)
        monitor.position.set(applying: step)
        let expected = spec.apply(command, to: &state)
        choices.see(expected)
        monitor.step.store(step, ordering: .relaxed)
        monitor.position.set(commands: step + 1)
        calls += 1
        monitor.calls.store(calls, ordering: .relaxed)
        do {
          let actual = try await spec.perform(command, on: subject)
          if actual != expected { failure = .mismatch(expected: expected, actual: actual) }
        } catch {
          failure = .threw(error, expected: expected)
        }
        if failure != nil || monitor.isStopped.load(ordering: .relaxed) { break }
        step += 1
      }
      do {
        try await tearDown(subject)
      } catch {
        if failure == nil { failure = .tearDownThrew(error) }
      }
      if let failure {
        return monitor.end(.failed(.init(run: run, step: step, kind: failure)))
      }
      run += 1
    }
    monitor.end(.done)
  }
}

extension LockStepLoop where Spec: SynchronousSpecification {
  /// Runs a synchronous subject.
  @inlinable
  static func run(
    _ spec: Spec, _ plan: LockStepPlan<Spec.Command>, _ monitor: Monitor,
    makeSubject: () throws -> Spec.Subject, tearDown: (Spec.Subject) throws -> Void
  ) {
    var choices = plan.choices
    let end = plan.end
    let first = plan.first
    var run = first
    var calls = 0
    while run < end, !monitor.isStopped.load(ordering: .relaxed) {
      monitor.step.store(-1, ordering: .relaxed)
      monitor.begun.store(run - first + 1, ordering: .relaxed)
      monitor.position.set(run: run, commands: 0)
      let length = plan.start(run, &choices)
      var state = spec.initialState
      var step = 0
      var failure: Kind?
      let subject: Spec.Subject
      do {
        subject = try makeSubject()
      } catch {
        return monitor.end(.failed(.init(run: run, step: 0, kind: .setUpThrew(error))))
      }
      monitor.step.store(0, ordering: .relaxed)
      while step < length {
        monitor.position.set(drawing: step)
        let command = plan.command(step, spec, state, &choices)
        monitor.position.set(applying: step)
        let expected = spec.apply(command, to: &state)
        choices.see(expected)
        monitor.step.store(step, ordering: .relaxed)
        monitor.position.set(commands: step + 1)
        do {
          let actual = try spec.perform(command, on: subject)
          if actual != expected { failure = .mismatch(expected: expected, actual: actual) }
        } catch {
          failure = .threw(error, expected: expected)
        }
        if failure != nil { break }
        step += 1
      }
      calls += min(step + 1, length)
      monitor.calls.store(calls, ordering: .relaxed)
      do {
        try tearDown(subject)
      } catch {
        if failure == nil { failure = .tearDownThrew(error) }
      }
      if let failure {
        return monitor.end(.failed(.init(run: run, step: step, kind: failure)))
      }
      run += 1
    }
    monitor.end(.done)
  }
}

extension LockStepPlan {
  /// The number of the first run.
  @usableFromInline
  var first: Int {
    switch self {
    case .seeds(let runs): runs.first
    case .commands(_, let run): run
    }
  }

  /// The number of the last run and 1.
  @usableFromInline
  var end: Int {
    switch self {
    case .seeds(let runs): runs.end
    case .commands(_, let run): run + 1
    }
  }

  /// The choices of no run yet.
  @usableFromInline
  var choices: Choices {
    switch self {
    case .seeds(let runs): runs.choices()
    case .commands: Choices(seed: 0, strategy: .uniform, isRecording: false)
    }
  }

  /// Prepares a run.
  ///
  /// - Returns: The number of its commands.
  @inlinable
  func start(_ run: Int, _ choices: inout Choices) -> Int {
    switch self {
    case .seeds(let runs):
      runs.start(run, &choices)
      return runs.steps(ofRun: run)
    case .commands(let commands, _):
      return commands.count
    }
  }

  @inlinable
  func command<Spec: Specification>(
    _ step: Int, _ spec: Spec, _ state: Spec.State, _ choices: inout Choices
  ) -> Command where Spec.Command == Command {
    if case .commands(let commands, _) = self { return commands[step] }
    return choices.command(of: spec, in: state)
  }
}
