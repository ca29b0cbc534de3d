internal import ExplorationEngine
import Foundation

// Performs plans, in this process or in another, and watches that they end.

extension LockStepEngine {
  /// Performs a plan, and abandons the subject if a run times out.
  ///
  /// - Parameters:
  ///   - plan: The runs.
  ///   - monitor: Receives the progress.
  ///   - limit: The timeout of a run.
  ///   - deadline: The time after which no run begins.
  ///   - isElsewhere: Whether another process runs the subject, if there is a way to start one.
  ///   - isGiven: Whether the other process has the commands already.
  ///   - onProgress: Called about once a second with the numbers of runs and commands.
  func watch(
    _ plan: LockStepPlan<Spec.Command>, _ monitor: Monitor, limit: Duration,
    until deadline: ContinuousClock.Instant? = nil, isElsewhere: Bool, isGiven: Bool = false,
    onProgress: (_ runs: Int, _ commands: Int) -> Void = { _, _ in }
  ) -> Monitor.Ending {
    var nextProgress = ContinuousClock.now.advanced(by: .seconds(1))
    let report = { (runs: Int, commands: Int) in
      let now = ContinuousClock.now
      guard now >= nextProgress else { return }
      nextProgress = now.advanced(by: .seconds(1))
      onProgress(runs, commands)
    }
    if isElsewhere, let processes {
      return watch(
        plan, monitor, limit: limit, until: deadline, in: processes, isGiven: isGiven, report)
    }
    return watch(plan, monitor, limit: limit, until: deadline, report)
  }

  // MARK: - In this process

  /// A synchronous subject that blocks cannot be interrupted, so this thread watches the number of
  /// runs.
  private func watch(
    _ plan: LockStepPlan<Spec.Command>, _ monitor: Monitor, limit: Duration,
    until deadline: ContinuousClock.Instant?, _ onProgress: (Int, Int) -> Void
  ) -> Monitor.Ending {
    lockStep.start(plan, monitor, worker)
    let pause = min(max(limit / 8, .milliseconds(2)), .milliseconds(100))
    var lastRun = 0
    var wasSettingUp = true
    var lastChange = ContinuousClock.now
    while true {
      let isStopping = monitor.isStopped.load(ordering: .relaxed)
      var wait = pause
      if let deadline, !isStopping {
        wait = min(wait, max(deadline - ContinuousClock.now, .milliseconds(1)))
      }
      if let ending = monitor.wait(wait) { return ending }
      let now = ContinuousClock.now
      let run = monitor.begun.load(ordering: .relaxed)
      let step = monitor.step.load(ordering: .relaxed)
      let isSettingUp = step < 0
      let currentLimit = isSettingUp ? lockStep.settings.setUpLimit : limit
      if run != lastRun || wasSettingUp != isSettingUp {
        lastRun = run
        wasSettingUp = isSettingUp
        lastChange = now
      } else if now - lastChange > currentLimit {
        monitor.isStopped.store(true, ordering: .relaxed)
        let kind: LockStepFailureKind<Spec.Response> =
          isSettingUp
          ? .setUpThrew(
            type: "TimeLimit", message: "making the fixture took longer than \(currentLimit)")
          : .timedOut(after: limit)
        monitor.end(.failed(.init(run: max(run, 1) - 1, step: max(step, 0), kind: kind)))
        let ending = monitor.wait(.zero) ?? .done
        worker.abandon()
        return ending
      }
      if isCancelled.load(ordering: .relaxed) || deadline.map({ now >= $0 }) == true {
        monitor.isStopped.store(true, ordering: .relaxed)
      }
      onProgress(run, monitor.calls.load(ordering: .relaxed))
    }
  }

  // MARK: - In another process

  private func watch(
    _ plan: LockStepPlan<Spec.Command>, _ monitor: Monitor, limit: Duration,
    until deadline: ContinuousClock.Instant?, in processes: SubjectProcesses, isGiven: Bool,
    _ onProgress: (Int, Int) -> Void
  ) -> Monitor.Ending {
    guard let runs = encoded(plan, until: deadline, isGiven: isGiven) else {
      return .failed(
        .init(
          run: 0, step: 0,
          kind: .setUpThrew(
            type: "EncodingError", message: "the commands cannot be sent to another process")))
    }
    let request = SubjectRequest(
      context: lockStep.context, runs: runs, record: crashRecord?.path, limit: limit.seconds)
    let ending = processes.perform(request) { runs, calls in
      monitor.begun.store(runs, ordering: .relaxed)
      monitor.calls.store(calls, ordering: .relaxed)
      onProgress(runs, calls)
      return isCancelled.load(ordering: .relaxed)
    }
    switch ending {
    case .passed(let runs, let calls):
      monitor.begun.store(runs, ordering: .relaxed)
      monitor.calls.store(calls, ordering: .relaxed)
      return .done
    case .failed(let runs, let calls, let failure):
      monitor.begun.store(runs, ordering: .relaxed)
      monitor.calls.store(calls, ordering: .relaxed)
      return .failed(decoded(failure, of: plan, limit))
    case .unavailable(let message):
      return .failed(
        .init(run: 0, step: 0, kind: .setUpThrew(type: "SubjectProcess", message: message)))
    case .ended(let reason):
      return .failed(
        stopped(monitor) {
          .endedProcess(reason)
        } inSetUp: {
          .setUpEndedProcess(reason)
        } inSpecification: {
          .specificationEndedProcess(reason)
        })
    case .silent:
      return .failed(
        stopped(monitor) {
          .timedOut(after: limit)
        } inSetUp: {
          .setUpThrew(type: "SubjectProcess", message: "the process stopped responding")
        })
    }
  }

