import ExploredSynchronization
import Foundation

/// The state of one run of a ``DifferentialProgram``, and the code that runs it.
final class DifferentialWorld: Sendable {
  private let actors = [MarkingActor(), MarkingActor()]
  private let lock = ExploredMutex<(count: Int, marks: [String])>((0, []))
  private let atomic = ExploredAtomic(0)
  private let gate = Gate()
  private let flag = Flag()
  /// Marks that no exploration sees.
  private let plainMarks = Unseen<[String]>([])
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  /// What each operation has recorded. Every key is written by one operation only.
  private let records = Unseen<[String: String]>([:])
  private let locks: [DifferentialProgram.LockKind: (lock: any Lock, marks: Guarded<[String]>)]
  private let noise: @Sendable () -> Void
  @TaskLocal private static var local = ""

  /// Creates the state of a run.
  ///
  /// - Parameters:
  ///   - program: What will run.
  ///   - noise: Called between operations, to vary the real runtime's orders.
  init(for program: DifferentialProgram, noise: @escaping @Sendable () -> Void = {}) {
    let kinds = program.tasks.joined().reduce(into: Set()) { $0.formUnion($1.lockKinds) }
    locks = Dictionary(uniqueKeysWithValues: kinds.map { ($0, ($0.makeLock(), Guarded([]))) })
    (stream, continuation) = AsyncStream.makeStream(of: String.self)
    self.noise = noise
  }

  /// Runs one task of the program.
  func run(task: Int, of program: DifferentialProgram) async {
    await run(program.tasks[task], as: "\(task)")
    guard task == program.tasks.count - 1 else { return }
    var iterator = stream.makeAsyncIterator()
    for number in 0..<program.sends {
      let value = await iterator.next() ?? "nothing"
      record(value, at: "stream\(number)")
    }
  }

  /// Runs the whole program on the real runtime.
  func runReally(_ program: DifferentialProgram) async -> String {
    let tasks = program.tasks.indices.map { task in
      Task {
        noise()
        await run(task: task, of: program)
      }
    }
    for task in tasks { await task.value }
    return await outcome
  }

  /// The marks in their order, and the records.
  var outcome: String {
    get async {
      var parts: [String] = []
      for actor in actors { parts.append(await actor.marks.joined(separator: ",")) }
      let (count, marks) = lock.withLock { ($0.count, $0.marks) }
      parts.append(marks.joined(separator: ","))
      parts.append(plainMarks.withLock { $0.joined(separator: ",") })
      for kind in locks.keys.sorted(by: { "\($0)" < "\($1)" }) {
        parts.append((locks[kind]?.marks.value ?? []).joined(separator: ","))
      }
      parts.append("\(count) \(atomic.load(ordering: .relaxed))")
      parts.append(
        records.withLock { $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }
          .joined(separator: ","))
      return parts.joined(separator: " | ")
    }
  }

  private func record(_ value: String, at name: String) { records.withLock { $0[name] = value } }

  private func run(_ operations: [DifferentialProgram.Operation], as name: String) async {
    for (index, operation) in operations.enumerated() {
      noise()
      await run(operation, as: "\(name).\(index)")
    }
    noise()
  }

  private func run(_ operation: DifferentialProgram.Operation, as name: String) async {
    switch operation {
    case .mark(let actor): record("\(await actors[actor].mark(name))", at: name)
    case .relay(let from, let to):
      await actors[from].relay(name, to: actors[to], noise: noise)
    case .yieldingMark(let actor): await actors[actor].markYielding(name)
    case .spawn(let actor): await actors[actor].spawn(name, noise: noise).value
    case .yield: await Task.yield()
    case .atomicAdd:
      let value = atomic.load(ordering: .sequentiallyConsistent)
      noise()
      atomic.store(value + 1, ordering: .sequentiallyConsistent)
      record("\(value)", at: name)
    case .lockedAdd:
      let value = lock.withLock { $0.count }
      noise()
      lock.withLock { $0.count = value + 1 }
    case .lockedMark: lock.withLock { $0.marks.append(name) }
    case .checkCancelled: record(Task.isCancelled ? "1" : "0", at: name)
    case .sleep:
      do {
        try await Task.sleep(for: .microseconds(20))
        record("1", at: name)
      } catch {
        record("0", at: name)
      }
    case .send: continuation.yield(name)
    case .signal: gate.open()
    case .wait: await gate.wait()
    case .markBoth(let actor):
      plainMarks.withLock { $0.append(name) }
      noise()
      record("\(await actors[actor].mark(name))", at: name)
    case .thread: Thread.detachNewThread { [flag] in flag.raise() }
    case .checkFlag: record(flag.isRaised ? "1" : "0", at: name)
    case .group(let children, let isCancelled):
      await runGroup(children, isCancelled: isCancelled, as: name)
    case .beside(let first, let second):
      async let one: Void = run(first, as: name + "a")
      noise()
      await run(second, as: name + "b")
      await one
    case .task(let first, let second, let isDetached, let isCancelled):
      let body: @Sendable () async -> Void = { await self.run(first, as: name + "a") }
      let task = isDetached ? Task.detached(operation: body) : Task(operation: body)
      noise()
      await run(second, as: name + "b")
      if isCancelled { task.cancel() }
      await task.value
    case .reenter, .abandon, .throwing, .discarding, .handled, .readers, .underLock, .immediate,
      .mainActor, .taskLocal:
      await runFurther(operation, as: name)
    }
  }

