import ExplorationEngine
import LinearizabilityChecking

/// Explores drawn programs one after another, and shrinks the first that fails.
struct SpecificationExplorer<Model: Specification> where Model.Subject: Sendable {
  typealias Program = [[Model.Command]]

  let specification: Model
  let makeSubject: @Sendable () throws -> Model.Subject
  let tearDown: @Sendable (Model.Subject) throws -> Void
  let settings: ExplorationSettings
  /// Called with the seed of each program before it is explored.
  var onProgram: @Sendable (_ seed: UInt64) -> Void = { _ in }

  /// What is told when code of the specification or the subject runs.
  private let watch = CodeWatch()
  /// The exploration of the current program, for the watchdog.
  private let current = Shared<(explorer: Explorer?, report: SpecificationReport<Model.Command>)>(
    (nil, SpecificationReport()))

  init(
    specification: Model, makeSubject: @escaping @Sendable () throws -> Model.Subject,
    tearDown: @escaping @Sendable (Model.Subject) throws -> Void, settings: ExplorationSettings
  ) {
    self.specification = specification
    self.makeSubject = makeSubject
    self.tearDown = tearDown
    self.settings = settings
  }

  /// Runs an exploration that ends although code of the specification or the subject does not.
  func watched(
    _ explore: @escaping @Sendable (Self) -> SpecificationReport<Model.Command>
  ) async -> SpecificationReport<Model.Command> {
    await onWatchedThread(watch, limit: settings.runLimit, memory: settings.memoryLimit) {
      explore(self)
    } onStop: { stopped in
      var (explorer, result) = current.value
      if let explorer {
        result.report = merged(result.report, explorer.report(on: stopped))
      } else {
        result.report.failure = InterleavingFailure(
          kind: .stopped, message: "command(from:in:) or apply(_:to:): \(stopped)")
      }
      return result
    }
  }

  func explore(tasks: Int, commands: Int, programs: Int) -> SpecificationReport<Model.Command> {
    var result = SpecificationReport<Model.Command>()
    current.value.report.failingSeed = settings.seed
    result.health = watch { HealthCheck.sample(specification, seed: settings.seed) }
    let clock = ContinuousClock()
    var end = clock.now.advanced(by: settings.timeOrNoLimit)
    var left = settings.runs
    /// Explores a drawn program, and returns whether the exploration goes on.
    func goesOn(_ seed: UInt64, tasks: Int, commands: Int, of programs: Int) -> Bool {
      onProgram(seed)
      current.value = (nil, result)
      current.value.report.failingSeed = seed
      let program = watch { draw(tasks: tasks, commands: commands, seed: seed) }
      current.value.report.program = program
      var budget = settings
      budget.seed = seed
      budget.replay = nil
      // The budget that a program does not use is divided among the next ones.
      budget.runs = max(1, left / programs)
      budget.time = max(.zero, (end - clock.now) / programs)
      let report = explore(program, budget)
      result.programs += 1
      result.program = program
      left = max(0, left - report.schedules)
      result.report = merged(result.report, report)
      if report.isSearchedToEnd { result.exhaustedPrograms += 1 }
      if report.failure != nil {
        result.failingSeed = seed
        (result.program, result.report) = shrink(program, result.report, budget)
        return false
      }
      return left > 0 && clock.now < end && !Task.isCancelled
    }
    for number in 0..<max(0, programs) {
      let seed = settings.seed &+ UInt64(number)
      guard goesOn(seed, tasks: tasks, commands: commands, of: programs - number) else { break }
    }
    // Programs of this size have too many orders for the budget; smaller ones may not.
    var (tasks, commands) = (tasks, commands)
    while result.report.failure == nil, result.exhaustedPrograms == 0, tasks > 2 || commands > 1,
      programs > 0, !Task.isCancelled
    {
      if commands > 1 { commands -= 1 } else { tasks -= 1 }
      left = max(left, settings.runs / 4)
      // On a busy machine, the first programs may have taken all of the time. The smallest has few orders, which it
      // must not fail to cover because a second is over.
      let least: Duration = tasks <= 2 && commands == 1 ? .seconds(10) : .zero
      end = max(end, clock.now.advanced(by: max(settings.timeOrNoLimit / 4, least)))
      _ = goesOn(settings.seed, tasks: tasks, commands: commands, of: 1)
    }
    result.report.isSearchedToEnd = result.exhaustedPrograms == result.programs
    result.report.isExhaustive =
      result.report.isSearchedToEnd && result.report.untriedLocks.isEmpty
    return result
  }

