import ExplorationEngine
import ExploredSynchronization
import Foundation
import InterleavingExploration
import Synchronization

/// The processor time of this process in seconds. Unlike real time, it excludes other processes.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

struct Overdrawn: Error {}

actor Account {
  private let isFixed: Bool
  private(set) var balance = 100
  init(isFixed: Bool = false) { self.isFixed = isFixed }

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    if isFixed {
      balance -= amount
      await Task.yield()
    } else {
      await Task.yield()
      balance -= amount
    }
  }
}

func race(
  isFixed: Bool, isChecked: Bool = true
) -> @Sendable (inout ConcurrentProgram) throws -> Void {
  { program in
    let account = Account(isFixed: isFixed)
    program.task("A") { await account.withdraw(80) }
    program.task("B") { await account.withdraw(80) }
    guard isChecked else { return }
    program.check { if await account.balance < 0 { throw Overdrawn() } }
  }
}

/// A log of four tasks with five steps each, with a yield after each step. Some orders count as a
/// bug.
final class StepLog: Sendable {
  private let steps = Mutex<[UInt8]>([])

  func run(_ task: UInt8) async {
    for step in 1...5 as ClosedRange<UInt8> {
      steps.withLock { $0.append(task * 16 + step) }
      await Task.yield()
    }
  }

  private func holds(_ pairs: [(UInt8, UInt8)]) -> Bool {
    steps.withLock { steps in
      pairs.allSatisfy { first, second in
        guard let one = steps.firstIndex(of: first), let two = steps.firstIndex(of: second)
        else { return false }
        return one < two
      }
    }
  }

  /// A2 before B2, B3 before A3, A4 before B4.
  var isWoven: Bool { holds([(0x02, 0x12), (0x13, 0x03), (0x04, 0x14)]) }
  /// A1 before B1, B5 before A2, A5 before D1.
  var isStarved: Bool { holds([(0x01, 0x11), (0x15, 0x02), (0x05, 0x31)]) }
}

struct Found: Error {}

func fourByFive(
  isBug: @escaping @Sendable (StepLog) -> Bool
) -> @Sendable (inout ConcurrentProgram) throws -> Void {
  { program in
    let log = StepLog()
    for task in 0..<4 as Range<UInt8> { program.task { await log.run(task) } }
    program.check { () throws -> Void in if isBug(log) { throw Found() } }
  }
}

actor Counter {
  private(set) var value = 0
  func step() async {
    for _ in 0..<5 {
      value += 1
      await Task.yield()
    }
  }
}

let fourActors: @Sendable (inout ConcurrentProgram) throws -> Void = { program in
  for _ in 0..<4 {
    let counter = Counter()
    program.task { await counter.step() }
  }
}

func measure(
  _ name: String, _ settings: ExplorationSettings,
  _ program: @escaping @Sendable (inout ConcurrentProgram) throws -> Void
) async -> InterleavingReport {
  let start = processorTime()
  let report = await exploreInterleavings(settings, of: program)
  let seconds = processorTime() - start
  let total = report.schedules + (report.failure.map { $0.minimizationRuns + $0.replays } ?? 0)
  print(
    "\(name): \(report.schedules) schedules, exhausted: \(report.isExhaustive), "
      + "failure: \(report.failure != nil), \((seconds * 1e6).rounded() / 1e3) ms, "
      + "\(Int(Double(total) / seconds)) runs per processor second")
  return report
}

/// Prints the schedules per second of processor time, the best and the median of seven rounds.
///
/// Other processes evict caches, which costs processor time as well, so the best round is the least
/// disturbed.
func rate(_ name: String, _ schedules: () async -> Int) async {
  var rates: [Int] = []
  for _ in 0..<7 {
    let start = processorTime()
    let count = await schedules()
    rates.append(Int(Double(count) / (processorTime() - start)))
  }
  rates.sort()
  print("\(name): \(rates[6]) schedules per processor second, median \(rates[3]) of 7")
}

