/// Judges mutants one after the other in one process of the test program, as long as that is safe.
///
/// A mutant that ends its process blames the case that it ran; the next one gets a new process. A
/// failure counts only if the same case then passes without the mutant and fails with it again, in
/// the same process; otherwise an earlier mutant has left something behind, and this one is judged
/// again in a new process.
///
/// Belongs to one thread.
final class MutantJudge {
  private let program: CaseServerProcess.Program
  private let baseline: Baseline
  private var state: SwitchState
  private let folder: String
  private let name: String
  private let count: Int
  private var server: CaseServerProcess?
  /// How many processes were left to a case that hangs, with their switches.
  private var left = 0

  /// What the time was spent on.
  private(set) var time = JudgingTime()

  /// The most cases of a command.
  private static let longestPart = 256

  /// The most switches that several cases of a command pass without a mutant.
  private static let switchesOfPart = 50_000

  /// How long a case may be silent before it counts as hanging, as a multiple of the usual limit.
  private static let patience = 3.0

  init(
    _ program: CaseServerProcess.Program, _ baseline: Baseline, count: Int, folder: String,
    name: String
  ) throws(MutationError) {
    self.program = program
    self.baseline = baseline
    self.folder = folder
    self.name = name
    self.count = count
    state = try SwitchState(folder: folder, name: name, count: count)
  }

  /// A mutant that is judged.
  struct Task {
    /// The mutant's number.
    var number: Int
    /// The cases that reach it, in the order to try them.
    var cases: [String]
    /// Whether the mutant must be active when its process starts.
    var isStartedWith = false
    /// Why cases may be silent for longer, or `nil`. If they are silent even longer, that is a verdict.
    var slow: Slowness?

    fileprivate var isPatient: Bool { slow != nil }
  }

  /// What became of a case that was silent for longer than usual.
  enum Slowness {
    /// It failed, in a process that has ended.
    case failing(String, message: String)
    /// It passed, or its process ended.
    case ending
  }

  /// What became of a mutant.
  enum Outcome {
    case judged(MutantVerdict)
    /// A case is silent. If it stays so, it is a verdict; otherwise a patient judge must judge again.
    case hangs(HangingCase)
  }

  /// How a case ended.
  private enum End {
    case passed
    case failed(message: String)
    case looped
    case hung(HangingCase)
    case crashed(how: String)
  }

  /// Judges a mutant.
  func judge(_ task: Task) throws(MutationError) -> Outcome {
    let start = ContinuousClock.now
    let old = time
    let outcome = try decide(task)
    let rest =
      JudgingTime.since(start) - (time.starting - old.starting)
      - (time.confirming - old.confirming)
    if case .judged(let verdict) = outcome, verdict.status == .survived {
      time.surviving += rest
    } else {
      time.noticing += rest
    }
    return outcome
  }

  private func decide(_ task: Task) throws(MutationError) -> Outcome {
    if task.isStartedWith || task.isPatient { restart() }
    // It has failed once already, and may take seconds.
    if case .failing(let id, let message)? = task.slow,
      let message = try repetition(of: id, task, saying: message)
    {
      return .judged(MutantVerdict(.killed, killer: id, message: message))
    }
    // Failures that did not happen again in a process in which nothing ran before.
    var singleFailures = 0
    while true {
      let isFresh = server == nil
      guard let (id, end) = try firstFailure(task) else {
        if task.isStartedWith { restart() }
        return .judged(MutantVerdict(.survived, reachedBy: task.cases.sorted()))
      }
      switch end {
      case .failed(let message):
        let repeated = try repetition(of: id, task, saying: message)
        if isFresh { singleFailures += 1 }
        if repeated != nil || singleFailures == 2 {
          return .judged(MutantVerdict(.killed, killer: id, message: repeated ?? message))
        }
        restart()
      case .looped:
        // The fuel's end has switched the mutant off, and the process goes on.
        if task.isStartedWith { restart() }
        if server != nil { _ = try passesWithout(id) }
        return .judged(MutantVerdict(.looped, killer: id))
      case .crashed(let how): return .judged(MutantVerdict(.crashed, killer: id, message: how))
      case .hung(let hanging):
        return task.isPatient ? .judged(MutantVerdict(.timedOut, killer: id)) : .hangs(hanging)
      case .passed: break
      }
    }
  }

  /// Runs a task's cases up to the first that does not pass.
  private func firstFailure(_ task: Task) throws(MutationError) -> (id: String, end: End)? {
    if let failure = try firstFailure(task, of: task.cases) { return failure }
    // An earlier case may have undone what the mutant changed at the start: the order of the cases,
    // which depends on time, must not decide.
    guard task.isStartedWith, task.cases.count > 1 else { return nil }
    restart()
    return try firstFailure(task, of: task.cases.reversed())
  }

