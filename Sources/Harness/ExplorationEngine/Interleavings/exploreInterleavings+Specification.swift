/// Runs generated commands of a specification concurrently, under many schedules.
///
/// For each seed, every task draws its commands from the specification; all schedules of these
/// tasks are explored, and every history is checked for linearizability. When one is not
/// linearizable, first tasks and commands are taken away, then the schedule is made simpler.
///
/// - Parameters:
///   - specification: Draws, performs and judges the commands.
///   - makeSubject: Makes a fresh subject for every schedule, in the specification's initial state.
///   - tasks: How many tasks use the subject at once.
///   - commands: How many commands each task performs.
///   - programs: How many programs to draw.
///   - options: The budget is for all programs together; a schedule to replay is not used, as it
///     belongs to one program.
/// - Returns: What was found and how much was covered.
public func exploreInterleavings<Model: Specification>(
  _ specification: Model, makeSubject: @escaping @Sendable () throws -> Model.Subject,
  tasks: Int = 2, commands: Int = 2, programs: Int = 20,
  options: InterleavingOptions = InterleavingOptions()
) async -> SpecificationReport<Model.Command> where Model.Subject: Sendable {
  await onExplorationThread {
    SpecificationExplorer(
      specification: specification, makeSubject: makeSubject, options: options
    ).explore(tasks: tasks, commands: commands, programs: programs)
  }
}

/// Runs given commands of a specification concurrently, under many schedules.
///
/// - Parameters:
///   - specification: Performs and judges the commands.
///   - program: The commands of each task, such as a report printed them.
///   - options: Budget, seed, what the tasks may share, a schedule to replay.
///   - makeSubject: Makes a fresh subject for every schedule, in the specification's initial state.
/// - Returns: What was found and how much was covered.
public func exploreInterleavings<Model: Specification>(
  _ specification: Model, program: [[Model.Command]],
  options: InterleavingOptions = InterleavingOptions(),
  makeSubject: @escaping @Sendable () throws -> Model.Subject
) async -> SpecificationReport<Model.Command> where Model.Subject: Sendable {
  await onExplorationThread {
    SpecificationExplorer(
      specification: specification, makeSubject: makeSubject, options: options
    ).explore(program)
  }
}

/// What an exploration of a specification's commands has found.
public struct SpecificationReport<Command: Sendable>: Sendable, CustomStringConvertible {
  /// The commands of every task, as small as they could be made while the failure stays; without a
  /// failure, those of the last program.
  public internal(set) var program: [[Command]] = []
  /// What was found; its schedule belongs to ``program``.
  public internal(set) var report = InterleavingReport()
  /// The programs that were explored.
  public internal(set) var programs = 0
  /// The programs of which every interleaving was covered.
  public internal(set) var exhaustedPrograms = 0
  /// What is wrong with the specification or makes the exploration weaker than it looks.
  public internal(set) var health: [HealthIssue] = []
  /// The seed of the program that failed.
  public internal(set) var failingSeed: UInt64?

  /// How much was run, in a line.
  package var summary: String {
    "\(exhaustedPrograms) of \(programs) programs covered completely, "
      + "\(report.schedules) schedules, seed \(report.seed)"
  }

  /// The whole report as text.
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

/// A history that no order of the calls, one at a time, explains.
public struct NotLinearizableError: Error, CustomStringConvertible {
  /// The calls and responses, in words.
  public let history: String

  /// The history and what is wrong with it.
  public var description: String {
    "Not linearizable: no order of these calls, one at a time, gives these responses.\n" + history
  }
}
