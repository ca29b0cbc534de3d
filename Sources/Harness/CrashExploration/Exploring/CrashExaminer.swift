import ContractExploration
import Foundation

/// Goes through a recording, and reopens the subject on what a crash at each point leaves.
struct CrashExaminer<Spec: PersistentSpecification> {
  /// What was read from a reopened subject.
  private enum Observation {
    case responses([Spec.Response])
    /// A failure, after some responses.
    case failure(String, after: [Spec.Response])
    /// The end of the process, or of its time.
    case ended(EndedImage)
  }

  /// An image, and the number of acknowledged commands, of which those outside the subject are
  /// performed again.
  private struct Key: Hashable {
    var contents: [String: FolderImage.Content]
    var outside: Int
  }

  /// The same for an image of a second crash, whose files belong to another recording.
  private struct SecondKey: Hashable {
    var contents: [String: FolderImage.WholeContent]
    var outside: Int
  }

  /// A reopening of an image, and a mode of a second crash.
  private struct RecoveryKey: Hashable {
    var image: Key
    var mode: CrashMode
  }

  /// What reopening an image did to its files.
  private struct Recovery {
    var events: [FileEvent]
    /// The files before.
    var folder: RecordedFolder
  }

  /// What was read after a second crash, which happened after an event.
  private struct SecondRead {
    var event: String
    var observation: Observation
  }

  private let trial: CrashTrial<Spec>
  private let commands: [Spec.Command]
  private let events: [FileEvent]
  private let folder: WorkingFolder
  private let goesOn: Bool
  private let resumption: CrashResumption?
  /// The model's state after each number of commands.
  private let states: [Spec.State]

  private var recorded: RecordedFolder
  private var coverage: CrashCoverage
  private var observations: [Key: Observation] = [:]
  private var recoveries: [Key: Recovery] = [:]
  private var secondReads: [RecoveryKey: [SecondRead]] = [:]
  private var secondObservations: [SecondKey: Observation] = [:]
  /// The responses of the model to the probes, by the number of commands that survive and that of
  /// those acknowledged.
  private var expectations: [[Int]: [Spec.Response]] = [:]
  /// The numbers of commands that have begun, that have returned, and after which the last flush
  /// returned.
  private var begun = 0
  private var acknowledged = 0
  private var flushed = 0
  /// The number of the current image, from 1, without those of second crashes.
  private var image = 0
  /// A subject that was read rightly and did not go on, which counts only if nothing worse is
  /// found.
  private var stuck: CrashFinding?

  private var spec: Spec { trial.specification }

  init(
    _ trial: CrashTrial<Spec>, _ commands: [Spec.Command], _ events: [FileEvent],
    in folder: WorkingFolder, goesOn: Bool, resuming resumption: CrashResumption?
  ) {
    self.trial = trial
    self.commands = commands
    self.events = events
    self.folder = folder
    self.goesOn = goesOn
    self.resumption = resumption
    var state = trial.specification.initialState
    states =
      [state]
      + commands.map { command in
        _ = trial.specification.apply(command, to: &state)
        return state
      }
    recorded = RecordedFolder(exempting: trial.reopenable.exemptions)
    coverage = CrashCoverage(
      commands: commands.count, calls: events.count { $0.kind != .mark })
    for deviation in trial.reopenable.deviations { coverage.deviations[deviation.reason] = 0 }
  }

