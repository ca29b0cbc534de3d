import Dispatch
import ExplorationEngine
import Foundation
import SeededRandom
import SystemLocks
import SystemPlatform

import struct Synchronization.Atomic

/// The commands of several clients, run on one subject after another, with recorded histories.
///
/// In the first *round*, every client has its own thread. If its calls are short, rounds on new
/// subjects follow for a slice of time. They have no more threads than there are processors, which
/// meet before each round without sleeping: only calls that run at the same time can meet in a gap
/// of a few nanoseconds.
final class ConcurrentRun<Spec: Specification>: Sendable where Spec.Subject: Sendable {
  typealias Operation = History<Spec.Command, Spec.Response>.Operation
  typealias CheckedHistory = History<Spec.Command, Spec.Response>

  /// The operations of one client. Each client has its own lock, so that recording does not order
  /// them.
  private final class Log: Sendable {
    let operations = Mutex<[Operation]>([])
  }

  /// What the rounds so far gave.
  struct Outcome: Sendable {
    /// The last history, or the first for which a short search found no order.
    var history = CheckedHistory(checked: [])
    /// Whether a short search found an order for every history.
    var isExplained = true
    /// The first error while a subject was created or torn down.
    var problem: String?
    var calls = 0
    var pending = 0
  }

  private let spec: Spec
  /// A checker that may be used while clients wait.
  private let quickChecker: LinearizabilityChecker<Spec>
  private let plans: [[Spec.Command]]
  private let seed: UInt64
  private let makeSubject: @Sendable () async throws -> Spec.Subject
  private let tearDown: @Sendable (Spec.Subject) async throws -> Void

  /// The clock of the histories: a counter, because the processors' clocks may differ.
  private let clock = Atomic<Int>(0)
  private let logs: [Log]
  private let outcome = Mutex(Outcome())
  /// The subject of the first round, until it begins.
  private let first = Mutex<Spec.Subject?>(nil)
  private let ended = DispatchSemaphore(value: 0)
  private let isStopped = Atomic<Bool>(false)
  /// The least mean duration of a client's calls in a round, in nanoseconds.
  private let callDuration = Atomic<Int>(.max)

  init(
    _ spec: Spec, plans: [[Spec.Command]], seed: UInt64,
    makeSubject: @escaping @Sendable () async throws -> Spec.Subject,
    tearDown: @escaping @Sendable (Spec.Subject) async throws -> Void
  ) {
    self.spec = spec
    quickChecker = LinearizabilityChecker(
      spec, limits: .init(steps: 10_000, memory: 1 << 24, time: .milliseconds(20)))
    self.plans = plans
    self.seed = seed
    self.makeSubject = makeSubject
    self.tearDown = tearDown
    logs = plans.map { _ in Log() }
  }

  /// Runs the rounds.
  ///
  /// - Parameters:
  ///   - workers: A thread for each client. One that blocks is replaced.
  ///   - slice: The time for which rounds with short calls are repeated, not counting those in
  ///     which a client waited for a processor.
  ///   - limit: The timeout of a round.
  ///   - setUpLimit: The timeout of the first subject's creation, which is no part of a round.
  /// - Returns: What the rounds gave; `nil` after the timeout of a round, when the clients were
  ///   cancelled and abandoned.
  func execute(
    on workers: [RunWorker], slice: Duration, limit: Duration, setUpLimit: Duration
  ) -> Outcome? {
    let start = ContinuousClock.now
    guard createFirst(on: workers[0], within: setUpLimit) else { return outcome.withLock { $0 } }
    let creation = ContinuousClock.now - start
    guard runRounds(on: workers, clients: plans.count, for: .zero, limit: limit) else {
      return nil
    }
    let width = min(plans.count, max(2, ProcessInfo.processInfo.activeProcessorCount))
    let duration = Double(callDuration.load(ordering: .relaxed)) / 1e9
    let isShort = duration * Double(plans.joined().count) * 4 < slice.seconds
    if width > 1, isShort, creation < slice * Self.mostSlices, mayContinue {
      let limit = limit + slice * Self.mostSlices
      guard runRounds(on: workers, clients: width, for: slice, limit: limit) else {
        return nil
      }
    }
    return outcome.withLock { $0 }
  }

  /// The operations of the current round; those that have not returned are pending.
  var operations: [Operation] { logs.flatMap { $0.operations.withLock { $0 } } }

  private var mayContinue: Bool {
    outcome.withLock { $0.isExplained && $0.problem == nil }
      && !isStopped.load(ordering: .relaxed)
  }

