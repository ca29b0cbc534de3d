import Foundation
import SystemLocks
import SystemPlatform
import SystemThreads

import struct Synchronization.Atomic

/// Whether code of the program runs in an exploration, which the exploration's thread writes and the watchdog
/// thread reads.
package final class CodeWatch: Sendable {
  /// Odd while code of the program runs.
  private let count = Atomic<Int>(0)
  private let thread = Atomic<UInt>(0)

  /// The commands that the generator has drawn in the run that it draws, and the run's seed. Only the
  /// exploration's thread changes them, and the watchdog reads them when that thread has been stopped.
  nonisolated(unsafe) package var drawn:
    (seed: UInt64?, commands: [any Sendable & CustomStringConvertible]) = (nil, [])

  /// The watch of the exploration that runs on the calling thread.
  package static let current = ThreadLocalReference<CodeWatch>()

  package init() {}

  /// Notes that code of the program begins on the calling thread.
  package func begin() {
    thread.store(currentThreadID(), ordering: .relaxed)
    count.store(count.load(ordering: .relaxed) | 1, ordering: .releasing)
  }

  /// Notes that it has returned.
  package func end() {
    count.store((count.load(ordering: .relaxed) | 1) &+ 1, ordering: .releasing)
  }

  /// Runs code of the program.
  package func callAsFunction<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result
  {
    begin()
    defer { end() }
    return try body()
  }

  fileprivate var current: Int { count.load(ordering: .acquiring) }

  fileprivate var currentThread: UInt { thread.load(ordering: .relaxed) }
}

/// Code of the program that was ended because it exceeded a limit. Its thread is left behind.
public struct StoppedCode: Sendable, Hashable, CustomStringConvertible {
  /// The limit.
  package enum Limit: Sendable, Hashable {
    case time(Duration)
    case memory(bytes: Int)
  }

  package var limit: Limit
  /// The program's functions with their lines, the innermost first.
  package var places: [String]

  /// The limit, and the lines of source code.
  public var description: String {
    let what =
      switch limit {
      case .time(let time): "did not return within \(time)"
      case .memory(let bytes): "took more than \(bytes >> 20) MB of memory"
      }
    let place = places.isEmpty ? "" : ": it is in " + places.joined(separator: ", called by ")
    return "the code \(what)\(place)"
  }
}

/// Runs an exploration on a thread of its own, and ends it if code of the program exceeds a limit.
///
/// A thread cannot be ended from outside. It is left behind: asleep, if it runs the program's own code, and
/// otherwise, such as in a call that waits, as it is.
///
/// - Parameters:
///   - watch: What `body` tells about the program's code.
///   - limit: The most real time of such code.
///   - memory: The most bytes that the process may grow by meanwhile.
///   - inTask: Whether `body` runs as a task that the caller creates, with its task-local values.
///   - body: The exploration.
///   - stop: Describes the exploration when its code has exceeded a limit. It is called on another thread,
///     while that of the exploration does not touch its own state any more.
package func onWatchedThread<Report: Sendable>(
  _ watch: CodeWatch, limit: Duration, memory: Int, inTask: Bool = true,
  _ body: @escaping @Sendable () -> Report, onStop stop: @escaping @Sendable (StoppedCode) -> Report
) async -> Report {
  let ending = Ending<Report>()
  let entry = Watchdog.Entry(watch, limit, memory) { ending.end(with: stop($0)) }
  Watchdog.shared.add(entry)
  defer { Watchdog.shared.remove(entry) }
  guard inTask else {
    let run: @Sendable () -> Void = {
      CodeWatch.current.set(watch)
      ending.end(with: body())
      CodeWatch.current.set(nil)
      entry.hasThread.withLock { $0 = false }
    }
    do {
      try SystemThread(stackSize: explorationStackSize, blocksBrokenPipe: false) {
        ThreadSample.allow()
        run()
      }.detach()
    } catch { run() }
    return await ending.value
  }
  let executor = ExplorationThreads.take()
  let task = Task(executorPreference: executor) {
    let report = body()
    ExplorationThreads.put(executor)
    ending.end(with: report)
  }
  // Without another thread, the caller's has to do.
  if !executor.hasThread { executor.runOne() }
  return await withTaskCancellationHandler {
    await ending.value
  } onCancel: {
    task.cancel()
  }
}

