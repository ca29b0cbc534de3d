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

    // Not in ``DifferentialModel``:

    /// An actor's function that calls another actor, which calls the first one back.
    case reenter(actor: Int)
    /// Runs the first operations in an `async let` that nobody awaits, beside the others.
    case abandon([Operation], beside: [Operation])
    /// Runs children in a throwing group. The first throws at its end, and that cancels the others.
    case throwing([[Operation]])
    /// Runs children in a discarding group, of which the first throws if asked to, and records whether the group is
    /// empty.
    case discarding([[Operation]], throws: Bool)
    /// Runs operations under a cancellation handler, which adds a mark, and records whether the task is cancelled.
    case handled([Operation])
    /// Two children read a stream, to which their parent yields two values.
    case readers
    /// Adds marks under a lock, under which it creates a `Task {}` that adds one as well.
    case underLock(LockKind)
    /// Runs operations in a `Task.immediate`.
    case immediate([Operation])
    /// Adds a mark on the main actor.
    case mainActor
    /// Binds a task-local value, runs operations, and records the value that a child sees.
    case taskLocal([Operation])
  }

  /// A kind of lock of the locked programs.
  enum LockKind: CaseIterable {
    case plain, watched, system, recursive, writer, queue, semaphore, condition
  }

  var tasks: [[Operation]]

  /// The number of values that the last task reads from the stream.
  var sends: Int { tasks.joined().reduce(0) { $0 + $1.sends } }
  var hasSleeps: Bool { tasks.joined().contains(where: \.sleeps) }

  /// Draws a program.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - isWhole: Whether it draws from all operations, not only from those that ``DifferentialModel`` knows.
  init(seed: UInt64, ofWholeVocabulary isWhole: Bool = false) {
    var draw = Draw(generator: SplitMix64(seed: seed), isWhole: isWhole)
    let taskCount = isWhole ? 1 + draw.below(2) : draw.chance(4) ? 3 : 2
    tasks = (0..<taskCount).map { _ in
      (0..<(taskCount == 2 && !isWhole ? 1 + draw.below(2) : 1)).map { _ in draw.operation(depth: 0)
      }
    }
    // A gate is opened by an earlier task, so that no program deadlocks.
    if taskCount > 1, draw.chance(4) {
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
    var isWhole = false

    mutating func below(_ count: Int) -> Int {
      Int(generator.next().scaled(upTo: UInt64(count - 1)))
    }

    mutating func chance(_ oneIn: Int) -> Bool { below(oneIn) == 0 }

    mutating func operations(_ depth: Int) -> [Operation] {
      (0..<(chance(3) ? 2 : 1)).map { _ in operation(depth: depth) }
    }

    mutating func operation(depth: Int) -> Operation {
      let actor = below(2)
      if isWhole, chance(2) { return furtherOperation(actor: actor, depth: depth) }
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

    private mutating func furtherOperation(actor: Int, depth: Int) -> Operation {
      switch below(depth == 0 ? 14 : 6) {
      case 0: return .reenter(actor: actor)
      case 1, 2, 3: return .underLock(LockKind.allCases[below(LockKind.allCases.count)])
      case 4: return .readers
      case 5: return chance(4) ? .mainActor : .lockedMark
      case 6: return .abandon(operations(depth + 1), beside: operations(depth + 1))
      case 7: return .throwing((0..<2).map { _ in operations(depth + 1) })
      case 8, 9: return .discarding((0..<2).map { _ in operations(depth + 1) }, throws: chance(2))
      case 10:
        return chance(4) ? .immediate(operations(depth + 1)) : .taskLocal(operations(depth + 1))
      default:
        return .task(
          [.handled(operations(depth + 1))], beside: operations(depth + 1), isDetached: chance(2),
          isCancelled: true)
      }
    }
  }

  /// The programs that lack one part of this one.
  var smaller: [Self] {
    tasks.indices.flatMap { task in
      Operation.smaller(tasks[task]).map { operations in
        var program = self
        program.tasks[task] = operations
        return program
      }
    }
      + (tasks.count > 1
        ? tasks.indices.map { task in
          var program = self
          program.tasks.remove(at: task)
          return program
        } : [])
  }
}

extension DifferentialProgram.Operation {
  private var parts: [[Self]] {
    switch self {
    case .group(let children, _): children
    case .beside(let first, let second), .task(let first, beside: let second, _, _),
      .abandon(let first, beside: let second):
      [first, second]
    case .throwing(let children), .discarding(let children, _): children
    case .handled(let operations), .immediate(let operations), .taskLocal(let operations):
      [operations]
    default: []
    }
  }

  /// The operation with other parts, as many as it has.
  private func with(_ parts: [[Self]]) -> Self {
    switch self {
    case .group(_, let isCancelled): .group(parts, isCancelled: isCancelled)
    case .beside: .beside(parts[0], parts[1])
    case .task(_, _, let isDetached, let isCancelled):
      .task(parts[0], beside: parts[1], isDetached: isDetached, isCancelled: isCancelled)
    case .abandon: .abandon(parts[0], beside: parts[1])
    case .throwing: .throwing(parts)
    case .discarding(_, let isThrowing): .discarding(parts, throws: isThrowing)
    case .handled: .handled(parts[0])
    case .immediate: .immediate(parts[0])
    case .taskLocal: .taskLocal(parts[0])
    default: self
    }
  }

  /// The lists that lack one operation, have a part of one in its place, or a smaller one.
  ///
  /// A wait stays, and so does what ends it.
  static func smaller(_ operations: [Self]) -> [[Self]] {
    operations.indices.flatMap { index -> [[Self]] in
      func replaced(by new: [Self]) -> [Self] {
        Array(operations[..<index]) + new + operations[(index + 1)...]
      }
      switch operations[index] {
      case .signal, .wait: return []
      default: break
      }
      let parts = operations[index].parts
      let changed = parts.indices.flatMap { part in
        smaller(parts[part]).map { list in
          var all = parts
          all[part] = list
          return replaced(by: [operations[index].with(all)])
        }
      }
      return [replaced(by: [])] + parts.map(replaced(by:)) + changed
    }
  }

  var lockKinds: Set<DifferentialProgram.LockKind> {
    if case .underLock(let kind) = self { return [kind] }
    return parts.joined().reduce(into: []) { $0.formUnion($1.lockKinds) }
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