  /// Examines every point until one has a finding or the time is over.
  mutating func examine(
    until deadline: ContinuousClock.Instant?, willOpen: CrashTrial<Spec>.WillOpen
  ) throws -> CrashTrial<Spec>.Outcome {
    for (number, event) in events.enumerated() {
      guard try recorded.apply(event), advance(event) else { continue }
      if deadline.map({ ContinuousClock.now >= $0 }) == true || trial.cancellation.isSet {
        coverage.pointsLeftOut += 1
        continue
      }
      coverage.points += 1
      let point = CrashFinding.Point(
        event: event.kind == .mark
          ? "the return of command \(acknowledged)" : event.description,
        number: number + 1, count: events.count, acknowledged: acknowledged, begun: begun)
      var isExhaustive = true
      for mode in trial.modes {
        let images = FolderImage.images(of: recorded, after: mode)
        isExhaustive = isExhaustive && images.isExhaustive
        for image in images.all {
          let crash = CrashFinding(
            kind: .endedProcess, point: point, mode: mode, isExhaustive: images.isExhaustive)
          if let finding = try examine(image, crash, willOpen), !isKnown(finding) {
            coverage.exempted = Set(recorded.exempted.map(\.description))
            return .init(coverage: coverage, finding: finding)
          }
        }
      }
      if !isExhaustive { coverage.pointsNotExhausted += 1 }
    }
    coverage.exempted = Set(recorded.exempted.map(\.description))
    return .init(coverage: coverage, finding: stuck)
  }

  /// Follows the marks.
  ///
  /// - Returns: Whether a crash after the event is a point of its own.
  private mutating func advance(_ event: FileEvent) -> Bool {
    guard event.kind == .mark else { return true }
    if event.offset.isMultiple(of: 2) {
      begun = event.offset / 2 + 1
      return false
    }
    acknowledged = event.offset / 2 + 1
    if spec.isFlush(commands[acknowledged - 1]) { flushed = acknowledged }
    return true
  }

  /// Whether the subject is known to have a finding, which is counted.
  private mutating func isKnown(_ finding: CrashFinding) -> Bool {
    guard let deviation = trial.reopenable.deviations.first(where: { $0.covers(finding) }) else {
      return false
    }
    coverage.deviations[deviation.reason, default: 0] += 1
    return true
  }

  // MARK: - One image

  private mutating func examine(
    _ image: FolderImage, _ crash: CrashFinding, _ willOpen: CrashTrial<Spec>.WillOpen
  ) throws -> CrashFinding? {
    coverage.images += 1
    self.image += 1
    var finding = crash
    let outside = commands.prefix(acknowledged).filter { spec.isOutside($0) }
    let key = Key(contents: image.contents, outside: outside.count)
    if let ended = resumption?.ended[self.image] { observations[key] = .ended(ended) }
    if let last = resumption?.progress, self.image <= last.image {
      guard self.image == last.image else { return nil }
      (coverage, stuck) = (last.coverage, last.stuck)
    }
    if let known = observations[key] {
      return try judge(known, &finding).finding ?? examineRecovery(of: key, finding, willOpen)
    }

    willOpen(finding, progress)
    coverage.opened += 1
    let place = try folder.subfolder("image")
    defer { try? FileManager.default.removeItem(atPath: place) }
    try image.write(to: place)
    let observation = try observe(image, key, in: place, outside)
    observations[key] = observation
    var (failure, survived) = judge(observation, &finding)
    if failure == nil { failure = try examineRecovery(of: key, finding, willOpen) }
    if let survived, goesOn, stuck == nil,
      let found = try goOn(place, outside, from: survived, &finding), !isKnown(found)
    {
      stuck = found
    }
    return failure
  }

  private var progress: CrashProgress {
    CrashProgress(image: image, coverage: coverage, stuck: stuck)
  }

  // MARK: - A second crash

  /// Reads an image, and records what that does to its files if a second crash is examined.
  private mutating func observe(
    _ image: FolderImage, _ key: Key, in place: String, _ outside: [Spec.Command]
  ) throws -> Observation {
    guard trial.duringRecovery else { return try observe(place, outside, spec.probes) }
    let folder = try RecordedFolder(image, exempting: trial.reopenable.exemptions) {
      path throws(CrashExplorationError) in
      var status = stat()
      guard stat(place + "/" + path, &status) == 0 else {
        throw CrashExplorationError(.unsupportedCall, "can't find the image of \(path)")
      }
      return UInt64(status.st_ino)
    }
    var observation = Observation.responses([])
    let events = try FileRecorder.recording(place) {
      observation = try observe(place, outside, spec.probes)
    }
    recoveries[key] = Recovery(events: events, folder: folder)
    return observation
  }

