/// Judges mutants one after the other in one process of the test program, as long as that is safe.
///
/// A mutant that ends its process blames the case that it ran; the next one gets a new process. A
/// failure counts only if the same case passes afterwards without the mutant, in the same process;
/// otherwise an earlier mutant has left something behind, and this one is judged again in a new
/// process.
///
/// Belongs to one thread.
final class MutantJudge {
  private let program: CaseServerProcess.Program
  private let baseline: Baseline
  private let state: SwitchState
  private let folder: String
  private let name: String
  private var server: CaseServerProcess?

  /// How long a case may be silent alone, as a multiple of the usual limit.
  private static let patience = 3.0

  init(
    _ program: CaseServerProcess.Program, _ baseline: Baseline, count: Int, folder: String,
    name: String
  ) throws(MutationError) {
    self.program = program
    self.baseline = baseline
    self.folder = folder
    self.name = name
    state = try SwitchState(folder: folder, name: name, count: count)
  }

  /// How a series of cases ended.
  private enum End {
    case passed
    case failed(id: String, message: String)
    case looped(id: String)
    case hung(id: String)
    case crashed(id: String, how: String)
  }

  /// Judges a mutant.
  ///
  /// - Parameters:
  ///   - number: The mutant's number.
  ///   - cases: The cases that reach it, in the order to try them.
  ///   - isStartedWith: Whether the mutant must be active when its process starts.
  /// - Returns: The verdict, or `nil` if it hangs and must be judged again alone.
  func judge(
    _ number: Int, on cases: [String], isStartedWith: Bool = false, isAlone: Bool = false
  ) throws(MutationError) -> MutantVerdict? {
    if isStartedWith || isAlone { restart() }
    var isFresh = server == nil
    while true {
      let end = try run(cases, with: number, isStartedWith: isStartedWith, isAlone: isAlone)
      switch end {
      case .passed:
        if isStartedWith { restart() }
        return MutantVerdict(.survived, reachedBy: cases.sorted())
      case .failed(let id, let message):
        if isStartedWith || isFresh {
          // Nothing ran before, so nothing else can be to blame; but this mutant may leave
          // something.
          if isStartedWith { restart() } else { try confirm(id) }
          return MutantVerdict(.killed, killer: id, message: message)
        }
        if try confirm(id) { return MutantVerdict(.killed, killer: id, message: message) }
        isFresh = true
      case .looped(let id):
        restart()
        return MutantVerdict(.looped, killer: id)
      case .crashed(let id, let how):
        restart()
        return MutantVerdict(.crashed, killer: id, message: how)
      case .hung(let id):
        restart()
        return isAlone ? MutantVerdict(.timedOut, killer: id) : nil
      }
    }
  }

  /// Runs a case without mutants. If it fails, the process is given up.
  @discardableResult
  private func confirm(_ id: String) throws(MutationError) -> Bool {
    if case .passed = try run([id], with: nil, isStartedWith: false, isAlone: false) { return true }
    restart()
    return false
  }

  private func restart() {
    server?.end()
    server = nil
  }

  /// Runs cases up to the first that fails.
  private func run(
    _ cases: [String], with number: Int?, isStartedWith: Bool, isAlone: Bool
  ) throws(MutationError) -> End {
    let switches = cases.reduce(0) { $0 + (baseline.cases[$1]?.switches ?? 0) }
    let fuel = number.map { _ in 10 * switches + 200_000 }
    if isStartedWith { state.setActive(number, fuel: fuel) }
    let server = try readyServer()
    state.setActive(number, fuel: fuel)
    defer { state.setActive(nil, fuel: nil) }
    server.send(cases)
    var current = cases.first ?? ""
    var end = End.passed
    while true {
      do throws(CaseServerProcess.Silence) {
        let limit = baseline.timeLimit(of: current) * (isAlone ? Self.patience : 1)
        switch try server.line(within: limit) {
        case .started(let id): current = id
        case .passed where state.isFuelSpent: end = .looped(id: current)
        case .failed(let id, _) where state.isFuelSpent: end = .looped(id: id)
        case .failed(let id, let message): end = .failed(id: id, message: message)
        case .done: return end
        default: break
        }
      } catch {
        switch error {
        case .timedOut: return .hung(id: current)
        case .ended(nil, SwitchState.fuelStatus): return .looped(id: current)
        case .ended(let signal?, _): return .crashed(id: current, how: "signal \(signal)")
        case .ended(nil, let status): return .crashed(id: current, how: "exit status \(status)")
        }
      }
    }
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