  /// The failure of a process that ended or stopped, at the position that it recorded.
  private func stopped(
    _ monitor: Monitor, _ kind: () -> LockStepFailureKind<Spec.Response>,
    inSetUp: () -> LockStepFailureKind<Spec.Response>,
    inSpecification: (() -> LockStepFailureKind<Spec.Response>)? = nil
  ) -> RunFailure<Spec.Response> {
    let (run, commands, isInSpecification) = monitor.position.current
    monitor.begun.store(max(run, 0) + 1, ordering: .relaxed)
    monitor.calls.add(commands, ordering: .relaxed)
    if isInSpecification, let inSpecification {
      return .init(run: max(run, 0), step: commands, kind: inSpecification())
    }
    return .init(
      run: max(run, 0), step: max(commands - 1, 0), kind: commands > 0 ? kind() : inSetUp())
  }

  private func encoded(
    _ plan: LockStepPlan<Spec.Command>, until deadline: ContinuousClock.Instant?, isGiven: Bool
  ) -> SubjectRequest.Runs? {
    switch plan {
    case .seeds(let runs): .seeds(runs, seconds: deadline.map { max(($0 - .now).seconds, 0) })
    case .commands(let commands, _):
      isGiven ? .given : lockStep.coding?.encode(commands).map { .commands($0) }
    }
  }

  /// The failure that another process described. The model gives the response that was expected.
  private func decoded(
    _ failure: SubjectReply.Failure, of plan: LockStepPlan<Spec.Command>, _ limit: Duration
  ) -> RunFailure<Spec.Response> {
    let commands =
      switch plan {
      case .commands(let commands, _): Array(commands.prefix(failure.step + 1))
      case .seeds(let runs): drawn(run: failure.run, of: runs, count: failure.step + 1).commands
      }
    var state = spec.initialState
    let expected = commands.map { spec.apply($0, to: &state) }.last
    let kind: LockStepFailureKind<Spec.Response> =
      switch (failure.kind, expected) {
      case (.mismatch(let actual), let expected?): .differed(expected: expected, actual: actual)
      case (.threw(let type, let message), let expected?):
        .threw(type: type, message: message, expected: expected)
      case (.mismatch, nil), (.threw, nil):
        .setUpThrew(type: "SubjectProcess", message: "it ran a command that was not requested")
      case (.timedOut, _): .timedOut(after: limit)
      case (.setUpThrew(let type, let message), _): .setUpThrew(type: type, message: message)
      case (.tearDownThrew(let type, let message), _):
        .tearDownThrew(type: type, message: message)
      }
    return .init(run: failure.run, step: failure.step, kind: kind)
  }

  // MARK: - For another process

  /// Performs the plans that the process at the other end of a connection requests, until it closes
  /// the connection.
  func serve(_ connection: LineConnection, given commands: [Spec.Command]) {
    defer { worker.stop() }
    connection.send(SubjectArrival.ready)
    while case .message(let request) = connection.receive(SubjectRequest.self) {
      if let context = request.context { lockStep.onContext?(context) }
      let monitor = Monitor(position: request.record.flatMap { CrashPosition(atPath: $0) })
      guard let (plan, deadline) = plan(of: request, given: commands) else { return }
      let ending = watch(
        plan, monitor, limit: .seconds(request.limit), until: deadline
      ) { runs, calls in
        connection.send(SubjectReply.progress(runs: runs, calls: calls))
      }
      let (runs, calls) = (
        monitor.begun.load(ordering: .relaxed), monitor.calls.load(ordering: .relaxed)
      )
      guard case .failed(let failure) = ending else {
        connection.send(SubjectReply.passed(runs: runs, calls: calls))
        continue
      }
      connection.send(
        SubjectReply.failed(
          runs: runs, calls: max(calls, failure.step),
          .init(run: failure.run, step: failure.step, kind: .init(failure.kind))))
    }
  }

  private func plan(
    of request: SubjectRequest, given commands: [Spec.Command]
  ) -> (LockStepPlan<Spec.Command>, ContinuousClock.Instant?)? {
    switch request.runs {
    case .given: return (.commands(commands), nil)
    case .commands(let encoded):
      return lockStep.coding?.decode(encoded).map { (.commands($0), nil) }
    case .seeds(let runs, let time):
      return (.seeds(runs), time.map { .now.advanced(by: .seconds($0)) })
    }
  }
}

extension SubjectReply.Failure.Kind {
  init<Response>(_ kind: LockStepFailureKind<Response>) {
    self =
      switch kind {
      case .mismatch(_, let actual): .mismatch(actual: "\(actual)")
      case .differed(_, let actual): .mismatch(actual: actual)
      case .threw(let type, let message, _): .threw(type: type, message: message)
      case .timedOut, .endedProcess, .setUpEndedProcess, .specificationEndedProcess: .timedOut
      case .setUpThrew(let type, let message): .setUpThrew(type: type, message: message)
      case .tearDownThrew(let type, let message): .tearDownThrew(type: type, message: message)
      }
  }
}
