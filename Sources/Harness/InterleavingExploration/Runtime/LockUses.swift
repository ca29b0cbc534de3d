import ExplorationEngine
import SystemFibers
import SystemPlatform

/// The locks that a program's code has used, where no schedule orders their uses.
///
/// A `Synchronization.Mutex` is inlined into the program. Only its first use in each source file and on each
/// thread is seen, so that no job can pause before the others.
struct LockUses {
  /// Whether an earlier use, of another exploration or outside the jobs, keeps the next one from being seen.
  var isHidden = true
  /// The calls of the program that use such a lock, and the addresses of their functions.
  private(set) var untried: [UInt: (primitive: Fiber.Primitive, callStack: [UInt])] = [:]
  /// Whether the calls that were seen are those of the program; the others are a library's own.
  private var callers: [(address: UInt, isOfProgram: Bool)] = []

  /// Whether a call is one of the program.
  mutating func isOfProgram(_ caller: UInt) -> Bool {
    for known in callers where known.address == caller { return known.isOfProgram }
    let isOfProgram = Self.isOfProgram(caller)
    callers.append((caller, isOfProgram))
    return isOfProgram
  }

  mutating func noteUntried(_ use: Fiber.Wait) {
    if untried[use.caller] == nil {
      untried[use.caller] = (use.primitive, ThreadSample.callStack)
    }
  }

  private static func isOfProgram(_ caller: UInt) -> Bool {
    guard let library = library(containing: caller) else { return true }
    guard library.hasPrefix("libFoundation") else { return false }
    // A method of `NSLock`, which the program calls, in contrast to a lock inside Foundation.
    let stack = ThreadSample.callStack
    guard let index = stack.firstIndex(of: caller), index + 1 < stack.count else { return true }
    return self.library(containing: stack[index + 1]) == nil
  }

  /// The library of the runtime or the system that contains an address, or `nil` for the program itself.
  private static func library(containing address: UInt) -> Substring? {
    guard let name = image(containing: address)?.path.split(separator: "/").last else { return nil }
    return libraries.contains(where: name.hasPrefix) ? name : nil
  }

  private static let libraries = [
    "libswift", "libFoundation", "lib_Foundation", "lib_Testing", "libTesting", "libXCTest",
    "libdispatch", "libBlocksRuntime", "libc.", "libpthread", "libstdc++", "libgcc", "ld-",
  ]
}

/// A lock of the program between whose critical sections no other task was tried.
///
/// A search that met one is never exhaustive. `ExploredMutex` of the product ExploredSynchronization is explored in
/// every order.
public struct UntriedLock: Sendable, Hashable, CustomStringConvertible {
  /// The lock, such as `Mutex`.
  public let name: String
  /// The line of source code that uses it, such as `Store.swift:12`, or `nil` where no debug information tells it.
  public let line: String?

  /// The lock and its line.
  public var description: String { line.map { "\(name) (\($0))" } ?? name }
}

extension LockUses {
  /// The locks that no schedule orders, each with the first line of the program that uses it.
  var untriedLocks: [UntriedLock] {
    var locks: Set<UntriedLock> = []
    for (caller, use) in untried {
      let name = use.primitive == .attempt ? "an attempt to acquire a POSIX mutex" : "Mutex"
      locks.insert(UntriedLock(name: name, line: Self.line(of: caller, use.callStack)))
    }
    return locks.sorted { $0.description < $1.description }
  }

  private static func line(of caller: UInt, _ callStack: [UInt]) -> String? {
    // In front of the caller are this engine's functions. A return address is behind the call.
    let start = callStack.firstIndex(of: caller) ?? 0
    let frames = callStack[start...].prefix(12).map { $0 &- 1 }
    let places = CodePlaces(of: frames)
    return frames.lazy.compactMap { places.line(at: $0) }.first
  }
}

extension Fiber.Primitive {
  /// Whether it is a lock that does not need a thread for each job, or the release of any.
  var isLock: Bool {
    switch self {
    case .mutex, .lock, .recursiveLock, .attempt, .release: true
    case .readWriteLock, .condition, .semaphore, .queue, .futex, .sleep: false
    }
  }
}