  /// Examines a second crash, in the same mode, at every point of a reopening.
  ///
  /// No command returns meanwhile, so the promise is that after the first crash.
  private mutating func examineRecovery(
    of image: Key, _ first: CrashFinding, _ willOpen: CrashTrial<Spec>.WillOpen
  ) throws -> CrashFinding? {
    guard let recovery = recoveries[image] else { return nil }
    let key = RecoveryKey(image: image, mode: first.mode)
    let reads = try secondReads[key] ?? read(recovery, image.outside, first, willOpen)
    secondReads[key] = reads
    for read in reads {
      var finding = first
      finding.recovery = read.event
      if let failure = judge(read.observation, &finding).finding { return failure }
    }
    return nil
  }

  /// Reopens what a second crash leaves at every point of a reopening.
  private mutating func read(
    _ recovery: Recovery, _ outside: Int, _ first: CrashFinding,
    _ willOpen: CrashTrial<Spec>.WillOpen
  ) throws -> [SecondRead] {
    let performed = commands.filter { spec.isOutside($0) }.prefix(outside)
    var recorded = recovery.folder
    var reads: [SecondRead] = []
    for event in recovery.events where !trial.cancellation.isSet {
      guard try recorded.apply(event), event.kind != .mark else { continue }
      coverage.pointsOfRecovery += 1
      for image in FolderImage.images(of: recorded, after: first.mode).all {
        coverage.images += 1
        let key = SecondKey(contents: image.wholeContents, outside: outside)
        var finding = first
        finding.kind = .endedProcess
        finding.recovery = event.description
        let observation = try secondObservations[key] ?? open(image, performed, finding, willOpen)
        secondObservations[key] = observation
        reads.append(.init(event: event.description, observation: observation))
      }
    }
    return reads
  }

  /// Reads what a second crash has left.
  private mutating func open(
    _ image: FolderImage, _ outside: some Sequence<Spec.Command>, _ finding: CrashFinding,
    _ willOpen: CrashTrial<Spec>.WillOpen
  ) throws -> Observation {
    willOpen(finding, progress)
    coverage.opened += 1
    let place = try folder.subfolder("second")
    defer { try? FileManager.default.removeItem(atPath: place) }
    try image.write(to: place)
    return try observe(place, Array(outside), spec.probes)
  }

  /// Compares what was read with what the promise allows.
  ///
  /// - Returns: The finding, or the number of commands that survived.
  private mutating func judge(
    _ observation: Observation, _ finding: inout CrashFinding
  ) -> (finding: CrashFinding?, survived: Int?) {
    let allowed = fewest(after: finding.mode)...begun
    switch observation {
    case .ended(let end):
      end.describe(in: &finding)
      return (finding, nil)
    case .failure(let message, _):
      finding.kind = .unreadable
      finding.found = message
    case .responses(let responses):
      if let survived = allowed.last(where: { expectation($0) == responses }) {
        return (nil, survived)
      }
      finding.survived = (0..<allowed.lowerBound).last { expectation($0) == responses }
      finding.kind = finding.survived == nil ? .mixed : .lost
      finding.found = Self.describe(spec.probes, responses)
    }
    finding.expected = Set([allowed.lowerBound, allowed.upperBound]).sorted().map { count in
      Self.describe(spec.probes, expectation(count))
        + ", the state after \(count) command\(count == 1 ? "" : "s")"
    }
    return (finding, nil)
  }