/// The first of two reports.
private final class Ending<Report: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Report, Never>)
    case ended(Report)
    case over
  }

  private let state = Mutex(State.open)

  func end(with report: Report) {
    let waiting = state.withLock { state -> CheckedContinuation<Report, Never>? in
      switch state {
      case .open: state = .ended(report)
      case .waiting(let continuation):
        state = .over
        return continuation
      case .ended, .over: break
      }
      return nil
    }
    waiting?.resume(returning: report)
  }

  var value: Report {
    get async {
      await withCheckedContinuation { continuation in
        let report = state.withLock { state -> Report? in
          if case .ended(let report) = state {
            state = .over
            return report
          }
          state = .waiting(continuation)
          return nil
        }
        if let report { continuation.resume(returning: report) }
      }
    }
  }
}

/// A thread that looks at every exploration of the process.
private final class Watchdog: Sendable {
  final class Entry: Sendable {
    let watch: CodeWatch
    let limit: Duration
    let memory: Int
    let stop: @Sendable (StoppedCode) -> Void
    /// The count that was seen last, since when, and the process's memory then.
    let seen = Mutex<(count: Int, since: ContinuousClock.Instant, memory: Int)>((0, .now, 0))
    /// False when the exploration's own thread is about to end. It cannot be sampled from then on.
    let hasThread = Mutex(true)

    init(
      _ watch: CodeWatch, _ limit: Duration, _ memory: Int,
      _ stop: @escaping @Sendable (StoppedCode) -> Void
    ) {
      self.watch = watch
      self.limit = limit
      self.memory = memory
      self.stop = stop
    }

    /// Whether the code that exceeded a limit has not returned.
    var isInCode: Bool { watch.current == seen.withLock(\.count) }

    /// The limit that is exceeded, if any.
    func exceeded(_ memory: Int) -> StoppedCode.Limit? {
      let count = watch.current
      return seen.withLock { seen in
        guard count == seen.count, count & 1 == 1 else {
          seen = (count, .now, memory)
          return nil
        }
        // Code that exceeds both limits takes its time because it takes memory.
        if memory - seen.memory > self.memory { return .memory(bytes: self.memory) }
        return ContinuousClock.now - seen.since > limit ? .time(limit) : nil
      }
    }
  }

  static let shared = Watchdog()

  private let entries = Mutex<[Entry]>([])
  private let monitor = Monitor()

  private init() {
    try? SystemThread { self.run() }.detach()
  }

  func add(_ entry: Entry) {
    entries.withLock { $0.append(entry) }
    monitor.withLock { monitor.signal() }
  }

  func remove(_ entry: Entry) { entries.withLock { $0.removeAll { $0 === entry } } }

  private func run() -> Never {
    while true {
      monitor.withLock {
        monitor.wait(nanoseconds: entries.withLock(\.isEmpty) ? nil : 20_000_000)
      }
      let all = entries.withLock(\.self)
      let memory = Self.memory
      for entry in all {
        guard let limit = entry.exceeded(memory) else { continue }
        remove(entry)
        // This takes up to seconds in a large program, in which other code would exceed its limits unseen.
        let report: @Sendable () -> Void = {
          let sample = Self.stop(entry, attempts: 200)
          entry.stop(StoppedCode(limit: limit, places: Self.places(of: sample?.addresses ?? [])))
          // Code that allocates is hardly ever outside the libraries. Awake, it would take all memory.
          for _ in 0..<1000 where sample?.hasParked == false {
            usleep(10_000)
            guard Self.stop(entry, attempts: 1)?.hasParked == false else { break }
          }
        }
        do { try SystemThread(report).detach() } catch { report() }
      }
    }
  }

  /// Puts an exploration's thread to sleep, if it runs the program's own code, and returns where it is, the
  /// innermost call first; `nil` if the code has returned or the thread does not answer.
  private static func stop(_ entry: Entry, attempts: Int) -> ThreadSample? {
    entry.hasThread.withLock { hasThread in
      var last: ThreadSample?
      for _ in 0..<attempts where hasThread && entry.isInCode {
        var sample = ThreadSample(of: entry.watch.currentThread, parking: true)
        guard !sample.addresses.isEmpty else { break }
        // A return address is behind the call.
        sample.addresses = sample.addresses.enumerated().map { $1 &- ($0 == 0 ? 0 : 1) }
        last = sample
        if sample.hasParked { break }
      }
      return last
    }
  }

  /// The functions of the innermost calls, with their lines.
  private static func places(of addresses: [UInt]) -> [String] {
    let places = CodePlaces(of: addresses)
    let lines = addresses.compactMap { address in
      places.line(at: address).map { line in
        (places.function(at: address).map { "\($0) (\(line))" }) ?? line
      }
    }
    return Array(lines.prefix(3))
  }

  /// The bytes that the process holds in memory, or 0 where the system does not tell.
  ///
  /// Source: proc(5), statm.
  private static var memory: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
