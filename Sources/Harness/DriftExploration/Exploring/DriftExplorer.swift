import ContractExploration
import ContractTesting
import Foundation
import Testing

/// Looks for differences of a fake from a live implementation until the budget is used up.
///
/// The calls are made in another process, so that a crash or a hang of either side is a finding like any
/// other.
struct DriftExplorer<Subject> {
  typealias Call = DriftCall<Subject>
  typealias Specification = DriftSpecification<Subject>
  typealias Failure = LockStepFailure<Specification>

  let live: Implementation<Subject>
  let fake: Implementation<Subject>
  let operations: [AnyOperation<Subject>]
  let observations: [Observation<Subject>]
  let settings: ExplorationSettings
  let examples: ExampleStore
  /// The most findings.
  let limit: Int
  /// The process that makes the calls. It stays for all that the exploration does, unless a side ends it.
  let processes: SubjectProcesses?

  /// The most sequences to shrink that show nothing new.
  static var repetitions: Int { 100 }

  func explore() async -> DriftReport<Subject> {
    var report = DriftReport<Subject>(live: live.id, fake: fake.id, seed: settings.seed)
    var mode = DriftMode()
    let folder = FileManager.default.temporaryDirectory.appending(path: "drift-\(UUID())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    mode.marks = folder.path
    var settings = settings
    var repetitions = 0
    while report.findings.count < limit, repetitions < Self.repetitions {
      let result = await lockStep(mode, settings).storing(in: examples).explore()
      report.add(result)
      settings.time = settings.time.map { $0 - result.searchTime }
      guard var failure = result.failure else { break }
      if case .setUpThrew("SideUnavailable", let reason) = failure.kind {
        report.unavailability = reason
        return report
      }
      if let seed = failure.seed { settings.seed = seed &+ 1 }
      if let known = await declared(failure) {
        mode.avoidedKnown.insert(known)
        if let file = result.savedExample { try? FileManager.default.removeItem(atPath: file) }
        continue
      }
      let isNew = !report.includes(DriftFinding(failure, specification: specification))
      if isNew { await condense(&failure, mode) }
      var finding = await finding(from: failure, &mode)
      // Two fakes would share an exclusive resource.
      if isNew, finding?.answers != nil, fake.resources.isEmpty {
        finding?.fakeVaries = await varies(.fake, failure.commands)
      }
      if finding.map({ report.include($0) }) == true {
        if result.savedExample != nil { report.examples = examples.shortPath }
      } else {
        repetitions += 1
        if finding == nil { report.consequences += 1 }
        if let file = result.savedExample { try? FileManager.default.removeItem(atPath: file) }
      }
      mode.ignoredCategories = report.exhaustedCategories
      if finding?.isOfSetUp == true || Task.isCancelled { break }
      if let time = settings.time, time <= .zero { break }
    }
    report.isFull = report.findings.count == limit
    if !report.findings.contains(where: \.isOfSetUp) {
      await seekKnown(&report, mode)
    }
    let marks = CallMarks(folder: folder.path)
    // A few sequences may be over before a result is there.
    if report.runs >= 20 {
      report.uncalled = operations.filter { !$0.references.isEmpty && !marks.isSet($0.name) }
        .map { ($0.name, $0.references) }
    }
    return report
  }

  // MARK: - Known differences

  /// The declared difference that a crash or a hang of the fake is.
  private func declared(_ failure: Failure) async -> DriftMode.Known? {
    var finding = DriftFinding(failure, specification: specification)
    guard failure.kind.isEndOfProcess, let call = finding.calls.last,
      let number = call.bound?.known([], fake.id)
    else { return nil }
    await blame(failure, &finding)
    return finding.guilty == [.fake] ? .init(operation: call.operation, number: number) : nil
  }

  /// Checks that each declared difference is still there.
  private func seekKnown(_ report: inout DriftReport<Subject>, _ explored: DriftMode) async {
    var settings = settings
    settings.replays = 0
    settings.shrinkCalls = 0
    for operation in operations {
      for (number, known) in operation.known.enumerated()
      where known.fake == nil || known.fake == fake.id {
        let sought = DriftMode.Known(operation: operation.name, number: number)
        var isSeen = explored.avoidedKnown.contains(sought)
        if !isSeen {
          var mode = DriftMode()
          mode.sought = sought
          mode.avoided = explored.avoided
          mode.avoidedKnown = explored.avoidedKnown
          let result = await lockStep(mode, settings).explore()
          report.calls += result.calls
          isSeen = result.failure.map { !$0.kind.isEndOfProcess } ?? false
        }
        report.known.append((operation.name, known.reason, isSeen))
      }
    }
  }

  // MARK: - Findings

  /// Makes a finding of a failure; `nil` if it only follows from a difference that is reported already.
  private func finding(
    from failure: Failure, _ mode: inout DriftMode
  ) async -> DriftFinding<Subject>? {
    var finding = DriftFinding(failure, specification: specification)
    if let signature = finding.answers?.signature {
      let transcripts = await transcripts(of: failure.commands, count: 2)
      let steps = transcripts.first ?? []
      finding.steps = Array(steps.prefix(through: finding.ownStep(in: steps)))
      finding.isStable =
        transcripts.count == 2 && transcripts[0].map(\.live) == transcripts[1].map(\.live)
      // The same difference in other places, and what shrinking made of it, are not found again.
      mode.ignored.insert(signature)
      if let place = finding.lastPlace {
        let parts = signature.split(separator: "|", omittingEmptySubsequences: false).suffix(2)
        mode.ignored.insert(([place] + parts.map(String.init)).joined(separator: "|"))
      }
      if finding.steps.dropLast().contains(where: \.differs) {
        mode.ignored.insert(Specification.consequence(signature))
        return nil
      }
    } else {
      finding.steps =
        await transcripts(of: Array(failure.commands.dropLast()), count: 1).first ?? []
      await blame(failure, &finding)
      if let place = finding.lastPlace, !finding.isOfSetUp { mode.avoided.insert(place) }
    }
    return finding
  }

  /// Finds out which side ends the process or does not return.
  private func blame(_ failure: Failure, _ finding: inout DriftFinding<Subject>) async {
    guard failure.kind.isEndOfProcess else { return }
    for side in [DriftMode.Side.live, .fake] {
      var mode = DriftMode()
      mode.side = side
      let kinds = await lockStep(mode, settings).sendingCommands()
        .run(each: [failure.commands]) { kind, _ in kind?.category }
      if kinds.first == failure.kind.category { finding.guilty.append(side) }
    }
  }

  /// Whether a side answers calls otherwise than itself, for example in the order of a dictionary.
  func varies(_ side: DriftMode.Side, _ commands: [Call]) async -> Bool {
    await lockStep(.mutated(side), settings).sendingCommands()
      .run(each: Array(repeating: commands, count: 16)) { kind, _ in kind != nil }.contains(true)
  }

  func transcripts(
    of commands: [Call], count: Int, in mode: DriftMode = DriftMode()
  ) async -> [[TranscriptStep]] {
    var mode = mode
    mode.transcribes = true
    let texts = await lockStep(mode, settings).sendingCommands()
      .run(each: Array(repeating: commands, count: count)) { kind, _ -> String? in
        if case .tearDownThrew("Transcript", let text) = kind { text } else { nil }
      }
    return texts.compactMap { $0.flatMap { Transcript($0)?.steps } }
  }

  // MARK: - The engine

  var specification: Specification {
    Specification(operations, observations, live: live.id, fake: fake.id)
  }

  /// Makes the calls that another process requests.
  func serve() async {
    await lockStep(DriftMode(), settings).sendingCommands().serve(STDIN_FILENO)
  }

  func lockStep(
    _ mode: DriftMode, _ settings: ExplorationSettings
  ) -> LockStep<Specification> {
    let specification = specification
    let current = CurrentMode(mode)
    var lockStep = LockStep(specification, settings: settings) { pair in
      do {
        try await specification.finish(pair)
      } catch {
        try? await pair.tearDown()
        throw error
      }
      try await pair.tearDown()
    } makeSubject: { [live, fake] in
      let (mode, marks) = current.value
      return try await DriftPair(
        live: mode.mutated == .fake ? fake : live, fake: mode.mutated == .live ? live : fake,
        mode: mode, marks: marks, recordedOperations: specification.context.recorded.count)
    }
    lockStep.implementation = fake.id
    lockStep.processes = processes
    lockStep.keepsProcesses = true
    lockStep.isIsolated = processes != nil
    lockStep.context = mode.text
    lockStep.onContext = { current.adopt($0) }
    return lockStep
  }
}

extension LockStepFailureKind {
  /// Whether a side ended the process or did not return.
  var isEndOfProcess: Bool {
    switch self {
    case .endedProcess, .setUpEndedProcess, .timedOut: true
    default: false
    }
  }
}
