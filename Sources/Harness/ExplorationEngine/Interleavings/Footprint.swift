/// What a step touched: tasks, actors and the state outside both.
///
/// Two steps are independent when their footprints have nothing in common; everything that does
/// not fit in the bits shares one, which can only make steps conflict that need not.
struct Footprint: Equatable {
  private var bits: UInt64 = 0

  private static let outside: UInt64 = 1 << 63
  private static let new: UInt64 = 1 << 62
  private static let overflow: UInt64 = 1 << 61

  /// Adds a task by its number; -1 is none.
  mutating func form(task: Int32) { form(object: task &* 2) }

  /// Adds an actor by its number.
  mutating func form(actor: Int32) { form(object: actor &* 2 &+ 1) }

  private mutating func form(object: Int32) {
    guard object >= 0 else { return }
    bits |= object < 61 ? 1 << UInt64(object) : Self.overflow
  }

  /// Adds the state that belongs to no task and no actor.
  mutating func formOutside() { bits |= Self.outside }

  mutating func formEverything() { bits = .max }

  func conflicts(with other: Footprint) -> Bool { bits & other.bits != 0 }

  /// The footprint with `fresh` objects, whose numbers mean nothing in another run, as one.
  func replacing(_ fresh: Footprint) -> Footprint {
    guard fresh.bits != 0 else { return self }
    var result = self
    result.bits = bits & ~(fresh.bits & ~Self.overflow) | Self.new
    return result
  }
}
