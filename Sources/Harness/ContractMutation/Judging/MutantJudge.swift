/// Judges mutants one after the other in one process of the test program, as long as that is safe.
///
/// A mutant that ends its process blames the case that it ran; the next one gets a new process. A
/// failure counts only if the same case then passes without the mutant and fails with it again, in
/// the same process; otherwise an earlier mutant has left something behind, and this one is judged
/// again in a new process.
///
/// Use it from one thread.
final class MutantJudge {
  private let program: CaseServerProcess.Program
  private let unmutated: UnmutatedRun
  private let state: SwitchState
  private let folder: String
  private let name: String
  private var server: CaseServerProcess?
  /// The most cases of a command.
  private static let longestPart = 256

  /// The most switches that several cases of a command pass without a mutant.
  private static let switchesOfPart = 50_000

  init(
    _ program: CaseServerProcess.Program, _ unmutated: UnmutatedRun, count: Int, folder: String,
    name: String
  ) throws(MutationError) {
    self.program = program
    self.unmutated = unmutated
    self.folder = folder
    self.name = name
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
  }

  /// How a case ended.
  private enum End {
    case failed(message: String)
    case looped
    case hung
    case crashed(how: String)
  }

  /// Judges a mutant.
  func judge(_ task: Task) throws(MutationError) -> MutantVerdict {
    if task.isStartedWith { restart() }
    // Failures that did not happen again in a process in which nothing ran before.
    var singleFailures = 0
    while true {
      let isFresh = server == nil
      guard let (id, end) = try firstFailure(task) else {
        if task.isStartedWith { restart() }
        return MutantVerdict(.survived, reachedBy: task.cases.sorted())
      }
      switch end {
      case .failed(let message):
        let repeated = try repetition(of: id, task, saying: message)
        if isFresh { singleFailures += 1 }
        if repeated != nil || singleFailures == 2 {
          return MutantVerdict(.killed, killer: id, message: repeated ?? message)
        }
        restart()
      case .looped:
        // The fuel's end has switched the mutant off, and the process goes on.
        if task.isStartedWith { restart() }
        if server != nil { _ = try passesWithout(id) }
        return MutantVerdict(.looped, killer: id)
      case .crashed(let how): return MutantVerdict(.crashed, killer: id, message: how)
      case .hung: return MutantVerdict(.timedOut, killer: id)
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
      switches += unmutated.cases[id]?.switches ?? 0
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
    let fuel = number.map { _ in fuelLimit(of: ids) }
    if task?.isStartedWith == true { state.setActive(number, fuel: fuel) }
    let server = try readyServer()
    state.setActive(number, fuel: fuel)
    defer { state.setActive(nil, fuel: nil) }
    server.send(ids)
    var current = ids[0]
    var failure: (id: String, end: End)?
    while true {
      do throws(CaseServerProcess.Silence) {
        switch try server.line(within: unmutated.timeLimit(of: current)) {
        case .started(let id): current = id
        case .failed(let id, let message): failure = (id, .failed(message: message))
        case .done: return state.isFuelSpent ? (failure?.id ?? current, .looped) : failure
        default: break
        }
      } catch {
        restart()
        switch error {
        case .timedOut: return (current, .hung)
        case .ended(_, status: SwitchState.brokenStatus):
          throw MutationError(
            "the test process can't map \(state.path), perhaps as another user; its output:\n\(server.output)"
          )
        case .ended(let signal, let status):
          if let signal { return (current, .crashed(how: "signal \(signal)")) }
          let isLoop = status == SwitchState.fuelStatus
          return (current, isLoop ? .looped : .crashed(how: "exit status \(status)"))
        }
      }
    }
  }

  /// How many switches cases may pass with a mutant.
  ///
  /// Several cases share little fuel, so that an endless loop ends soon: if they spend it, each case runs
  /// again by itself. A single case gets enough for a mutant that only makes it slower.
  private func fuelLimit(of ids: [String]) -> Int {
    let switches = ids.reduce(0) { $0 + (unmutated.cases[$1]?.switches ?? 0) }
    return ids.count > 1 ? 20_000 + 2 * switches : 100_000 + 10 * switches
  }

  /// The running process, or a new one.
  private func readyServer() throws(MutationError) -> CaseServerProcess {
    if let server { return server }
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
