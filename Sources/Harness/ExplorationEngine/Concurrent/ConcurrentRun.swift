import Dispatch
import Foundation
import SeededRandom
import SystemLocks

import struct Synchronization.Atomic

/// A run of several clients on one subject, which records its history.
final class ConcurrentRun<Spec: Specification>: Sendable where Spec.Subject: Sendable {
  typealias Operation = History<Spec.Command, Spec.Response>.Operation

  /// The operations of one client. Each client has its own lock, so that recording does not order
  /// them.
  private final class Log: Sendable {
    let operations = Mutex<[Operation]>([])
  }

  private let spec: Spec
  private let plans: [[Spec.Command]]
  private let seed: UInt64
  /// The clock of the history: a counter, so that no two stamps are equal.
  private let clock = Atomic<Int>(0)
  private let waiting: Atomic<Int>
  private let isStopped = Atomic<Bool>(false)
  private let logs: [Log]
  private let running: Atomic<Int>
  private let firstProblem = Mutex<String?>(nil)
  private let ended = DispatchSemaphore(value: 0)

  init(_ spec: Spec, plans: [[Spec.Command]], seed: UInt64) {
    self.spec = spec
    self.plans = plans
    self.seed = seed
    waiting = Atomic(plans.count)
    running = Atomic(plans.count)
    logs = plans.map { _ in Log() }
  }

  /// The recorded operations; those that have not returned are pending.
  var operations: [Operation] { logs.flatMap { $0.operations.withLock { $0 } } }

  /// The number of calls made.
  var calls: Int { operations.count }

  /// The first error while the subject was created or torn down.
  var problem: String? { firstProblem.withLock { $0 } }

  /// Creates the subject, runs the clients, and tears the subject down.
  ///
  /// - Returns: `false` after the timeout, when the clients were cancelled and abandoned.
  func execute(
    on workers: inout [RunWorker], limit: Duration,
    makeSubject: @escaping @Sendable () async throws -> Spec.Subject,
    tearDown: @escaping @Sendable (Spec.Subject) async throws -> Void
  ) -> Bool {
    let made = Mutex<Spec.Subject?>(nil)
    let end = DispatchTime.now() + limit.seconds
    workers[0].runTask { [self] in
      do {
        let subject = try await makeSubject()
        made.withLock { $0 = subject }
      } catch {
        note("creating the subject threw \(type(of: error)): \(error)")
      }
      ended.signal()
    }
    guard ended.wait(timeout: end) == .success else {
      workers[0].abandon()
      return false
    }
    guard let subject = made.withLock({ $0 }) else { return true }

    for client in plans.indices {
      workers[client].runTask { [self] in
        await run(client, subject)
        if running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { ended.signal() }
      }
    }
    guard ended.wait(timeout: end) == .success else {
      isStopped.store(true, ordering: .relaxed)
      for worker in workers { worker.abandon() }
      return false
    }
    workers[0].runTask { [self] in
      do {
        try await tearDown(subject)
      } catch {
        note("tearing down the subject threw \(type(of: error)): \(error)")
      }
      ended.signal()
    }
    guard ended.wait(timeout: end) == .success else {
      workers[0].abandon()
      return false
    }
    return true
  }

  private func run(_ client: Int, _ subject: Spec.Subject) async {
    // The clients start together and pause at random, so that their calls overlap in many ways.
    var random = SplitMix64(seed: seed &+ UInt64(client) &* 0x1_0000_0001)
    waiting.subtract(1, ordering: .acquiringAndReleasing)
    while waiting.load(ordering: .acquiring) > 0, !isStopped.load(ordering: .relaxed) {
      sched_yield()
    }
    for command in plans[client] {
      let bits = random.next()
      if bits & 7 == 0 { sched_yield() }
      for _ in 0..<bits >> 8 & 0xff { _ = clock.load(ordering: .relaxed) }
      let begin = clock.add(1, ordering: .sequentiallyConsistent).newValue
      if isStopped.load(ordering: .relaxed) { return }
      logs[client].operations.withLock {
        $0.append(.init(client: client, command, from: begin))
      }
      do {
        let response = try await spec.perform(command, on: subject)
        let end = clock.add(1, ordering: .sequentiallyConsistent).newValue
        logs[client].operations.withLock { operations in
          operations[operations.count - 1].outcome = .returned(response, at: end)
        }
      } catch {
        // The call may have taken effect or not, so the operation stays pending.
      }
    }
  }

  private func note(_ problem: String) {
    firstProblem.withLock { if $0 == nil { $0 = problem } }
  }
}
