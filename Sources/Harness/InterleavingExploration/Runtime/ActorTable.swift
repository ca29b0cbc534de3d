/// The actors of a run and the tasks that wait for them.
///
/// Actors are numbered in the order in which they were first seen. That order, unlike addresses, is
/// the same in every run of a schedule.
struct ActorTable: ~Copyable {
  struct Record {
    var address: UnsafeRawPointer
    /// The newest job in the actor's queue at the last scan, or 0.
    var newestSeen: UInt = 0
  }

  /// A task in an actor's queue.
  struct Waiting {
    var actor: Int32
    var task: Int32
    var resumption: UInt
  }

  private var records = FlatList<Record>()
  /// The actors that have asked for a turn and not begun it.
  private var pending = FlatList<Int32>()
  /// The actors whose job has paused in the middle.
  private var paused = FlatList<Int32>()
  /// Every waiting task. Those of one actor are in the order in which it will run them.
  private var waiting = FlatList<Waiting>()

  var count: Int { records.count }
  /// Whether tasks may have joined a queue unseen.
  var needScan: Bool { !pending.isEmpty || !paused.isEmpty }
  /// The actors that have asked for a turn. The buffer is valid until that changes.
  var pendingActors: UnsafeMutableBufferPointer<Int32> { pending.elements }
  /// The actors whose job has paused. The buffer is valid until that changes.
  var pausedActors: UnsafeMutableBufferPointer<Int32> { paused.elements }
  /// Every task that waits for an actor. The buffer is valid until that changes.
  var waitingTasks: UnsafeMutableBufferPointer<Waiting> { waiting.elements }

  subscript(actor: Int32) -> Record {
    get { records[Int(actor)] }
    _modify { yield &records[Int(actor)] }
  }

  mutating func removeAll() {
    records.removeAll()
    pending.removeAll()
    paused.removeAll()
    waiting.removeAll()
  }

  /// The number of the actor at an address, or -1.
  func number(of address: UnsafeRawPointer) -> Int32 {
    let records = records.elements
    for index in records.indices where records[index].address == address { return Int32(index) }
    return -1
  }

  mutating func add(_ address: UnsafeRawPointer) -> Int32 {
    records.append(Record(address: address))
    return Int32(records.count - 1)
  }

  /// Records that an actor has asked for a turn.
  mutating func expectTurn(of actor: Int32) {
    self[actor].newestSeen = 0
    pending.append(actor)
  }

  /// Records that an actor begins its turn.
  mutating func beginTurn(of actor: Int32) {
    self[actor].newestSeen = 0
    pending.removeAll { $0 == actor }
  }

  /// Records that an actor's job has paused, or has ended.
  mutating func setPaused(_ actor: Int32, _ isPaused: Bool) {
    if paused.isEmpty && !isPaused { return }
    if paused.elements.contains(actor) {
      if !isPaused { paused.removeAll { $0 == actor } }
    } else if isPaused {
      paused.append(actor)
    }
  }

  /// The task that an actor will run first.
  func firstWaiting(for actor: Int32) -> Waiting? { waiting.elements.first { $0.actor == actor } }

  func isWaiting(_ task: Int32) -> Bool { waiting.elements.contains { $0.task == task } }

  mutating func insert(_ task: Waiting, at position: Int) { waiting.insert(task, at: position) }

  mutating func removeFirstWaiting(for actor: Int32) {
    if let first = waiting.elements.firstIndex(where: { $0.actor == actor }) {
      waiting.remove(at: first)
    }
  }

  mutating func removeAllWaiting(for actor: Int32) { waiting.removeAll { $0.actor == actor } }
}
