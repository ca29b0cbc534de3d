/// A fault of a specification that makes its exploration wrong or weak.
public enum HealthIssue: Sendable, Hashable {
  /// The model gave different responses to one command in one state.
  case modelDisagrees(command: String, seed: UInt64)
  /// The generator drew different commands from the same choices.
  case generatorDisagrees(seed: UInt64)
  /// A command that is declared read-only changed the model's state.
  case readOnlyChanges(command: String)
  /// The model or the generator did not return, or took too much memory, after these commands.
  case neverReturns(StoppedCode, commands: [String], seed: UInt64?)
  /// The model or the generator ended its process after these commands.
  case endsProcess(reason: String, commands: [String], seed: UInt64?)
  /// The sampled runs had the same commands.
  case nothingNew(runs: Int)
  /// The specification lists kinds of command that no sampled run contained.
  case neverReached(kinds: [String], runs: Int)
  /// No call that began after a fault was answered, so nothing is known about the subject then.
  case neverAnswers(fault: String, calls: Int)
}

extension HealthIssue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .modelDisagrees(let command, let seed):
      "the model gives different responses to \(command) in one state (seed \(seed)); "
        + "apply(_:to:) must depend only on the command and the state"
    case .generatorDisagrees(let seed):
      "seed \(seed) gives different commands in two runs; command(from:in:) must draw only from "
        + "the choices"
    case .readOnlyChanges(let command):
      "\(command) is declared read-only but changes the state; isReadOnly(_:) must return false"
    case .neverReturns(let code, let commands, let seed):
      "the model or the generator: \(code)" + (seed.map { " (seed \($0))" } ?? "")
        + "; the last of these commands: " + commands.joined(separator: ", ")
    case .endsProcess(let reason, let commands, let seed):
      "the model or the generator ended its process" + (reason.isEmpty ? "" : ": \(reason)")
        + (seed.map { " (seed \($0))" } ?? "")
        + "; the last of these commands: " + commands.joined(separator: ", ")
    case .nothingNew(let runs):
      "\(runs) runs had the same commands; command(from:in:) must draw from the choices"
    case .neverReached(let kinds, let runs):
      "no \(kinds.joined(separator: ", ")) in \(runs) runs; draw them in command(from:in:), or "
        + "remove them from `kinds`"
    case .neverAnswers(let fault, let calls):
      "none of \(calls) calls after the fault '\(fault)' had an answer, so the exploration shows "
        + "nothing about it; let the subject recover, or give the calls more time"
    }
  }
}

/// Checks a specification without a subject.
package struct HealthCheck<Spec: Specification> {
  private let spec: Spec
  private let settings: ExplorationSettings
  private let runs: SeededRuns

  package init(_ spec: Spec, _ settings: ExplorationSettings, _ runs: SeededRuns? = nil) {
    self.spec = spec
    self.settings = settings
    self.runs = runs ?? SeededRuns(settings, literals: [])
  }

  /// Checks the model and 200 runs of the generator.
  package static func sample(_ spec: Spec, seed: UInt64) -> [HealthIssue] {
    let settings = ExplorationSettings(runs: 200, seed: seed)
    let check = HealthCheck(spec, settings)
    return check.ofModel() + check.ofGenerator(runs: settings.runs)
  }

  /// Checks that the model and the generator depend only on their arguments.
  ///
  /// - Parameter position: Receives how far the check is, in case the model ends the process.
  package func ofModel(_ position: CrashPosition = CrashPosition()) -> [HealthIssue] {
    for run in 0..<min(settings.runs, 20) {
      if let issue = issue(inRun: run, position) { return [issue] }
    }
    return []
  }

  /// Checks that the model and the generator depend only on their arguments in one run.
  package func issue(inRun run: Int, _ position: CrashPosition) -> HealthIssue? {
    let seed = runs.seed(ofRun: run)
    var choices = runs.choices()
    runs.start(run, &choices)
    position.set(run: run, commands: 0)
    defer { position.set(run: -1, commands: 0) }
    var state = spec.initialState
    let watch = CodeWatch.current.value
    watch?.drawn = (seed, [])
    for step in 0..<runs.steps(ofRun: run) {
      watch?.begin()
      defer { watch?.end() }
      position.set(drawing: step)
      var again = choices
      let command = choices.command(of: spec, in: state)
      guard command == again.command(of: spec, in: state) else {
        return .generatorDisagrees(seed: seed)
      }
      watch?.drawn.commands.append(command)
      position.set(applying: step)
      var first = state
      var second = state
      let answers = (spec.apply(command, to: &first), spec.apply(command, to: &second))
      guard answers.0 == answers.1, first == second else {
        return .modelDisagrees(command: command.description, seed: seed)
      }
      if spec.isReadOnly(command), first != state {
        return .readOnlyChanges(command: command.description)
      }
      state = first
      choices.see(answers.0)
    }
    return nil
  }

  /// Checks that the runs differ and contain every required kind of command.
  package func ofGenerator(runs count: Int) -> [HealthIssue] {
    let sample = min(count, 1000)
    var missing = Set(spec.kinds)
    var first: [Spec.Command]?
    var isNew = sample < 10 || settings.steps == 0
    for run in 0..<sample where !isNew || !missing.isEmpty {
      CodeWatch.current.value?.drawn.seed = runs.seed(ofRun: run)
      var choices = runs.choices()
      runs.start(run, &choices)
      // No more than the run has drawn: further commands might be the first to end the process.
      let count = min(settings.steps, runs.steps(ofRun: run))
      let commands = ShrinkCandidate(spec, &choices, count: count).commands
      if let first, !zip(first, commands).allSatisfy(==) { isNew = true }
      if first == nil { first = commands }
      if !missing.isEmpty { missing.subtract(commands.map { spec.kind(of: $0) }) }
    }
    var issues: [HealthIssue] = []
    if !isNew { issues.append(.nothingNew(runs: sample)) }
    if sample >= 10, !missing.isEmpty {
      issues.append(.neverReached(kinds: missing.sorted(), runs: sample))
    }
    return issues
  }
}
