import Dispatch
internal import ExplorationEngine
internal import LinearizabilityChecking
import SeededRandom
import SystemLocks

/// Commands and faults on one subject, with the recorded history.
///
/// Every client has a thread of its own, and so have the faults. The calling thread starts each call
/// and each fault, and gives up those that take too long, so a run always ends.
final class FaultRun<Spec: Specification>: Sendable where Spec.Subject: Sendable {
  typealias Step = FaultStep<Spec.Command, Spec.Subject>
  typealias Operation = History<Spec.Command, Spec.Response>.Operation
  typealias Recorded = FaultHistory<Spec.Command, Spec.Response>

  /// What a run gave.
  struct Outcome: Sendable {
    var history = Recorded()
    /// Why the run is no evidence about the promise, if it is none.
    var problem: FaultProblem?
    var calls = 0
    /// The calls without an answer.
    var unanswered = 0
    /// The calls that began after a fault was over, and how many of them were answered, by fault.
    var afterFault: [String: (calls: Int, answers: Int)] = [:]
    /// What the subject's servers printed.
    var logs: [FaultLog] = []
  }

  /// The world of runs: how subjects are made, and how long everything may take.
  struct World: Sendable {
    var specification: Spec
    var callLimit: Duration
    /// How long making or tearing down a subject may take.
    var subjectLimit: Duration
    var makeSubject: @Sendable () async throws -> Spec.Subject
    var tearDown: @Sendable (Spec.Subject) async throws -> Void
    /// Returns what the subject's servers printed.
    var logs: @Sendable (Spec.Subject) -> [FaultLog] = { _ in [] }
  }

  private struct State {
    /// The recorded calls by ticket; `nil` for one that did not happen.
    var operations: [Int: Operation] = [:]
    /// Why calls have no answer, and when that was known; the text is `nil` for one that was given up.
    var errors: [Int: (text: String?, at: Int)] = [:]
    var marks: [Recorded.Mark] = []
    /// The positions of the steps that have begun, by stamp.
    var positions: [Int: Int] = [:]
    var clock = 0
    /// Calls that are over or given up. What they still do is not recorded.
    var ended: Set<Int> = []
    /// Tickets that ended since the calling thread looked.
    var news: [Int] = []
    /// Errors of faults, by ticket.
    var faultErrors: [Int: String] = [:]

    mutating func stamp() -> Int {
      clock += 1
      return clock
    }

    /// Returns the stamp at which a step begins.
    mutating func stamp(_ position: Int) -> Int {
      positions[clock + 1] = position
      return stamp()
    }
  }