  private func runFurther(_ operation: DifferentialProgram.Operation, as name: String) async {
    switch operation {
    case .reenter(let actor):
      await actors[actor].relay(name, to: actors[1 - actor], backTo: actors[actor], noise: noise)
    case .abandon(let first, beside: let second):
      async let _: Void = run(first, as: name + "a")
      noise()
      await run(second, as: name + "b")
    case .throwing(let children):
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (number, child) in children.enumerated() {
            group.addTask { try await self.run(child, as: "\(name)\(number)", throws: number == 0) }
            noise()
          }
          while try await group.next() != nil {}
        }
      } catch { record("thrown", at: name) }
    case .discarding(let children, let isThrowing):
      do {
        try await withThrowingDiscardingTaskGroup { group in
          for (number, child) in children.enumerated() {
            group.addTask {
              try await self.run(child, as: "\(name)\(number)", throws: isThrowing && number == 0)
            }
            noise()
          }
          record(group.isEmpty ? "empty" : "full", at: name + "e")
        }
      } catch { record("thrown", at: name) }
    case .handled(let operations):
      await withTaskCancellationHandler {
        await run(operations, as: name)
      } onCancel: {
        lock.withLock { $0.marks.append(name) }
      }
      record(Task.isCancelled ? "1" : "0", at: name)
    case .readers: await read(as: name)
    case .underLock(let kind):
      guard let (lock, marks) = locks[kind] else { return }
      await mark(name, marks, under: lock)
    case .immediate(let operations):
      let task = Task.immediate { await self.run(operations, as: name) }
      noise()
      await task.value
    case .mainActor: await MainActor.run { plainMarks.withLock { $0.append(name) } }
    case .taskLocal(let operations):
      await Self.$local.withValue(name) {
        async let child = Self.local
        await run(operations, as: name)
        record(await child, at: name)
      }
    default: break
    }
  }

  private func run(
    _ operations: [DifferentialProgram.Operation], as name: String, throws isThrowing: Bool
  ) async throws {
    await run(operations, as: name)
    if isThrowing { throw Wrong() }
  }

  private func read(as name: String) async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2 {
        group.addTask {
          var iterator = stream.makeAsyncIterator()
          let value = await iterator.next()
          self.record(value.map { "\($0)" } ?? "nothing", at: "\(name)\(number)")
        }
        noise()
      }
      for value in 0..<2 {
        continuation.yield(value)
        noise()
      }
    }
  }

  private func mark(_ name: String, _ marks: Guarded<[String]>, under lock: some Lock) async {
    let task = lock.locked {
      marks.value.append(name + "<")
      let task = Task { lock.locked { marks.value.append(name + "t") } }
      noise()
      marks.value.append(name + ">")
      return task
    }
    lock.locked { marks.value.append(name) }
    await task.value
  }

  private func runGroup(
    _ children: [[DifferentialProgram.Operation]], isCancelled: Bool, as name: String
  ) async {
    await withTaskGroup(of: String.self) { group in
      for (number, child) in children.enumerated() {
        group.addTask {
          await self.run(child, as: "\(name)\(number)")
          return "\(number)"
        }
        noise()
      }
      if isCancelled { group.cancelAll() }
      noise()
      var ends = ""
      for await end in group { ends += end }
      record(ends, at: name)
    }
  }
}

extension DifferentialProgram.LockKind {
  fileprivate func makeLock() -> any Lock {
    switch self {
    case .plain: PlainMutex()
    case .watched: WatchedMutex()
    case .system: SystemLock()
    case .recursive: RecursiveLock()
    case .writer: WriterLock()
    case .queue: QueueLock()
    case .semaphore: SemaphoreLock()
    case .condition: ConditionLock()
    }
  }
}

private actor MarkingActor {
  private(set) var marks: [String] = []

  func mark(_ text: String) -> Int {
    marks.append(text)
    return marks.count
  }

  func markYielding(_ text: String) async {
    marks.append(text + "<")
    await Task.yield()
    marks.append(text + ">")
  }

  func relay(_ text: String, to other: MarkingActor, noise: () -> Void) async {
    marks.append(text + "<")
    noise()
    _ = await other.mark(text)
    marks.append(text + ">")
  }

  func relay(
    _ text: String, to other: MarkingActor, backTo first: MarkingActor, noise: () -> Void
  ) async {
    marks.append(text + "<")
    noise()
    await other.relay(text + "o", to: first, noise: {})
    marks.append(text + ">")
  }

  func spawn(_ text: String, noise: () -> Void) -> Task<Void, Never> {
    marks.append(text + "<")
    let task = Task { self.marks.append(text + "t") }
    noise()
    marks.append(text + ">")
    return task
  }
}

/// A flag that no exploration sees.
private final class Flag: Sendable {
  private let value = Unseen(false)

  func raise() { value.withLock { $0 = true } }
  var isRaised: Bool { value.withLock { $0 } }
}

/// A gate that one task waits for, with a continuation under an explored lock.
private final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = ExploredMutex(State())

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiter = continuation }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiter = state.withLock { state in
      state.isOpen = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}
