import Foundation

/// An exploration of *programs*: the commands of tasks that use one subject together.
///
/// Programs are drawn from seeds, so one process can name a program to another. An implementation
/// that may end its process is explored in another one. If it ends one nevertheless, the mark that
/// it leaves names the program, and the next exploration runs that program in another process
/// first. Marks are kept by specification and implementation, until the program no longer ends a
/// process.
package struct ProgramExploration<Command: Sendable>: Sendable {
  /// What an exploration gave, as text, because responses cannot be sent to another process.
  package struct Report: Sendable, Codable {
    /// The amount that was run, in one line.
    package var summary: String
    /// What is wrong; `nil` if nothing was found.
    package var problem: String?

    package init(summary: String, problem: String?) {
      self.summary = summary
      self.problem = problem
    }
  }

  /// What marks the exploration: its function and file, the specification, the implementation.
  package var key: [String]
  /// How long the other process may be silent before it is taken to hang.
  package var silenceLimit: Duration
  /// The most real time to shrink a program that ends its process.
  package var shrinkTime: Duration
  /// Draws a program: the commands of each task.
  package var draw: @Sendable (_ seed: UInt64) -> [[Command]]
  /// Explores programs in this process, and gives the seed of each before it runs.
  package var explore: @Sendable (_ onProgram: @escaping @Sendable (UInt64) -> Void) async -> Report
  /// Runs one program in this process for a short time, under as many orders as that allows.
  package var attempt: @Sendable (_ program: [[Command]]) async -> Void

  package init(
    key: [String], silenceLimit: Duration, shrinkTime: Duration,
    draw: @escaping @Sendable (_ seed: UInt64) -> [[Command]],
    explore:
      @escaping @Sendable (_ onProgram: @escaping @Sendable (UInt64) -> Void) async -> Report,
    attempt: @escaping @Sendable (_ program: [[Command]]) async -> Void
  ) {
    self.key = key
    self.silenceLimit = silenceLimit
    self.shrinkTime = shrinkTime
    self.draw = draw
    self.explore = explore
    self.attempt = attempt
  }

  /// Explores programs, after those during which an earlier process has ended.
  ///
  /// - Parameters:
  ///   - start: Starts another process, which calls ``serve(_:)``.
  ///   - isIsolated: Whether another process runs every program.
  package func run(
    startingProcesses start: @escaping StartSubjectProcess, isIsolated: Bool
  ) async -> Report {
    let isCancelled = ConcurrentFlag()
    let report = await onWatchdogThread { () -> Report? in
      let client = ProgramClient(self, start, isCancelled)
      defer { client.stop() }
      if let crash = client.examineCrashes() { return crash }
      return isIsolated ? client.explore() : nil
    } onCancel: {
      isCancelled.set()
    }
    if let report { return report }
    let record = CrashRecord(key: key)
    defer { record?.end() }
    return await explore { record?.begin(.init(origin: .program(seed: $0))) }
  }

  /// Runs programs for the process at the other end of a connection, until it closes it.
  package func serve(_ descriptor: Int32) async {
    await onWatchdogThread {
      let connection = ProgramConnection(descriptor)
      connection.send(SubjectArrival.ready)
      while let request = connection.receive() {
        let report = try? runBlocking {
          switch request {
          case .explore: return await explore { connection.send(ProgramReply.begins(seed: $0)) }
          case .attempt(let seed, let kept):
            await attempt(kept.commands(of: draw(seed)))
            return Report(summary: "", problem: nil)
          }
        }
        guard let report else { return }
        connection.send(ProgramReply.ended(summary: report.summary, problem: report.problem))
      }
    } onCancel: {
    }
  }
}

/// The commands of a drawn program that are kept, by their numbers.
struct KeptCommands: Sendable, Codable {
  var tasks: [[Int]]

  /// All commands of a program.
  init<Command>(allOf program: [[Command]]) { tasks = program.map { Array($0.indices) } }

  func commands<Command>(of program: [[Command]]) -> [[Command]] {
    zip(program, tasks).map { commands, kept in
      kept.filter(commands.indices.contains).map { commands[$0] }
    }.filter { !$0.isEmpty }
  }
}

/// What one process asks another to do with programs.
private enum ProgramRequest: Codable {
  case explore
  case attempt(seed: UInt64, KeptCommands)
}

private enum ProgramReply: Codable {
  case begins(seed: UInt64)
  case ended(summary: String, problem: String?)
}

/// The other process's end of a connection, on which the exploration's threads reply.
///
/// Unchecked, and sound: the connection's thread receives, and while it waits for an exploration,
/// the one thread that begins programs sends.
private final class ProgramConnection: @unchecked Sendable {
  private let connection: LineConnection

  init(_ descriptor: Int32) { connection = LineConnection(descriptor) }

  func send(_ message: some Encodable) { connection.send(message) }

  func receive() -> ProgramRequest? {
    if case .message(let request) = connection.receive(ProgramRequest.self) { return request }
    return nil
  }
}