  private let world: World
  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)

  init(_ world: World) { self.world = world }

  // MARK: - The calling thread

  /// Runs steps on a new subject.
  ///
  /// - Parameters:
  ///   - steps: The calls and faults. One at a time, they run exactly in this order.
  ///   - isSequential: Whether one step ends before the next begins. Otherwise each client has its
  ///     calls in order; a fault strikes when the calls before it have begun, and as many calls as
  ///     there are clients may begin before it is over.
  ///   - seed: The seed of the moments at which faults strike.
  ///   - workers: The threads of the clients, and one more for faults.
  func execute(
    _ steps: [Step], isSequential: Bool, seed: UInt64, on workers: [RunWorker]
  ) -> Outcome {
    let spare = workers[workers.count - 1]
    let made = Mutex<Spec.Subject?>(nil)
    let creation = spare.perform(within: world.subjectLimit) { [world] in
      let subject = try await world.makeSubject()
      // After the time-out, nobody else tears it down.
      if Task.isCancelled { try await world.tearDown(subject) }
      made.withLock { $0 = subject }
    }
    guard creation == nil, let subject = made.withLock({ $0 }) else {
      var outcome = Outcome()
      outcome.problem = .subject("creating the subject \(creation ?? "gave none")")
      return outcome
    }
    var schedule = FaultSchedule<Spec>(steps, isSequential: isSequential, seed: seed)
    var problem = follow(&schedule, subject, workers)
    for fault in schedule.lasting.reversed() {
      let error = strike(fault, isHealing: true, subject, spare)
      if problem == nil { problem = error }
    }
    let logs = world.logs(subject)
    let ending = spare.perform(within: world.subjectLimit) { [world] in
      try await world.tearDown(subject)
    }
    if problem == nil, let ending { problem = .subject("tearing down the subject \(ending)") }
    return outcome(problem, logs)
  }

  /// Starts what may start until nothing is left, and gives up what takes too long.
  private func follow(
    _ schedule: inout FaultSchedule<Spec>, _ subject: Spec.Subject, _ workers: [RunWorker]
  ) -> FaultProblem? {
    var ticket = 0
    var running: [Int: (item: FaultSchedule<Spec>.Item, deadline: ContinuousClock.Instant)] = [:]
    while true {
      while let item = schedule.next(at: .now) {
        ticket += 1
        let limit: Duration
        switch item.step {
        case .call(let command, let client):
          limit = world.callLimit
          start(ticket, command, client, at: item.position, subject, on: workers[client])
        case .fault(let fault), .healing(let fault):
          limit = fault.limit
          start(ticket, fault, item, subject, on: workers[workers.count - 1])
        }
        running[ticket] = (item, .now + limit)
      }
      guard !running.isEmpty || schedule.due != nil else { return nil }
      let wake = (running.values.map(\.deadline) + [schedule.due].compactMap(\.self)).min()
      if let wake { _ = arrivals.wait(timeout: .now() + max(0, (wake - .now).seconds)) }
      let (news, errors) = state.withLock { state in
        defer { state.news.removeAll() }
        return (state.news, state.faultErrors)
      }
      var late = running.filter { $0.value.deadline <= .now && !news.contains($0.key) }
      for ended in news {
        guard let (item, _) = running.removeValue(forKey: ended) else { continue }
        schedule.end(item)
        if let error = errors[ended], let name = item.faultName { return .fault(name, error) }
      }
      while let (ticket, entry) = late.popFirst() {
        running[ticket] = nil
        // It may have ended just now; then its result counts.
        state.withLock { state in
          guard state.ended.insert(ticket).inserted else { return }
          state.errors[ticket] = (nil, state.stamp())
        }
        workers[entry.item.worker ?? workers.count - 1].abandon()
        schedule.end(entry.item)
        if let name = entry.item.faultName { return .fault(name, "did not end within its limit") }
      }
    }
  }

  /// Runs a fault alone.
  private func strike(
    _ fault: Fault<Spec.Subject>, isHealing: Bool, _ subject: Spec.Subject, _ worker: RunWorker
  ) -> FaultProblem? {
    worker.perform(within: fault.limit) {
      try await isHealing ? fault.heal?(subject) : fault.strike(subject)
    }.map { .fault(fault.name, $0) }
  }

  // MARK: - The workers

  private func start(
    _ ticket: Int, _ command: Spec.Command, _ client: Int, at position: Int,
    _ subject: Spec.Subject, on worker: RunWorker
  ) {
    worker.runTask { [self] in
      let isWanted = state.withLock { state in
        guard !state.ended.contains(ticket) else { return false }
        state.operations[ticket] = .init(client: client, command, from: state.stamp(position))
        return true
      }
      guard isWanted else { return }
      let result: Result<Spec.Response, any Error>
      do {
        result = .success(try await world.specification.perform(command, on: subject))
      } catch {
        result = .failure(error)
      }
      end(ticket) { state in
        switch result {
        case .success(let response):
          let stamp = state.stamp()
          state.operations[ticket]?.outcome = .returned(response, at: stamp)
        case .failure(is CallDidNotHappen):
          state.operations[ticket] = nil
        case .failure(let error):
          state.errors[ticket] = ("threw \(type(of: error)): \(error)", state.stamp())
        }
      }
    }
  }

  private func start(
    _ ticket: Int, _ fault: Fault<Spec.Subject>, _ item: FaultSchedule<Spec>.Item,
    _ subject: Spec.Subject, on worker: RunWorker
  ) {
    worker.runTask { [self] in
      let isHealing = item.isHealing
      let mark = state.withLock { state in
        state.marks.append(
          .init(
            name: fault.name, isHealing: isHealing, lasts: !isHealing && fault.heal != nil,
            start: state.stamp(item.position)))
        return state.marks.count - 1
      }
      var problem: String?
      do {
        try await isHealing ? fault.heal?(subject) : fault.strike(subject)
      } catch {
        problem = "threw \(type(of: error)): \(error)"
      }
      end(ticket) { state in
        state.marks[mark].end = state.stamp()
        state.faultErrors[ticket] = problem
      }
    }
  }

  /// Records the end of a call or fault, unless it was given up.
  private func end(_ ticket: Int, _ record: (inout State) -> Void) {
    let isFirst = state.withLock { state in
      guard state.ended.insert(ticket).inserted else { return false }
      record(&state)
      state.news.append(ticket)
      return true
    }
    if isFirst { arrivals.signal() }
  }

  // MARK: - Results

  private func outcome(_ problem: FaultProblem?, _ logs: [FaultLog]) -> Outcome {
    let state = state.withLock { $0 }
    let calls = state.operations.sorted { $0.key < $1.key }
    var outcome = Outcome()
    outcome.problem = problem
    outcome.logs = logs
    outcome.history.positions = state.positions
    outcome.history.calls = History(checked: calls.map(\.value))
    outcome.history.faults = state.marks
    outcome.calls = calls.count
    outcome.unanswered = calls.count { $0.value.end == nil }
    let firstFault = state.marks.map(\.start).min() ?? .max
    for (ticket, call) in calls where outcome.problem == nil {
      // No fault explains an error before the first one.
      guard let error = state.errors[ticket], error.at < firstFault else { continue }
      let command = "\(call.command)"
      outcome.problem =
        error.text.map { .threw(command, $0) } ?? .noAnswer(command, after: world.callLimit)
    }
    for name in Set(state.marks.map(\.name)) {
      let end = outcome.history.endOfFaults(named: name)
      let later = calls.filter { $0.value.call > end }
      outcome.afterFault[name] = (later.count, later.count { $0.value.end != nil })
    }
    return outcome
  }
}
