/// The set of objects that a step accessed: tasks, actors, and the state outside both.
///
/// Two steps are independent if their footprints are disjoint. The set is one word: objects with
/// numbers above 60 share a bit, which can add conflicts between steps but never hides one.
struct Footprint: Hashable {
  private var bits: UInt64 = 0

  private static let outside: UInt64 = 1 << 63
  private static let new: UInt64 = 1 << 62
  private static let overflow: UInt64 = 1 << 61

  /// Inserts a task by its number; -1 inserts nothing.
  mutating func insert(task: Int32) { insert(object: task &* 2) }

  /// Inserts an actor by its number.
  mutating func insert(actor: Int32) { insert(object: actor &* 2 &+ 1) }

  private mutating func insert(object: Int32) {
    guard object >= 0 else { return }
    bits |= object < 61 ? 1 << UInt64(object) : Self.overflow
  }

  /// Inserts the state that belongs to no task and no actor: locks, globals, streams.
  mutating func insertOutsideState() { bits |= Self.outside }

  /// Makes the step conflict with every step.
  mutating func insertEverything() { bits = .max }

  /// Whether the steps' order can matter.
  func conflicts(with other: Footprint) -> Bool { bits & other.bits != 0 }

  /// The footprint with one shared bit in place of `fresh` objects.
  ///
  /// An object's number is its creation order within a run. The next run may create objects in
  /// another order, so a fresh object's number means nothing there.
  func replacing(_ fresh: Footprint) -> Footprint {
    guard fresh.bits != 0 else { return self }
    var result = self
    result.bits = bits & ~(fresh.bits & ~Self.overflow) | Self.new
    return result
  }
}