/// The process that explores: it blames the program during which another process has ended.
private final class ProgramClient<Command: Sendable> {
  typealias Report = ProgramExploration<Command>.Report

  private let exploration: ProgramExploration<Command>
  private let processes: SubjectProcesses
  private let isCancelled: ConcurrentFlag
  private var starts = 0

  init(
    _ exploration: ProgramExploration<Command>, _ start: @escaping StartSubjectProcess,
    _ isCancelled: ConcurrentFlag
  ) {
    self.exploration = exploration
    processes = SubjectProcesses(start)
    self.isCancelled = isCancelled
  }

  func stop() { processes.stop() }

  /// Explores all programs in the other process.
  func explore() -> Report {
    var seed: UInt64?
    let ending = converse(.explore, within: exploration.silenceLimit) { reply -> Report? in
      switch reply {
      case .begins(let new):
        seed = new
        return nil
      case .ended(let summary, let problem): return Report(summary: summary, problem: problem)
      }
    }
    switch ending {
    case .value(let report): return report
    case .unavailable(let message):
      return Report(summary: "nothing was run", problem: message)
    case .ended(let reason):
      guard let seed else {
        return Report(
          summary: "nothing was run", problem: "the process ended before any program: \(reason)")
      }
      return crash(of: seed, reason)
    case .silent:
      guard let seed, !isCancelled.isSet else {
        return Report(summary: "the exploration was abandoned", problem: nil)
      }
      return crash(of: seed, "no program ended within \(exploration.silenceLimit)", isShrunk: false)
    }
  }

  /// Runs the programs again during which earlier processes have ended. Another test or a signal
  /// may have been the cause.
  func examineCrashes() -> Report? {
    for leftover in CrashRecord.leftovers(key: exploration.key) {
      guard case .program(let seed) = leftover.plan.origin,
        let reason = crashReason(seed, KeptCommands(allOf: exploration.draw(seed)))
      else { continue }
      // The mark stays for the next exploration, until the program no longer ends a process.
      CrashRecord.leave(leftover, key: exploration.key)
      return crash(of: seed, reason)
    }
    return nil
  }

  // MARK: - Crashes

  /// Shrinks a program that ends its process, and describes it.
  private func crash(of seed: UInt64, _ reason: String, isShrunk: Bool = true) -> Report {
    let program = exploration.draw(seed)
    var kept = KeptCommands(allOf: program)
    var reason = reason
    let isReproduced = isShrunk && shrink(&kept, seed, &reason)
    let commands = kept.commands(of: program)
    var lines = ["the process ended here (\(reason))"]
    if !isShrunk { lines = [reason] }
    for (index, commands) in commands.enumerated() {
      lines.append("task \(index + 1): " + commands.map { "\($0)" }.joined(separator: ", "))
    }
    lines.append("seed \(seed), \(program.joined().count) commands before shrinking")
    if isShrunk, !isReproduced {
      lines.append("it did not end the process again, so it was not shrunk")
    }
    return Report(
      summary: "\(starts) programs in other processes", problem: lines.joined(separator: "\n"))
  }

  /// Removes tasks and commands while the rest still ends its process.
  ///
  /// - Returns: Whether the program ended another process.
  private func shrink(_ kept: inout KeptCommands, _ seed: UInt64, _ reason: inout String) -> Bool {
    guard let again = crashReason(seed, kept) else { return false }
    reason = again
    let deadline = ContinuousClock.now.advanced(by: exploration.shrinkTime)
    let commands = kept.tasks.enumerated().flatMap { task, commands in commands.map { (task, $0) } }
    _ = minimized(
      commands,
      until: ContinuousClock.now >= deadline || isCancelled.isSet
    ) { part in
      var smaller = kept
      for task in smaller.tasks.indices {
        smaller.tasks[task] = part.filter { $0.0 == task }.map { $0.1 }
      }
      guard !part.isEmpty, let again = crashReason(seed, smaller) else { return false }
      (kept, reason) = (smaller, again)
      return true
    }
    return true
  }

  /// How a program ends its process, or `nil` if it does not.
  ///
  /// Whether several tasks do may depend on the order in which they run, so that is tried three
  /// times.
  private func crashReason(_ seed: UInt64, _ kept: KeptCommands) -> String? {
    for _ in 0..<(kept.tasks.count { !$0.isEmpty } > 1 ? 3 : 1) {
      starts += 1
      let ending = converse(.attempt(seed: seed, kept), within: exploration.silenceLimit) {
        reply -> Bool? in
        if case .ended = reply { return true }
        return nil
      }
      if case .ended(let reason) = ending { return reason }
      guard case .value = ending else { return nil }
    }
    return nil
  }

  private func converse<Value>(
    _ request: ProgramRequest, within limit: Duration, _ onReply: (ProgramReply) -> Value?
  ) -> SubjectProcesses.Conversation<Value> {
    processes.converse(
      request, within: limit,
      isAbandoned: isCancelled.isSet, onReply)
  }
}
