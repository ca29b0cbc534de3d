import SeededRandom

/// A small concurrent program as data, drawn from a seed.
///
/// Three readers give it a meaning: ``DifferentialWorld`` runs it, on the real runtime or in an
/// exploration, and ``DifferentialModel`` finds its outcomes without either.
struct DifferentialProgram: Sendable, CustomStringConvertible {
  indirect enum Operation: Sendable {
    /// Adds a mark on an actor and records the number of marks.
    case mark(actor: Int)
    /// Adds a mark on an actor, which then calls another one, and then adds a second mark.
    case relay(from: Int, to: Int)
    /// Adds a mark on an actor, yields there, and adds another.
    case yieldingMark(actor: Int)
    /// An actor's function that creates a `Task {}` between two marks; the task marks as well.
    case spawn(actor: Int)
    case yield
    /// Reads an atomic, then writes it, and records what was read.
    case atomicAdd
    /// Reads and writes under a lock that is released in between.
    case lockedAdd
    /// Adds a mark under a lock.
    case lockedMark
    /// Records whether the task is cancelled.
    case checkCancelled
    /// Sleeps and records whether the sleep ended by itself.
    case sleep
    /// Yields a value to the stream, which the last task reads.
    case send
    /// Resumes a waiting task, or lets it pass later.
    case signal(gate: Int)
    case wait(gate: Int)
    /// Adds a mark under a lock that is not explored, and then one on an actor.
    case markBoth(actor: Int)
    /// Starts a thread that nobody waits for. It raises a flag.
    case thread
    /// Records whether the flag is raised.
    case checkFlag
    /// Runs child tasks, cancels them if asked to, and records the order in which they end.
    case group([[Operation]], isCancelled: Bool)
    /// Runs the first operations in an `async let` beside the others.
    case beside([Operation], [Operation])
    /// Creates a `Task {}` or a detached one, runs the others, cancels it if asked to, and awaits
    /// it.
    case task([Operation], beside: [Operation], isDetached: Bool, isCancelled: Bool)
  }

  var tasks: [[Operation]]

  /// The number of values that the last task reads from the stream.
  var sends: Int { tasks.joined().reduce(0) { $0 + $1.sends } }
  var hasSleeps: Bool { tasks.joined().contains(where: \.sleeps) }

  /// Draws a program.
  init(seed: UInt64) {
    var draw = Draw(generator: SplitMix64(seed: seed))
    let taskCount = draw.chance(4) ? 3 : 2
    tasks = (0..<taskCount).map { _ in
      (0..<(taskCount == 2 ? 1 + draw.below(2) : 1)).map { _ in draw.operation(depth: 0) }
    }
    // A gate is opened by an earlier task, so that no program deadlocks.
    if draw.chance(4) {
      tasks[0].insert(.signal(gate: 0), at: draw.below(tasks[0].count + 1))
      tasks[1].insert(.wait(gate: 0), at: draw.below(tasks[1].count + 1))
    }
    if draw.chance(16) {
      tasks[0].insert(.thread, at: 0)
      tasks[0].append(.checkFlag)
    }
  }

  /// Draws a program of two tasks, each with one operation that has no parts.
  static func small(seed: UInt64) -> Self {
    var draw = Draw(generator: SplitMix64(seed: seed))
    return Self((0..<2).map { _ in [draw.operation(depth: 1)] })
  }

  /// Creates a given program.
  init(_ tasks: [[Operation]]) { self.tasks = tasks }

  var description: String {
    tasks.map { $0.map { "\($0)" }.joined(separator: "; ") }.joined(separator: " ‖ ")
  }

  private struct Draw {
    var generator: SplitMix64

    mutating func below(_ count: Int) -> Int {
      Int(generator.next().scaled(upTo: UInt64(count - 1)))
    }

    mutating func chance(_ oneIn: Int) -> Bool { below(oneIn) == 0 }

    mutating func operations(_ depth: Int) -> [Operation] {
      (0..<(chance(3) ? 2 : 1)).map { _ in operation(depth: depth) }
    }

    mutating func operation(depth: Int) -> Operation {
      let actor = below(2)
      switch below(depth == 0 ? 18 : 12) {
      case 0, 1: return .mark(actor: actor)
      case 2: return .relay(from: actor, to: 1 - actor)
      case 3: return chance(2) ? .yieldingMark(actor: actor) : .yield
      case 4, 5: return .spawn(actor: actor)
      case 6: return .atomicAdd
      case 7: return .lockedAdd
      case 8: return .lockedMark
      case 9: return .checkCancelled
      case 10: return .sleep
      case 11: return .send
      case 12, 13:
        return .group((0..<2).map { _ in operations(depth + 1) }, isCancelled: chance(2))
      case 14, 15: return .beside(operations(depth + 1), operations(depth + 1))
      default:
        return .task(
          operations(depth + 1), beside: operations(depth + 1), isDetached: chance(2),
          isCancelled: chance(2))
      }
    }
  }
}

extension DifferentialProgram.Operation {
  private var parts: [[Self]] {
    switch self {
    case .group(let children, _): children
    case .beside(let first, let second), .task(let first, beside: let second, _, _):
      [first, second]
    default: []
    }
  }

  var sends: Int {
    if case .send = self { return 1 }
    return parts.joined().reduce(0) { $0 + $1.sends }
  }

  var sleeps: Bool {
    if case .sleep = self { return true }
    return parts.joined().contains(where: \.sleeps)
  }
}