  /// Performs the next commands on what the first reopening left, closes the subject, and reads it
  /// again.
  ///
  /// A crash may leave files that are read rightly but prevent the next change, or swallow it.
  private func goOn(
    _ place: String, _ outside: [Spec.Command], from survived: Int, _ finding: inout CrashFinding
  ) throws -> CrashFinding? {
    let next = commands.indices.dropFirst(survived).filter { !spec.isOutside(commands[$0]) }
      .prefix(Self.commandsAfterCrash)
    guard let last = next.last else { return nil }
    var state = state(survived)
    let performed = next.map { commands[$0] } + spec.probes
    let expected = performed.map { spec.apply($0, to: &state) }
    var observation = try observe(place, outside, performed)
    finding.kind = .stuck
    if let index = differing(observation, expected, performed, &finding) {
      finding.lastPerformed = index < next.count ? next[index] : last
      return finding
    }
    // Without a flush, closing need not keep anything.
    guard trial.durability != .flush else { return nil }
    observation = try observe(place, outside, spec.probes)
    let kept = Array(expected.suffix(spec.probes.count))
    guard differing(observation, kept, spec.probes, &finding) != nil else { return nil }
    finding.expected[0] += ", after closing it and opening it again"
    finding.lastPerformed = last
    return finding
  }

  /// The number of commands that a reopened subject must go on with.
  private static var commandsAfterCrash: Int { 2 }

  /// Returns the index of the first response that is not the expected one, and describes it.
  private func differing(
    _ observation: Observation, _ expected: [Spec.Response], _ commands: [Spec.Command],
    _ finding: inout CrashFinding
  ) -> Int? {
    let found: [Spec.Response]
    switch observation {
    case .responses(expected): return nil
    case .responses(let responses): found = responses
    case .failure(let message, let responses):
      found = responses
      finding.found = message
    case .ended(let end):
      found = []
      finding.found = end.found
    }
    let index = zip(found, expected).prefix { $0 == $1 }.count
    guard index < expected.count else {
      finding.expected = ["closing not to fail"]
      return expected.count - 1
    }
    finding.expected = ["\(commands[index]) → \(expected[index]), after reopening"]
    if index < found.count { finding.found = "\(commands[index]) → \(found[index])" }
    return index
  }

  /// The fewest commands that must survive a crash now.
  private func fewest(after mode: CrashMode) -> Int {
    switch trial.durability {
    case .powerLoss: acknowledged
    case .processCrash: mode.isPowerLoss ? flushed : acknowledged
    case .flush: flushed
    }
  }

  /// The model's state if a number of commands survives: those outside the subject survive in any
  /// case.
  private func state(_ count: Int) -> Spec.State {
    var state = states[count]
    for command in commands.prefix(acknowledged).dropFirst(count) where spec.isOutside(command) {
      _ = spec.apply(command, to: &state)
    }
    return state
  }

  /// The responses to the probes if a number of commands survives.
  private mutating func expectation(_ count: Int) -> [Spec.Response] {
    if let known = expectations[[count, acknowledged]] { return known }
    var state = state(count)
    let responses = spec.probes.map { spec.apply($0, to: &state) }
    expectations[[count, acknowledged]] = responses
    return responses
  }

  private static func describe(_ commands: [Spec.Command], _ responses: [Spec.Response]) -> String {
    zip(commands, responses).map { "\($0) → \($1)" }.joined(separator: ", ")
  }

  /// Opens a subject in a folder, performs commands and closes it.
  private func observe(
    _ place: String, _ outside: [Spec.Command], _ commands: [Spec.Command]
  ) throws -> Observation {
    let (trial, spec) = (trial, spec)
    return try runBlocking {
      var responses: [Spec.Response] = []
      do {
        let folder = URL(fileURLWithPath: place, isDirectory: true)
        try await trial.reopenable.withSubject(in: folder) { subject in
          for command in outside { _ = try await spec.perform(command, on: subject) }
          for command in commands {
            responses.append(try await spec.perform(command, on: subject))
          }
        }
        return .responses(responses)
      } catch {
        return .failure("it threw: \(error)", after: responses)
      }
    }
  }
}
