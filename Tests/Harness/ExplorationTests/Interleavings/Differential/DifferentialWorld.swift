import ExploredSynchronization
import Foundation
import SystemLocks

/// The state of one run of a ``DifferentialProgram``, and the code that runs it.
final class DifferentialWorld: Sendable {
  private let actors = [MarkingActor(), MarkingActor()]
  private let lock = ExploredMutex<(count: Int, marks: [String])>((0, []))
  private let atomic = ExploredAtomic(0)
  private let gate = Gate()
  private let flag = Flag()
  /// Marks that no exploration sees.
  private let plainMarks = Mutex<[String]>([])
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  /// What each operation has recorded. Every key is written by one operation only.
  private let records = Mutex<[String: String]>([:])
  private let noise: @Sendable () -> Void

  /// Creates the state of a run.
  ///
  /// - Parameter noise: Called between operations, to vary the real runtime's orders.
  init(noise: @escaping @Sendable () -> Void = {}) {
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
    }
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
  private let value = Mutex(false)

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
