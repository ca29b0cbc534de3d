public import ExplorationEngine
import SystemFibers

/// Runs generated commands of a specification concurrently, under many schedules.
///
/// For each program, every task draws its commands from the specification. The program's schedules
/// are explored, and every history is checked for linearizability. If a history is not
/// linearizable, tasks and commands are removed first, then the schedule is minimized.
///
/// - Parameters:
///   - specification: The model, the generator, and the commands.
///   - makeSubject: Creates a subject in the specification's initial state, for each schedule.
///   - tearDown: Called with the subject at the end of each schedule. An error that it throws is a
///     failure of the schedule.
///   - tasks: The number of tasks that use the subject concurrently.
///   - commands: The number of commands of each task.
///   - programs: The number of programs to draw.
///   - settings: The limits apply to all programs together. ``ExplorationSettings/replay`` is
///     ignored, because a schedule belongs to one program.
/// - Returns: The failure, if one was found, and the coverage.
public func exploreInterleavings<Model: Specification>(
  _ specification: Model, makeSubject: @escaping @Sendable () throws -> Model.Subject,
  tearDown: @escaping @Sendable (Model.Subject) throws -> Void = { _ in },
  tasks: Int = 2, commands: Int = 2, programs: Int = 20,
  settings: ExplorationSettings = .interleavings()
) async -> SpecificationReport<Model.Command> where Model.Subject: Sendable {
  await SpecificationExplorer(
    specification: specification, makeSubject: makeSubject, tearDown: tearDown,
    settings: settings.ofOwnShard
  ).watched { $0.explore(tasks: tasks, commands: commands, programs: programs) }
}

/// Runs given commands of a specification concurrently, under many schedules.
///
/// - Parameters:
///   - specification: The model and the commands.
///   - program: The commands of each task, for example those that a report printed.
///   - settings: The limits, the seed, and a schedule to replay.
///   - makeSubject: Creates a subject in the specification's initial state, for each schedule.
///   - tearDown: Called with the subject at the end of each schedule. An error that it throws is a
///     failure of the schedule.
/// - Returns: The failure, if one was found, and the coverage.
public func exploreInterleavings<Model: Specification>(
  _ specification: Model, program: [[Model.Command]],
  settings: ExplorationSettings = .interleavings(),
  makeSubject: @escaping @Sendable () throws -> Model.Subject,
  tearDown: @escaping @Sendable (Model.Subject) throws -> Void = { _ in }
) async -> SpecificationReport<Model.Command> where Model.Subject: Sendable {
  await SpecificationExplorer(
    specification: specification, makeSubject: makeSubject, tearDown: tearDown,
    settings: settings.ofOwnShard
  ).watched { $0.explore(program) }
}

/// An exploration of generated commands that can run in another process; see
/// ``exploreInterleavings(_:makeSubject:tearDown:tasks:commands:programs:settings:)``.
///
/// - Parameter key: What marks the exploration.
package func interleavingPrograms<Model: Specification>(
  of specification: Model, makeSubject: @escaping @Sendable () throws -> Model.Subject,
  tearDown: @escaping @Sendable (Model.Subject) throws -> Void, tasks: Int, commands: Int,
  programs: Int, settings: ExplorationSettings, key: [String]
) -> ProgramExploration<Model.Command> where Model.Subject: Sendable {
  let explorer = SpecificationExplorer(
    specification: specification, makeSubject: makeSubject, tearDown: tearDown,
    settings: settings.ofOwnShard)
  var short = settings
  short.runs = min(settings.runs, 1_000)
  short.time = min(settings.timeOrNoLimit, .seconds(1))
  // A process sends nothing while it minimizes a schedule.
  return ProgramExploration(
    key: key, silenceLimit: settings.timeOrNoLimit * 2 + .seconds(60), shrinkTime: .seconds(30)
  ) { seed in
    explorer.draw(tasks: tasks, commands: commands, seed: seed)
  } explore: { onProgram in
    var explorer = explorer
    explorer.onProgram = onProgram
    let report = await explorer.watched {
      $0.explore(tasks: tasks, commands: commands, programs: programs)
    }
    let isClean =
      report.report.failure == nil && report.report.uncontrolled.isEmpty && report.health.isEmpty
    // Where the runtime cannot be observed, no search covers a program.
    let showsNothing =
      isClean && report.exhaustedPrograms == 0 && Fiber.isAvailable
      // What no schedule decides is named in the report.
      && report.report.uncontrolled.isEmpty && report.report.remarks.isEmpty
    return .init(
      summary: report.summary,
      problem: !isClean
        ? "\(report)"
        : showsNothing
          ? "\(report)\nno program was covered, so this shows little: draw fewer tasks or commands, or raise "
            + "`settings.runs` and `settings.time`" : nil)
  } attempt: { [short] program in
    _ = await exploreInterleavings(
      specification, program: program, settings: short, makeSubject: makeSubject,
      tearDown: tearDown)
  }
}

/// The result of an exploration of a specification's commands.
public struct SpecificationReport<Command: Sendable>: Sendable, CustomStringConvertible {
  /// The commands of each task: the smallest program found that fails, or the last program
  /// explored.
  public internal(set) var program: [[Command]] = []
  /// The interleavings' report; its schedule belongs to ``program``.
  public internal(set) var report = InterleavingReport()
  /// The number of programs explored.
  public internal(set) var programs = 0
  /// The number of programs for which the search was exhaustive.
  public internal(set) var exhaustedPrograms = 0
  /// Faults of the specification that make the exploration wrong or weak.
  public internal(set) var health: [HealthIssue] = []
  /// The seed of the program that failed.
  public internal(set) var failingSeed: UInt64?

  /// The amount that was run and the coverage, in one line.
  package var summary: String {
    "\(exhaustedPrograms) of \(programs) programs covered in "
      + "\(report.coverage); \(report.schedules) schedules, seed \(report.seed)"
  }

  /// The report as text.
  public var description: String {
    var lines = [summary]
    if report.failure != nil {
      for (index, commands) in program.enumerated() {
        lines.append(
          "task \(index + 1): " + commands.map { "\($0)" }.joined(separator: ", "))
      }
      if let failingSeed { lines.append("seed \(failingSeed)") }
    }
    lines += health.map { "health: \($0)" }
    lines.append(report.description)
    return lines.joined(separator: "\n")
  }
}

/// An error for a history whose responses no sequential order of the calls gives.
public struct NotLinearizableError: Error, CustomStringConvertible {
  /// The calls and responses as a timeline.
  public let history: String

  /// A message with the timeline.
  public var description: String {
    "Not linearizable: no sequential order of these calls gives these responses.\n" + history
  }
}