  /// Creates the subject of the first round. Returns whether it was created.
  private func createFirst(on worker: RunWorker, within limit: Duration) -> Bool {
    let problem = worker.perform(within: limit) { [self] in
      let subject = try await makeSubject()
      // After the time-out, nobody else tears it down.
      if Task.isCancelled { try await tearDown(subject) }
      first.withLock { $0 = subject }
    }
    if let problem { note("creating the subject \(problem)") }
    return problem == nil
  }

  /// Runs one round, and more of them until the slice is over.
  private func runRounds(
    on workers: [RunWorker], clients: Int, for slice: Duration, limit: Duration
  ) -> Bool {
    let rounds = Rounds(clients: clients)
    workers[0].runTask { [self] in
      await lead(rounds, for: slice, on: workers)
      ended.signal()
    }
    if ended.wait(timeout: .now() + limit.seconds) == .success { return true }
    isStopped.store(true, ordering: .relaxed)
    for worker in workers { worker.abandon() }
    return false
  }

  // MARK: - Clients

  /// The meetings of some clients.
  private final class Rounds: Sendable {
    let clients: Int
    let subject = Mutex<Spec.Subject?>(nil)
    /// The number of the round that may begin, from 1; `Int.max` after the last one.
    let current = Atomic<Int>(0)
    /// How often clients have begun and ended a round.
    let beginnings = Atomic<Int>(0)
    let endings = Atomic<Int>(0)

    /// Whether the clients cannot all run at the same time.
    let isCrowded: Bool

    init(clients: Int) {
      self.clients = clients
      isCrowded = clients > ProcessInfo.processInfo.activeProcessorCount
    }
  }

  /// On a busy machine, a slice may last this many times as long, until the clients have run at the
  /// same time for the whole of it.
  private static var mostSlices: Int { 10 }

  /// The longest that a round takes in which no client waited for a processor.
  private var longestTogether: Duration {
    let calls = callDuration.load(ordering: .relaxed).multipliedReportingOverflow(
      by: 4 * (plans.map(\.count).max() ?? 0))
    return .microseconds(200) + .nanoseconds(calls.overflow ? 0 : calls.partialValue)
  }

  /// The first client, which also creates the subjects and checks the histories.
  private func lead(_ rounds: Rounds, for slice: Duration, on workers: [RunWorker]) async {
    let end = ContinuousClock.now.advanced(by: slice * Self.mostSlices)
    var timeTogether = Duration.zero
    var number = 0
    repeat {
      number += 1
      let begin = ContinuousClock.now
      let subject: Spec.Subject
      do {
        let given = first.withLock { $0.take() }
        subject = if let given { given } else { try await makeSubject() }
      } catch {
        note("creating the subject threw \(type(of: error)): \(error)")
        break
      }
      for log in logs { log.operations.withLock { $0.removeAll(keepingCapacity: true) } }
      rounds.subject.withLock { $0 = subject }
      rounds.current.store(number, ordering: .releasing)
      if number == 1 {
        for client in 1..<max(rounds.clients, 1) {
          workers[client].runTask { [self] in await follow(client, in: rounds) }
        }
      }
      await run(0, subject, in: rounds, number)
      await wait(in: rounds) {
        rounds.endings.load(ordering: .acquiring) >= number * rounds.clients
      }
      if isStopped.load(ordering: .relaxed) { break }
      check()
      rounds.subject.withLock { $0 = nil }
      do {
        try await tearDown(subject)
      } catch {
        note("tearing down the subject threw \(type(of: error)): \(error)")
      }
      let duration = ContinuousClock.now - begin
      if duration < longestTogether { timeTogether += duration }
    } while timeTogether < slice && ContinuousClock.now < end && mayContinue
    rounds.current.store(.max, ordering: .releasing)
  }

  private func follow(_ client: Int, in rounds: Rounds) async {
    for number in 1... {
      await wait(in: rounds) { rounds.current.load(ordering: .acquiring) >= number }
      guard rounds.current.load(ordering: .acquiring) != .max,
        !isStopped.load(ordering: .relaxed), let subject = rounds.subject.withLock({ $0 })
      else { return }
      await run(client, subject, in: rounds, number)
    }
  }

