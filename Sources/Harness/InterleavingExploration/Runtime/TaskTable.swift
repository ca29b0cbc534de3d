/// The tasks of a run, numbered in the order in which they were first seen.
struct TaskTable: ~Copyable {
  /// How a task was created.
  enum Origin: Equatable {
    /// A task under exploration.
    case root
    /// A child of another task.
    case child
    /// Created by `Task {}` or `Task.detached`, or enqueued on an actor by code that was not
    /// intercepted.
    case unstructured
  }

  struct Record {
    var key: UInt
    var origin: Origin
    var parent: Int32
    /// The number among its parent's children, from 1; for a task without a parent, among all
    /// tasks.
    var ordinal: Int32
    var children: Int32 = 0
    var isQueued = true
    /// Whether it has begun to sleep and not been woken.
    var isSleeping = false
    /// Whether it has called `withTaskCancellationHandler`.
    var hasHandler = false
    /// The frame on an actor that called `Task.yield()`, or 0.
    var yieldingFrame: UInt = 0
    /// The last step that ran it, or -1.
    var lastStep: Int32 = -1
  }

  private var records = FlatList<Record>()

  var count: Int { records.count }

  /// The records. The buffer is valid until a task is added.
  var elements: UnsafeMutableBufferPointer<Record> { records.elements }

  subscript(task: Int32) -> Record {
    get { records[Int(task)] }
    _modify { yield &records[Int(task)] }
  }

  mutating func removeAll() { records.removeAll() }

  /// The number of the newest task with a key, or -1. Recent tasks are asked for most often.
  func number(of key: UInt) -> Int32 {
    let records = records.elements
    var index = records.count - 1
    while index >= 0 {
      if records[index].key == key { return Int32(index) }
      index -= 1
    }
    return -1
  }

  /// Adds a task.
  ///
  /// - Parameters:
  ///   - key: Its ``RuntimeJob/taskKey``.
  ///   - origin: How it was created.
  ///   - running: The running task, or -1.
  /// - Returns: The task's number.
  mutating func add(_ key: UInt, origin: Origin, running: Int32) -> Int32 {
    let number = Int32(records.count)
    var ordinal = number
    let parent = origin == .root ? -1 : running
    if parent >= 0 {
      self[parent].children += 1
      ordinal = self[parent].children
    }
    records.append(Record(key: key, origin: origin, parent: parent, ordinal: ordinal))
    return number
  }
}
