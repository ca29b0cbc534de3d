import ExplorationEngine
import FaultExploration
import SystemLocks

/// Two registers with a disk, whose world may fail. It is correct unless it has a flaw.
final class FaultyRegisters: Sendable {
  enum Flaw: Sendable {
    /// A write is acknowledged before it is on the disk.
    case acknowledgesEarly
    /// The first two writes are on the disk when they are acknowledged, later ones are not.
    case acknowledgesThirdEarly
    /// While the link is cut, reads show the state before.
    case readsReplica
    /// While the link is cut, reads show the state before and the present one in turns.
    case readsEither
    /// After a cut write, the old and the new value are shown in turns.
    case flickers
    /// The registers never answer after a crash.
    case staysDown
    /// A write says that it did not happen, although it did.
    case liesAboutRefusal
    /// A write throws while nothing has failed.
    case throwsWithoutReason
  }

  struct CutError: Error {}

  /// What a cut does to a call.
  enum Cut: Sendable {
    /// Every second write happens, and each throws.
    case throwing
    /// The call says for certain that it did not happen.
    case refusing
    /// The call never returns, and does not listen to cancellation.
    case suspending
    /// The call blocks its thread for good.
    case blocking
  }

  private struct State {
    var memory: [Int: Int] = [:]
    var disk: [Int: Int] = [:]
    /// What a replica has while the link is cut.
    var replica: [Int: Int]?
    var isDown = false
    var calls = 0
    var writes = 0
    var active = 0
    var crashesDuringCalls = 0
    var flicker: (key: Int, old: Int)?
  }

  let flaw: Flaw?
  let cut: Cut
  /// How long a call takes.
  let delay: Duration
  private let state = Mutex(State())

  init(_ flaw: Flaw? = nil, cut: Cut = .throwing, delay: Duration = .zero) {
    self.flaw = flaw
    self.cut = cut
    self.delay = delay
  }

  /// How many crashes happened while a call was in progress.
  var crashesDuringCalls: Int { state.withLock { $0.crashesDuringCalls } }

  func write(_ key: Int, _ value: Int) async throws -> Int {
    try await call(isWrite: true) { [flaw] state in
      state.memory[key] = value
      state.writes += 1
      switch flaw {
      case .acknowledgesEarly: break
      case .acknowledgesThirdEarly where state.writes > 2: break
      default: state.disk[key] = value
      }
      return value
    }
  }

  func read(_ key: Int) async throws -> Int {
    try await call(isWrite: false) { [flaw] state in
      state.calls += 1
      let present = state.memory[key] ?? 0
      if let flicker = state.flicker, flicker.key == key, state.calls % 2 == 0 {
        return flicker.old
      }
      guard let replica = state.replica else { return present }
      switch flaw {
      case .readsReplica: return replica[key] ?? 0
      case .readsEither: return state.calls % 2 == 0 ? replica[key] ?? 0 : present
      default: return present
      }
    }
  }

  func crash() {
    state.withLock { state in
      if state.active > 0 { state.crashesDuringCalls += 1 }
      state.memory = state.disk
      if flaw == .staysDown { state.isDown = true }
    }
  }

  func setCut(_ isCut: Bool) {
    state.withLock { $0.replica = isCut ? $0.memory : nil }
  }

  private func call(
    isWrite: Bool, _ body: @Sendable (inout State) -> Int
  ) async throws -> Int {
    state.withLock { $0.active += 1 }
    defer { state.withLock { $0.active -= 1 } }
    if delay > .zero { try? await Task.sleep(for: delay) }
    let (isCut, isDown, isEven) = state.withLock { state in
      state.calls += 1
      return (state.replica != nil, state.isDown, state.calls % 2 == 0)
    }
    if isDown { throw CutError() }
    if isWrite, flaw == .throwsWithoutReason { throw CutError() }
    let readsReplica = flaw == .readsReplica || flaw == .readsEither
    guard isCut, !readsReplica else { return state.withLock { body(&$0) } }
    switch cut {
    case .throwing:
      if isWrite, isEven || flaw == .flickers {
        state.withLock { state in
          let before = state.memory
          _ = body(&state)
          if flaw == .flickers,
            let key = state.memory.first(where: { before[$0.key] != $0.value })?.key
          {
            state.flicker = (key, before[key] ?? 0)
          }
        }
      }
      throw CutError()
    case .refusing:
      if flaw == .liesAboutRefusal { state.withLock { _ = body(&$0) } }
      throw CallDidNotHappen("the link is cut")
    case .suspending:
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      return 0
    case .blocking:
      NeverSignalled.semaphore.wait()
      return 0
    }
  }
}

extension Fault<FaultyRegisters> {
  static let crash = Fault("crash") { $0.crash() }
  static let cut = Fault("cut") {
    $0.setCut(true)
  } healing: {
    $0.setCut(false)
  }
}

struct RegistersSpecification: Specification {
  var lastKey = 1

  enum Command: Sendable, Hashable, CustomStringConvertible {
    case write(Int, Int)
    case read(Int)

    var description: String {
      switch self {
      case .write(let key, let value): "write(\(key), \(value))"
      case .read(let key): "read(\(key))"
      }
    }
  }

  var initialState: [Int: Int] { [:] }

  func command(from choices: inout Choices, in state: [Int: Int]) -> Command {
    let isWrite = choices.rule(of: 2) == 0
    let key = choices.integer(in: 0...lastKey, domain: "key")
    return isWrite ? .write(key, choices.integer(in: 1...99)) : .read(key)
  }

  func apply(_ command: Command, to state: inout [Int: Int]) -> Int {
    switch command {
    case .write(let key, let value):
      state[key] = value
      return value
    case .read(let key): return state[key] ?? 0
    }
  }

  func perform(_ command: Command, on subject: FaultyRegisters) async throws -> Int {
    switch command {
    case .write(let key, let value): try await subject.write(key, value)
    case .read(let key): try await subject.read(key)
    }
  }

  func isReadOnly(_ command: Command) -> Bool {
    if case .read = command { return true }
    return false
  }

  func partition(of command: Command) -> AnyHashable? {
    switch command {
    case .write(let key, _), .read(let key): key
    }
  }
}
