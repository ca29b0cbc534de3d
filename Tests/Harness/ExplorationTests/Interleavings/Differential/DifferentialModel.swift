/// Every outcome of a ``DifferentialProgram``, by brute force over all orders of its
/// instructions.
///
/// It knows nothing of the engine and of the runtime. Each task of a program is translated into
/// instructions that other tasks can tell apart, and every interleaving of them is tried; equal
/// states are visited once. An actor serves its callers in the order in which they arrive.
struct DifferentialModel {
  enum Instruction {
    case start(thread: Int)
    /// Starts a thread that is in an actor's queue from the start.
    case startOnActor(thread: Int, actor: Int)
    /// Joins an actor's queue.
    case arrive(actor: Int)
    /// Waits until the actor is free and this thread is first in its queue.
    case begin(actor: Int)
    case leave(actor: Int)
    case mark(actor: Int, event: UInt8)
    case recordMarks(actor: Int, slot: Int)
    case readAtomic, readLocked
    case writeAtomic(slot: Int)
    case writeLocked
    case lockedMark(event: UInt8)
    case plainMark(event: UInt8)
    case checkCancelled(slot: Int)
    case cancel(threads: [Int])
    case join(thread: Int)
    /// Records the next child that has ended.
    case next(group: Int, slot: Int)
    case beginSleep
    case endSleep(slot: Int)
    case send(event: UInt8)
    case receive(slot: Int)
    case open
    case pass
    case raise
    case checkFlag(slot: Int)
    /// Ends the thread, as a step of its own.
    case end
  }

  struct Thread {
    var instructions: [Instruction] = []
    /// The parent, if it is a child.
    var parent: Int?
    /// Its group and its number there.
    var group: (number: Int, child: UInt8)?
  }

  private(set) var threads: [Thread] = []
  private var names: [String] = []
  private var slots: [Slot] = []
  private var groupCount = 0
  /// Whether the model knows every operation of the program.
  private var isComplete = true

  private struct Slot {
    var name: String
    var kind: Kind
    enum Kind { case number, event, children }
  }

  init(_ program: DifferentialProgram) {
    threads = program.tasks.map { _ in Thread() }
    for task in program.tasks.indices {
      compile(program.tasks[task], as: "\(task)", in: task)
    }
    for number in 0..<program.sends {
      emit(.receive(slot: slot("stream\(number)", .event)), in: program.tasks.count - 1)
    }
    for thread in threads.indices { emit(.end, in: thread) }
  }

  // MARK: - Translating

  private mutating func emit(_ instructions: Instruction..., in thread: Int) {
    threads[thread].instructions += instructions
  }

  private mutating func event(_ name: String) -> UInt8 {
    names.append(name)
    return UInt8(names.count - 1)
  }

  private mutating func slot(_ name: String, _ kind: Slot.Kind) -> Int {
    slots.append(Slot(name: name, kind: kind))
    return slots.count - 1
  }

  private mutating func add(parent: Int?, group: (Int, UInt8)? = nil) -> Int {
    threads.append(Thread(parent: parent, group: group.map { ($0.0, $0.1) }))
    return threads.count - 1
  }

  private mutating func compile(
    _ operations: [DifferentialProgram.Operation], as name: String, in thread: Int
  ) {
    for (index, operation) in operations.enumerated() {
      compile(operation, as: "\(name).\(index)", in: thread)
    }
  }