  /// Runs one client's commands in a round.
  private func run(
    _ client: Int, _ subject: Spec.Subject, in rounds: Rounds, _ number: Int
  ) async {
    var random = SplitMix64(seed: seed &+ UInt64(number) << 16 &+ UInt64(client))
    let pauses = Pauses(round: number, callDuration: callDuration.load(ordering: .relaxed))
    let log = logs[client]
    // Where there are fewer threads than clients, each thread runs the clients' commands in turn.
    let plan = plans[(client + number - 1) % plans.count]
    rounds.beginnings.add(1, ordering: .acquiringAndReleasing)
    await wait(in: rounds) {
      rounds.beginnings.load(ordering: .acquiring) >= number * rounds.clients
    }
    spin(for: pauses.beforeFirst(&random))
    let start = monotonicNanoseconds()
    for command in plan {
      if isStopped.load(ordering: .relaxed) { break }
      spin(for: pauses.beforeNext(&random))
      let begin = clock.add(1, ordering: .sequentiallyConsistent).newValue
      log.operations.withLock { $0.append(.init(client: client, command, from: begin)) }
      do {
        let response = try await spec.perform(command, on: subject)
        let end = clock.add(1, ordering: .sequentiallyConsistent).newValue
        log.operations.withLock { operations in
          operations[operations.count - 1].outcome = .returned(response, at: end)
        }
      } catch {
        // The call may have taken effect or not, so the operation stays pending.
      }
    }
    let duration = Int(monotonicNanoseconds() - start) / max(plan.count, 1)
    callDuration.min(duration, ordering: .relaxed)
    rounds.endings.add(1, ordering: .acquiringAndReleasing)
  }

  /// Waits for other clients. The thread stays awake, so that the clients begin together.
  ///
  /// It runs other jobs now and then, because an actor may have queued one for this thread. It
  /// spins 100,000 times before it yields its processor: if each of two clients yields while the
  /// other sleeps, they seldom run at the same time. If there are more clients than processors, it
  /// yields at once.
  private func wait(in rounds: Rounds, until isOver: () -> Bool) async {
    var patience = rounds.isCrowded ? 0 : 100
    while true {
      for _ in 0..<1_000 {
        if isOver() { return }
      }
      if isStopped.load(ordering: .relaxed) { return }
      if patience == 0 { sched_yield() } else { patience -= 1 }
      await Task.yield()
    }
  }

  // MARK: - Results

  private func check() {
    let history = CheckedHistory(checked: operations)
    var isExplained = quickChecker.isExplainedByReturns(history)
    if !isExplained, case .linearizable = quickChecker.check(history) { isExplained = true }
    outcome.withLock { outcome in
      outcome.history = history
      outcome.isExplained = isExplained
      outcome.calls += history.operations.count
      outcome.pending += history.operations.count { $0.end == nil }
    }
  }

  private func note(_ problem: String) {
    outcome.withLock { if $0.problem == nil { $0.problem = problem } }
  }
}

/// Keeps the thread busy for some nanoseconds.
private func spin(for nanoseconds: Int) {
  guard nanoseconds > 0 else { return }
  let end = monotonicNanoseconds() + Int64(nanoseconds)
  while monotonicNanoseconds() < end {}
}

/// How long the clients of a round wait between their calls, so that these overlap in many ways.
private struct Pauses {
  /// The most nanoseconds before the first call, and before each.
  private let most: (first: Int, next: Int)

  init(round: Int, callDuration: Int) {
    // In the first round, the duration is unknown.
    let callDuration = callDuration > 1_000_000 ? 250 : callDuration
    most =
      switch round % 4 {
      case 0: (0, 0)
      case 1: (0, callDuration)
      case 2: (callDuration * 2, 0)
      default: (callDuration, callDuration / 4)
      }
  }

  func beforeFirst(_ random: inout SplitMix64) -> Int { Self.draw(most.first, &random) }
  func beforeNext(_ random: inout SplitMix64) -> Int { Self.draw(most.next, &random) }

  private static func draw(_ most: Int, _ random: inout SplitMix64) -> Int {
    Int(random.next().scaled(upTo: UInt64(most)))
  }
}

extension LinearizabilityChecker {
  /// Whether the order in which the operations returned explains every response.
  ///
  /// That order agrees with the stamps, so such a history is linearizable. Most are, and this takes
  /// one call of the model for each operation.
  func isExplainedByReturns(_ history: History<Model.Command, Model.Response>) -> Bool {
    var returned: [(end: Int, index: Int)] = []
    for (index, operation) in history.operations.enumerated() {
      if let end = operation.end { returned.append((end, index)) }
    }
    returned.sort { $0 < $1 }
    var state = model.initialState
    for (_, index) in returned {
      guard case .returned(let response, _) = history.operations[index].outcome else { continue }
      if model.apply(history.operations[index].command, to: &state) != response { return false }
    }
    return true
  }
}