  private func firstFailure(
    _ task: Task, of cases: [String]
  ) throws(MutationError) -> (id: String, end: End)? {
    var rest = cases[...]
    var size = 4
    while !rest.isEmpty {
      let part = nextPart(of: rest, atMost: size)
      rest = rest.dropFirst(part.count)
      size = min(4 * size, Self.longestPart)
      guard let failure = try run(part, with: task.number, task) else { continue }
      guard case .looped = failure.end, part.count > 1 else { return failure }
      if task.isStartedWith { restart() }
      for id in part {
        if let failure = try run([id], with: task.number, task) { return failure }
      }
    }
    return nil
  }

  /// The cases that are sent in the next command.
  ///
  /// Most mutants fail one of the first cases, so the first commands are short. The cases of a
  /// command share their fuel: the less they have, the sooner an endless loop has spent it.
  private func nextPart(of cases: ArraySlice<String>, atMost size: Int) -> [String] {
    var part: [String] = []
    var switches = 0
    for id in cases.prefix(size) {
      switches += baseline.cases[id]?.switches ?? 0
      if switches > Self.switchesOfPart, !part.isEmpty { break }
      part.append(id)
    }
    return part
  }

  /// What a case that failed says when it passes without the mutant and fails again with it; `nil` if
  /// it does not.
  ///
  /// - Parameter message: What it said the first time, which an earlier mutant may have caused.
  private func repetition(
    of id: String, _ task: Task, saying message: String
  ) throws(MutationError) -> String? {
    let start = ContinuousClock.now
    let old = time.starting
    defer { time.confirming += JudgingTime.since(start) - (time.starting - old) }
    if task.isStartedWith {
      restart()
      return message
    }
    guard try passesWithout(id), let again = try run([id], with: task.number, task) else {
      return nil
    }
    if case .failed(let second) = again.end { return second }
    return message
  }

  /// Whether a case passes without mutants. If not, the process is given up.
  private func passesWithout(_ id: String) throws(MutationError) -> Bool {
    if try run([id], with: nil, nil) == nil { return true }
    restart()
    return false
  }

  /// Ends the process. The next case gets a new one.
  func restart() {
    server?.end()
    server = nil
  }

  /// Runs cases in one command, up to the first that does not pass. A process that has ended or
  /// hangs is given up.
  private func run(
    _ ids: [String], with number: Int?, _ task: Task?
  ) throws(MutationError) -> (id: String, end: End)? {
    let state = self.state
    let fuel = number.map { _ in fuelLimit(of: ids) }
    if task?.isStartedWith == true { state.setActive(number, fuel: fuel) }
    let server = try readyServer()
    state.setActive(number, fuel: fuel)
    var isLeft = false
    defer { if !isLeft { state.setActive(nil, fuel: nil) } }
    server.send(ids)
    let patience = task?.isPatient == true ? Self.patience : 1
    var current = ids[0]
    var failure: (id: String, end: End)?
    while true {
      do throws(CaseServerProcess.Silence) {
        switch try server.line(within: patience * baseline.timeLimit(of: current)) {
        case .started(let id): current = id
        case .failed(let id, let message): failure = (id, .failed(message: message))
        case .done: return state.isFuelSpent ? (failure?.id ?? current, .looped) : failure
        default: break
        }
      } catch {
        switch error {
        case .timedOut:
          isLeft = true
          return (current, .hung(try leave(current, on: server)))
        case .ended(let signal, let status):
          restart()
          if let signal { return (current, .crashed(how: "signal \(signal)")) }
          let isLoop = status == SwitchState.fuelStatus
          return (current, isLoop ? .looped : .crashed(how: "exit status \(status)"))
        }
      }
    }
  }

  /// How many switches cases may pass with a mutant.
  ///
  /// Several cases get little, because each of them is run again alone if it is spent: an endless loop
  /// should end soon. One case gets enough for each mutant that only makes it slower.
  private func fuelLimit(of ids: [String]) -> Int {
    let switches = ids.reduce(0) { $0 + (baseline.cases[$1]?.switches ?? 0) }
    return ids.count > 1 ? 20_000 + 2 * switches : 100_000 + 10 * switches
  }

  /// Gives up the process of a case that hangs, with its switches.
  private func leave(
    _ id: String, on server: CaseServerProcess
  ) throws(MutationError) -> HangingCase {
    let hanging = HangingCase(
      id, on: server, state, patience: (Self.patience - 1) * baseline.timeLimit(of: id))
    self.server = nil
    left += 1
    state = try SwitchState(folder: folder, name: "\(name)-\(left)", count: count)
    return hanging
  }

  /// The running process, or a new one.
  private func readyServer() throws(MutationError) -> CaseServerProcess {
    if let server { return server }
    let start = ContinuousClock.now
    defer { time.starting += JudgingTime.since(start) }
    let server = try CaseServerProcess(program, state: state, folder: folder, name: name)
    self.server = server
    while true {
      do throws(CaseServerProcess.Silence) {
        if try server.line(within: 60) == .ready { return server }
      } catch {
        // A mutant that is active from the start can end the process before it is ready.
        guard state.isActive else {
          throw MutationError("the test program does not start (\(error)):\n\(server.output)")
        }
        return server
      }
    }
  }
}