  /// Explores a given program.
  func explore(_ program: Program) -> SpecificationReport<Model.Command> {
    var result = SpecificationReport<Model.Command>()
    result.program = program
    result.programs = 1
    result.report = explore(program, settings)
    result.exhaustedPrograms = result.report.isSearchedToEnd ? 1 : 0
    return result
  }

  /// Draws the tasks' commands in turn, each in the model's state after the earlier ones.
  func draw(tasks: Int, commands: Int, seed: UInt64) -> Program {
    var choices = Choices(seed: seed)
    var state = specification.initialState
    var program = Program(repeating: [], count: max(1, tasks))
    for _ in 0..<max(1, commands) {
      for task in program.indices {
        let command = specification.command(from: &choices, in: state)
        program[task].append(command)
        _ = specification.apply(command, to: &state)
      }
    }
    return program
  }

  private func merged(
    _ first: InterleavingReport, _ second: InterleavingReport
  ) -> InterleavingReport {
    var result = second
    result.schedules += first.schedules
    result.cutOff += first.cutOff
    result.remarks = first.remarks + second.remarks.filter { !first.remarks.contains($0) }
    result.untriedLocks += first.untriedLocks.filter { !result.untriedLocks.contains($0) }
    for work in first.uncontrolled {
      if let index = result.uncontrolled.firstIndex(where: { $0.kind == work.kind }) {
        result.uncontrolled[index].count += work.count
      } else {
        result.uncontrolled.append(work)
      }
    }
    return result
  }

  /// Removes tasks and commands while some schedule still fails in the same way.
  private func shrink(
    _ program: Program, _ report: InterleavingReport, _ settings: ExplorationSettings
  ) -> (Program, InterleavingReport) {
    var best = program
    var bestReport = report
    var settings = settings
    settings.replay = nil
    settings.runs = min(settings.runs, 2_000)
    settings.time = .seconds(2)
    let commands = program.enumerated().flatMap { task, commands in
      commands.map { (task: task, command: $0) }
    }
    _ = minimized(commands) { kept in
      let smaller = Dictionary(grouping: kept) { $0.task }.sorted { $0.key < $1.key }
        .map { $0.value.map(\.command) }
      let again = kept.isEmpty ? nil : explore(smaller, settings)
      guard let failure = again?.failure, failure.kind == bestReport.failure?.kind else {
        return false
      }
      best = smaller
      let foundAfter = bestReport.failure?.foundAfter ?? 0
      bestReport.failure = failure
      bestReport.failure?.foundAfter = foundAfter
      return true
    }
    return (best, bestReport)
  }

  private func explore(_ program: Program, _ settings: ExplorationSettings) -> InterleavingReport {
    let explorer = Explorer(settings: settings, watch: watch) {
      [specification, makeSubject, tearDown] concurrent in
      let subject = try makeSubject()
      let recorder = HistoryRecorder(specification)
      for (client, commands) in program.enumerated() {
        concurrent.task {
          for command in commands {
            traceInterleaving("\(command)")
            let operation = recorder.call(command, by: client)
            let response = try await specification.perform(command, on: subject)
            recorder.return(response, of: operation)
            traceInterleaving("→ \(response)")
          }
        }
      }
      concurrent.check { () throws -> Void in try recorder.check() }
      concurrent.tearDown { try tearDown(subject) }
    }
    current.value.explorer = explorer
    current.value.report.program = program
    defer { current.value.explorer = nil }
    return explorer.explore()
  }
}

/// Records the calls of one schedule as a history.
///
/// Unchecked, and sound: only the tasks of the schedule use it, and one of them runs at a time. A lock would be a
/// point at which they can be preempted.
private final class HistoryRecorder<Model: Specification>: @unchecked Sendable {
  private typealias Operation = History<Model.Command, Model.Response>.Operation

  private let specification: Model
  private var operations: [Operation] = []
  private var stamp = 0

  init(_ specification: Model) { self.specification = specification }

  private func nextStamp() -> Int {
    stamp += 1
    return stamp
  }

  func call(_ command: Model.Command, by client: Int) -> Int {
    operations.append(Operation(client: client, command, from: nextStamp()))
    return operations.count - 1
  }

  func `return`(_ response: Model.Response, of operation: Int) {
    operations[operation].outcome = .returned(response, at: nextStamp())
  }

  func check() throws {
    let history = History<Model.Command, Model.Response>(checked: operations)
    if case .notLinearizable = LinearizabilityChecker(specification).check(history) {
      throw NotLinearizableError(history: history.timeline)
    }
  }
}