  private mutating func compile(
    _ operation: DifferentialProgram.Operation, as name: String, in thread: Int
  ) {
    switch operation {
    case .mark(let actor):
      emit(
        .arrive(actor: actor), .begin(actor: actor), .mark(actor: actor, event: event(name)),
        .recordMarks(actor: actor, slot: slot(name, .number)), .leave(actor: actor), in: thread)
    case .markBoth(let actor):
      emit(.plainMark(event: event(name)), in: thread)
      compile(.mark(actor: actor), as: name, in: thread)
    case .relay(let from, let to):
      emit(
        .arrive(actor: from), .begin(actor: from), .mark(actor: from, event: event(name + "<")),
        .leave(actor: from), .arrive(actor: to), .begin(actor: to),
        .mark(actor: to, event: event(name)), .leave(actor: to), .arrive(actor: from),
        .begin(actor: from), .mark(actor: from, event: event(name + ">")), .leave(actor: from),
        in: thread)
    case .yieldingMark(let actor):
      emit(
        .arrive(actor: actor), .begin(actor: actor), .mark(actor: actor, event: event(name + "<")),
        .leave(actor: actor), .arrive(actor: actor), .begin(actor: actor),
        .mark(actor: actor, event: event(name + ">")), .leave(actor: actor), in: thread)
    case .spawn(let actor):
      let child = add(parent: nil)
      emit(
        .begin(actor: actor), .mark(actor: actor, event: event(name + "t")), .leave(actor: actor),
        in: child)
      emit(
        .arrive(actor: actor), .begin(actor: actor), .mark(actor: actor, event: event(name + "<")),
        .startOnActor(thread: child, actor: actor),
        .mark(actor: actor, event: event(name + ">")), .leave(actor: actor), .join(thread: child),
        in: thread)
    case .yield: break
    case .atomicAdd: emit(.readAtomic, .writeAtomic(slot: slot(name, .number)), in: thread)
    case .lockedAdd: emit(.readLocked, .writeLocked, in: thread)
    case .lockedMark: emit(.lockedMark(event: event(name)), in: thread)
    case .checkCancelled: emit(.checkCancelled(slot: slot(name, .number)), in: thread)
    case .sleep: emit(.beginSleep, .endSleep(slot: slot(name, .number)), in: thread)
    case .send: emit(.send(event: event(name)), in: thread)
    case .signal: emit(.open, in: thread)
    case .wait: emit(.pass, in: thread)
    case .thread:
      let child = add(parent: nil)
      emit(.raise, in: child)
      emit(.start(thread: child), in: thread)
    case .checkFlag: emit(.checkFlag(slot: slot(name, .number)), in: thread)
    case .group, .beside, .task: compileTasks(operation, as: name, in: thread)
    case .reenter, .abandon, .throwing, .discarding, .handled, .readers, .underLock, .immediate,
      .mainActor, .taskLocal:
      isComplete = false
    }
  }

  private mutating func compileTasks(
    _ operation: DifferentialProgram.Operation, as name: String, in thread: Int
  ) {
    switch operation {
    case .group(let children, let isCancelled):
      let group = groupCount
      groupCount += 1
      var numbers: [Int] = []
      for (number, operations) in children.enumerated() {
        let child = add(parent: thread, group: (group, UInt8(number)))
        compile(operations, as: "\(name)\(number)", in: child)
        emit(.start(thread: child), in: thread)
        numbers.append(child)
      }
      if isCancelled { emit(.cancel(threads: numbers), in: thread) }
      let slot = slot(name, .children)
      for _ in children { emit(.next(group: group, slot: slot), in: thread) }
    case .beside(let first, let second):
      let child = add(parent: thread)
      compile(first, as: name + "a", in: child)
      emit(.start(thread: child), in: thread)
      compile(second, as: name + "b", in: thread)
      emit(.join(thread: child), in: thread)
    case .task(let first, let second, _, let isCancelled):
      let child = add(parent: nil)
      compile(first, as: name + "a", in: child)
      emit(.start(thread: child), in: thread)
      compile(second, as: name + "b", in: thread)
      if isCancelled { emit(.cancel(threads: [child]), in: thread) }
      emit(.join(thread: child), in: thread)
    default: break
    }
  }

  // MARK: - Running

  private struct State: Hashable {
    var counters: [UInt8]
    var isStarted: [Bool]
    var isCancelled: [Bool]
    var isSleeping: [Bool]
    var registers: [UInt8]
    var queues: [[UInt8]] = [[], []]
    var isBusy = [false, false]
    var marks: [[UInt8]] = [[], []]
    var lockedMarks: [UInt8] = []
    var plainMarks: [UInt8] = []
    var atomic: UInt8 = 0
    var locked: UInt8 = 0
    var isOpen = false
    var isRaised = false
    var stream: [UInt8] = []
    var ends: [[UInt8]]
    var records: [UInt8]
  }

  /// The outcomes, or `nil` if there are more states than a limit, or operations that the model does not know.
  func outcomes(mostStates: Int) -> Set<String>? {
    guard isComplete else { return nil }
    var first = State(
      counters: Array(repeating: 0, count: threads.count),
      isStarted: threads.map { _ in false }, isCancelled: threads.map { _ in false },
      isSleeping: threads.map { _ in false }, registers: threads.map { _ in 0 },
      ends: Array(repeating: [], count: groupCount),
      records: Array(repeating: 0, count: slots.count))
    let roots = Set(threads.indices).subtracting(started)
    for root in roots { first.isStarted[root] = true }
    var seen: Set<State> = [first]
    var open = [first]
    var outcomes: Set<String> = []
    while let state = open.popLast() {
      var isOver = true
      for thread in threads.indices {
        guard let next = successor(of: state, thread) else { continue }
        isOver = false
        if seen.insert(next).inserted { open.append(next) }
      }
      if isOver { outcomes.insert(describe(state)) }
      if seen.count > mostStates { return nil }
    }
    return outcomes
  }

