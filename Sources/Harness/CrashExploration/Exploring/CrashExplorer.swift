import ContractExploration

/// Explores the crashes of random commands, and shrinks what it finds. It blocks the calling
/// thread.
struct CrashExplorer<Spec: PersistentSpecification> {
  var specification: Spec
  var durability: CrashDurability
  /// A Swift expression for the implementation.
  var implementation: String
  var settings: ExplorationSettings
  var runner: any CrashRunner<Spec>
  var cancellation = ConcurrentFlag()

  /// Explores until a run has a finding or a limit is reached.
  ///
  /// - Throws: ``CrashExplorationError`` if there is no verdict.
  func explore() throws -> CrashReport<Spec> {
    defer { runner.end() }
    var report = emptyReport
    let start = ContinuousClock.now
    let deadline = settings.time.map { start.advanced(by: $0) }
    // At least one run, whose report says what a limit of time left out.
    repeat {
      let drawn = DrawnCommands(specification, run: report.runs, of: settings)
      report.runs += 1
      let outcome = try runner.run(
        drawn.commands, drawnFrom: drawn.choices, until: deadline, goesOn: true)
      report.coverage += outcome.coverage
      if let finding = outcome.finding {
        report.failure = try shrunk(drawn, finding)
      }
    } while report.runs < settings.runs && report.failure == nil
      && deadline.map({ ContinuousClock.now < $0 }) != false && !cancellation.isSet
    report.duration = ContinuousClock.now - start
    return report
  }

  /// Examines the crashes of given commands.
  func explore(_ commands: [Spec.Command]) throws -> CrashReport<Spec> {
    defer { runner.end() }
    var report = emptyReport
    let start = ContinuousClock.now
    report.runs = 1
    let outcome = try runner.run(commands, drawnFrom: nil, until: nil, goesOn: true)
    report.coverage = outcome.coverage
    // A few commands need not have every known finding.
    report.coverage.deviations = outcome.coverage.deviations.filter { $0.value > 0 }
    report.failure = outcome.finding.map {
      .init(commands: commands, finding: $0, originalLength: commands.count)
    }
    report.duration = ContinuousClock.now - start
    return report
  }

  private var emptyReport: CrashReport<Spec> {
    CrashReport(
      specification: specification, durability: durability, implementation: implementation,
      seed: settings.seed)
  }

  private func shrunk(
    _ drawn: DrawnCommands<Spec>, _ finding: CrashFinding
  ) throws -> CrashReport<Spec>.Failure {
    var latest: [[Spec.Command]: CrashFinding] = [:]
    let (best, attempts, isShrunkFully) = drawn.shrunk(
      specification, failing: Self.failure(finding), settings: settings
    ) { candidate in
      // A candidate without a verdict is not kept.
      guard !cancellation.isSet,
        let found = try? runner.run(
          candidate.commands, drawnFrom: candidate.choices, until: nil,
          goesOn: finding.kind.isFoundByGoingOn
        ).finding
      else { return nil }
      latest[Array(candidate.commands.prefix(found.step + 1))] = found
      latest[candidate.commands] = found
      return Self.failure(found)
    }
    // Without a simpler candidate, the commands after the crash are still left out.
    let smallest = latest[best.commands]
    return .init(
      commands: smallest == nil ? Array(drawn.commands.prefix(finding.step + 1)) : best.commands,
      finding: smallest ?? finding, seed: drawn.seed, originalLength: drawn.commands.count,
      attempts: attempts, isShrunkFully: isShrunkFully)
  }

  /// A subject that has to go on performs the commands after the crash.
  private static func failure(_ finding: CrashFinding) -> DrawnCommands<Spec>.Failure {
    .init(
      step: finding.step, category: finding.kind.rawValue,
      needsLaterCommands: finding.kind.isFoundByGoingOn)
  }
}
