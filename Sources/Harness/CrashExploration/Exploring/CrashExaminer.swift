import ContractExploration
import Foundation

/// Goes through a recording, and reopens the subject on what a crash at each point leaves.
struct CrashExaminer<Spec: PersistentSpecification> {
  /// What was read from a reopened subject.
  private enum Observation {
    case responses([Spec.Response])
    case failure(String)
  }

  /// An image, and the number of acknowledged commands, of which those outside the subject are performed
  /// again.
  private struct Key: Hashable {
    var contents: [String: FolderImage.Content]
    var outside: Int
  }

  private let trial: CrashTrial<Spec>
  private let commands: [Spec.Command]
  private let events: [FileEvent]
  private let folder: WorkingFolder
  /// The model's state after each number of commands.
  private let states: [Spec.State]

  private var recorded = RecordedFolder()
  private var coverage: CrashCoverage
  private var observations: [Key: Observation] = [:]
  /// The responses of the model to the probes, by the number of commands that survive and that of those
  /// acknowledged.
  private var expectations: [[Int]: [Spec.Response]] = [:]
  /// The numbers of commands that have begun, that have returned, and after which the last flush returned.
  private var begun = 0
  private var acknowledged = 0
  private var flushed = 0

  private var spec: Spec { trial.specification }

  init(
    _ trial: CrashTrial<Spec>, _ commands: [Spec.Command], _ events: [FileEvent],
    in folder: WorkingFolder
  ) {
    self.trial = trial
    self.commands = commands
    self.events = events
    self.folder = folder
    var state = trial.specification.initialState
    states =
      [state]
      + commands.map { command in
        _ = trial.specification.apply(command, to: &state)
        return state
      }
    coverage = CrashCoverage(
      commands: commands.count, calls: events.count { $0.kind != .mark })
  }

  /// Examines every point until one has a finding or the time is over.
  mutating func examine(
    until deadline: ContinuousClock.Instant?, willOpen: (CrashFinding) -> Void
  ) throws -> CrashTrial<Spec>.Outcome {
    for (number, event) in events.enumerated() {
      try recorded.apply(event)
      guard advance(event) else { continue }
      if deadline.map({ ContinuousClock.now >= $0 }) == true || trial.cancellation.isRequested {
        coverage.pointsLeftOut += 1
        continue
      }
      coverage.points += 1
      let point = CrashFinding.Point(
        event: event.kind == .mark
          ? "the return of command \(acknowledged)" : event.description,
        number: number + 1, count: events.count, acknowledged: acknowledged, begun: begun)
      for mode in trial.modes {
        for image in FolderImage.images(of: recorded, after: mode) {
          if let finding = try examine(image, point, mode, willOpen) {
            return .init(coverage: coverage, finding: finding)
          }
        }
      }
    }
    return .init(coverage: coverage)
  }

  /// Follows the marks.
  ///
  /// - Returns: Whether a crash after the event is a point of its own.
  private mutating func advance(_ event: FileEvent) -> Bool {
    guard event.kind == .mark else { return event.kind != .map }
    if event.offset.isMultiple(of: 2) {
      begun = event.offset / 2 + 1
      return false
    }
    acknowledged = event.offset / 2 + 1
    if spec.isFlush(commands[acknowledged - 1]) { flushed = acknowledged }
    return true
  }

  // MARK: - One image

  private mutating func examine(
    _ image: FolderImage, _ point: CrashFinding.Point, _ mode: CrashMode,
    _ willOpen: (CrashFinding) -> Void
  ) throws -> CrashFinding? {
    coverage.images += 1
    var finding = CrashFinding(
      kind: .endedProcess, point: point, mode: mode, expected: [], found: "")
    let outside = commands.prefix(acknowledged).filter { spec.isOutside($0) }
    let key = Key(contents: image.contents, outside: outside.count)
    let observation: Observation
    if let known = observations[key] {
      observation = known
    } else {
      willOpen(finding)
      observation = try observe(image, outside)
      observations[key] = observation
      coverage.opened += 1
    }
    let allowed = fewest(after: mode)...begun
    finding.expected = [allowed.lowerBound, allowed.upperBound].reduce(into: []) { lines, count in
      let line = "\(describe(expectation(count))), the state after \(count) command\(count == 1 ? "" : "s")"
      if !lines.contains(line) { lines.append(line) }
    }
    switch observation {
    case .failure(let message):
      finding.kind = .unreadable
      finding.found = message
      return finding
    case .responses(let responses):
      if allowed.reversed().contains(where: { expectation($0) == responses }) { return nil }
      finding.survived = (0..<allowed.lowerBound).last { expectation($0) == responses }
      finding.kind = finding.survived == nil ? .mixed : .lost
      finding.found = describe(responses)
      return finding
    }
  }

  /// The fewest commands that must survive a crash now.
  private func fewest(after mode: CrashMode) -> Int {
    switch trial.durability {
    case .powerLoss: acknowledged
    case .processCrash: mode.isPowerLoss ? flushed : acknowledged
    case .flush: flushed
    }
  }

  /// The responses to the probes if a number of commands survives.
  private mutating func expectation(_ count: Int) -> [Spec.Response] {
    if let known = expectations[[count, acknowledged]] { return known }
    var state = states[count]
    for command in commands.prefix(acknowledged).dropFirst(count) where spec.isOutside(command) {
      _ = spec.apply(command, to: &state)
    }
    let responses = spec.probes.map { spec.apply($0, to: &state) }
    expectations[[count, acknowledged]] = responses
    return responses
  }

  private func describe(_ responses: [Spec.Response]) -> String {
    zip(spec.probes, responses).map { "\($0) → \($1)" }.joined(separator: ", ")
  }

  private func observe(_ image: FolderImage, _ outside: [Spec.Command]) throws -> Observation {
    let place = try folder.subfolder("image")
    defer { try? FileManager.default.removeItem(atPath: place) }
    try image.write(to: place)
    let (trial, spec) = (trial, spec)
    return try runBlocking {
      do {
        return .responses(
          try await trial.reopenable.withSubject(
            in: URL(fileURLWithPath: place, isDirectory: true)
          ) { subject in
            for command in outside { _ = try await spec.perform(command, on: subject) }
            var responses: [Spec.Response] = []
            for probe in spec.probes {
              responses.append(try await spec.perform(probe, on: subject))
            }
            return responses
          })
      } catch {
        return .failure("it threw: \(error)")
      }
    }
  }
}