  /// The threads that others start.
  private var started: Set<Int> {
    Set(
      threads.lazy.flatMap(\.instructions).compactMap { instruction in
        switch instruction {
        case .start(let thread), .startOnActor(let thread, _): thread
        default: nil
        }
      })
  }

  private func isOver(_ thread: Int, _ state: State) -> Bool {
    state.isStarted[thread] && Int(state.counters[thread]) == threads[thread].instructions.count
  }

  /// The state after one instruction of a thread, or `nil` if it cannot run.
  private func successor(of state: State, _ thread: Int) -> State? {
    guard state.isStarted[thread], !isOver(thread, state) else { return nil }
    var next = state
    if state.isSleeping[thread] {
      // The timer fires.
      next.isSleeping[thread] = false
      next.registers[thread] = 1
      return next
    }
    let instruction = threads[thread].instructions[Int(state.counters[thread])]
    guard perform(instruction, thread, &next) else { return nil }
    next.counters[thread] += 1
    if let group = threads[thread].group, isOver(thread, next) {
      next.ends[group.number].append(group.child)
    }
    return next
  }

  private func perform(_ instruction: Instruction, _ thread: Int, _ state: inout State) -> Bool {
    switch instruction {
    case .start(let child):
      state.isStarted[child] = true
      if let parent = threads[child].parent { state.isCancelled[child] = state.isCancelled[parent] }
    case .startOnActor(let child, let actor):
      state.isStarted[child] = true
      state.queues[actor].append(UInt8(child))
    case .arrive(let actor): state.queues[actor].append(UInt8(thread))
    case .begin(let actor):
      guard !state.isBusy[actor], state.queues[actor].first == UInt8(thread) else { return false }
      state.isBusy[actor] = true
      state.queues[actor].removeFirst()
    case .leave(let actor): state.isBusy[actor] = false
    case .mark(let actor, let event): state.marks[actor].append(event)
    case .recordMarks(let actor, let slot): state.records[slot] = UInt8(state.marks[actor].count)
    case .readAtomic: state.registers[thread] = state.atomic
    case .writeAtomic(let slot):
      state.atomic = state.registers[thread] + 1
      state.records[slot] = state.registers[thread]
    case .readLocked: state.registers[thread] = state.locked
    case .writeLocked: state.locked = state.registers[thread] + 1
    case .lockedMark(let event): state.lockedMarks.append(event)
    case .plainMark(let event): state.plainMarks.append(event)
    case .checkCancelled(let slot): state.records[slot] = state.isCancelled[thread] ? 1 : 0
    case .cancel(let threads): for thread in threads { cancel(thread, &state) }
    case .join(let child): return isOver(child, state)
    case .next(let group, let slot):
      guard let end = state.ends[group].first else { return false }
      state.ends[group].removeFirst()
      state.records[slot] = state.records[slot] * 4 + end + 1
    case .beginSleep:
      state.registers[thread] = 0
      state.isSleeping[thread] = !state.isCancelled[thread]
    case .endSleep(let slot): state.records[slot] = state.registers[thread]
    case .send(let event): state.stream.append(event)
    case .receive(let slot):
      guard !state.stream.isEmpty else { return false }
      state.records[slot] = state.stream.removeFirst()
    case .open: state.isOpen = true
    case .pass: return state.isOpen
    case .raise: state.isRaised = true
    case .checkFlag(let slot): state.records[slot] = state.isRaised ? 1 : 0
    case .end: break
    }
    return true
  }

  private func cancel(_ thread: Int, _ state: inout State) {
    guard state.isStarted[thread], !isOver(thread, state) else { return }
    state.isCancelled[thread] = true
    if state.isSleeping[thread] {
      state.isSleeping[thread] = false
      state.registers[thread] = 0
    }
    for child in threads.indices where threads[child].parent == thread { cancel(child, &state) }
  }

  private func describe(_ state: State) -> String {
    func text(_ events: [UInt8]) -> String { events.map { names[Int($0)] }.joined(separator: ",") }
    var parts = state.marks.map(text)
    parts.append(text(state.lockedMarks))
    parts.append(text(state.plainMarks))
    parts.append("\(state.locked) \(state.atomic)")
    let records = zip(slots, state.records).map { slot, value in
      switch slot.kind {
      case .number: (slot.name, "\(value)")
      case .event: (slot.name, names[Int(value)])
      case .children:
        // Two children; the first to end is the higher digit.
        (slot.name, "\(Int(value) / 4 - 1)\(Int(value) % 4 - 1)")
      }
    }
    parts.append(
      records.sorted { $0.0 < $1.0 }.map { "\($0)=\($1)" }.joined(separator: ","))
    return parts.joined(separator: " | ")
  }
}
