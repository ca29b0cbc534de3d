/// The tasks of a run, numbered in the order in which they were first seen.
struct TaskTable: ~Copyable {
  /// How a task came to run here.
  enum Origin: Equatable {
    /// One of those under exploration.
    case root
    /// A child of another task.
    case child
    /// Made by `Task {}` or `Task.detached`, or put on an actor by code that was not seen.
    case unstructured
  }

  struct Record {
    var key: UInt
    var origin: Origin
    var parent: Int32
    /// Among its parent's children from 1, or among all tasks.
    var ordinal: Int32
    var children: Int32 = 0
    var isQueued = true
    /// The frame on an actor that waits for `Task.yield()`, or 0.
    var yieldingFrame: UInt = 0
    /// The step that ran it last, or -1.
    var lastStep: Int32 = -1
  }

  private var records = FlatList<Record>()

  var count: Int { records.count }

  /// The records, until a task is added.
  var elements: UnsafeMutableBufferPointer<Record> { records.elements }

  subscript(task: Int32) -> Record {
    get { records[Int(task)] }
    set { records[Int(task)] = newValue }
  }

  mutating func removeAll() { records.removeAll() }

  /// The number of the newest task with a key, or -1.
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
  ///   - key: What distinguishes it, see ``RuntimeJob/taskKey``.
  ///   - origin: How it came here.
  ///   - running: The task that runs now, or -1.
  /// - Returns: Its number.
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