func measureRates() async {
  var long = ExplorationSettings.interleavings()
  long.runs = 50_000
  await rate("4×5 without a bug, 50,000 schedules") {
    await exploreInterleavings(long, of: fourByFive { _ in false }).schedules
  }
  await rate("race, 1,000 explorations") {
    var schedules = 0
    for _ in 0..<1000 {
      schedules += await exploreInterleavings(of: race(isFixed: false, isChecked: false)).schedules
    }
    return schedules
  }
}

/// Two locks, or an atomic, that lose an update.
final class Counters: Sendable {
  let lock = ExploredMutex(0)
  let atomic = ExploredAtomic(0)
}

/// Programs whose bugs are at locks and timers, explored to the end.
func measurePoints() async {
  var settings = ExplorationSettings.interleavings()
  settings.runs = 100_000
  for tasks in 2...4 {
    _ = await measure("\(tasks) tasks, a read and a write under a lock", settings) { program in
      let counters = Counters()
      for _ in 0..<tasks {
        program.task {
          let value = counters.lock.withLock { $0 }
          counters.lock.withLock { $0 = value + 1 }
        }
      }
    }
    _ = await measure("\(tasks) tasks, a load and a store of an atomic", settings) { program in
      let counters = Counters()
      for _ in 0..<tasks {
        program.task {
          let value = counters.atomic.load(ordering: .sequentiallyConsistent)
          counters.atomic.store(value + 1, ordering: .sequentiallyConsistent)
        }
      }
    }
  }
  // A job that waits in the kernel needs a thread of its own, so the run goes over to threads.
  settings.runs = 5000
  _ = await measure("3 tasks, a semaphore, on threads", settings) { program in
    let (counters, semaphore) = (Counters(), DispatchSemaphore(value: 1))
    for _ in 0..<3 {
      program.task {
        semaphore.wait()
        let value = counters.atomic.load(ordering: .sequentiallyConsistent)
        counters.atomic.store(value + 1, ordering: .sequentiallyConsistent)
        semaphore.signal()
      }
    }
  }
  settings.runs = 100_000
  settings.timers = .racing
  let timeOut = await measure("a racing time-out against ten calls of an actor", settings) {
    program in
    let account = Account(isFixed: true)
    program.task {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { try? await Task.sleep(for: .milliseconds(1)) }
        group.addTask { for _ in 0..<10 where !Task.isCancelled { _ = await account.balance } }
        await group.next()
        group.cancelAll()
      }
    }
  }
  // The time-out can win at any call.
  precondition(timeOut.schedules > 10, "the time-out does not race")
}

if CommandLine.arguments.dropFirst() == ["points"] {
  await measurePoints()
  exit(0)
}

if CommandLine.arguments.dropFirst() == ["rates"] {
  await measureRates()
  exit(0)
}

_ = try await withDeterministicTasks { 0 }
let sleepStart = ContinuousClock.now
try await withDeterministicTasks { try await Task.sleep(for: .seconds(3600)) }
print("a sleep of an hour: \(ContinuousClock.now - sleepStart)")

let settings = ExplorationSettings.interleavings()
_ = await measure("race", settings, race(isFixed: false))
_ = await measure("race fixed", settings, race(isFixed: true))
_ = await measure("race, unchecked", settings, race(isFixed: false, isChecked: false))
_ = await measure("four actors", settings, fourActors)
let isWoven: @Sendable (StepLog) -> Bool = { $0.isWoven }
let isStarved: @Sendable (StepLog) -> Bool = { $0.isStarved }
for (name, isBug) in [("weave", isWoven), ("starve", isStarved)] {
  var iterations: [Int] = []
  var preemptions: [Int] = []
  var last: InterleavingReport?
  for seed in 0..<100 as Range<UInt64> {
    let report = await exploreInterleavings(
      .interleavings(seed: seed), of: fourByFive(isBug: isBug))
    guard let failure = report.failure else { continue }
    iterations.append(failure.foundAfter)
    preemptions.append(failure.preemptions)
    last = report
  }
  iterations.sort()
  print(
    "\(name): found on \(iterations.count) of 100 seeds, median "
      + "\(iterations.isEmpty ? 0 : iterations[iterations.count / 2]), most \(iterations.last ?? 0), "
      + "preemptions \(preemptions.min() ?? 0)...\(preemptions.max() ?? 0)")
  print(last?.description ?? "")
}
await measureRates()
await measurePoints()
