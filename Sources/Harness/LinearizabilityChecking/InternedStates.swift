/// Unique states, numbered in the order in which they were first seen.
@usableFromInline
struct InternedStates<State: Hashable & Sendable>: Sendable {
  @usableFromInline var states: [State] = []
  @usableFromInline var hashes: [Int] = []
  @usableFromInline var slots: [UInt32]
  /// The estimated size of the states' heap storage, from every 256th state.
  @usableFromInline var heapBytes = 0

  @inlinable
  init() { slots = Array(repeating: 0, count: 64) }

  @inlinable
  var bytes: Int {
    4 * slots.count + hashes.capacity * 8 + states.capacity * MemoryLayout<State>.stride
      + heapBytes
  }

  /// The number of a state; a new state is added.
  @inlinable
  mutating func number(of state: State) -> UInt32 {
    if 2 * states.count >= slots.count { grow() }
    let hash = state.hashValue
    let mask = slots.count - 1
    var slot = hash & mask
    while slots[slot] != 0 {
      let index = Int(slots[slot] - 1)
      if hashes[index] == hash, states[index] == state { return UInt32(index) }
      slot = (slot + 1) & mask
    }
    if !_isPOD(State.self), states.count & 0xff == 0 {
      heapBytes += 256 * estimatedHeapBytes(of: state)
    }
    states.append(state)
    hashes.append(hash)
    slots[slot] = UInt32(states.count)
    return UInt32(states.count - 1)
  }

  @inlinable
  mutating func grow() {
    var larger = [UInt32](repeating: 0, count: 2 * slots.count)
    let mask = larger.count - 1
    for index in hashes.indices {
      var slot = hashes[index] & mask
      while larger[slot] != 0 { slot = (slot + 1) & mask }
      larger[slot] = UInt32(index + 1)
    }
    slots = larger
  }
}

/// The estimated heap storage of a value: 32 bytes and 24 more for each child, at most 6 levels
/// deep.
@usableFromInline
func estimatedHeapBytes(of value: Any) -> Int {
  var nodes = 0
  func count(_ value: Any, depth: Int) {
    for child in Mirror(reflecting: value).children {
      nodes += 1
      if depth < 6, nodes < 100_000 { count(child.value, depth: depth + 1) }
    }
  }
  count(value, depth: 0)
  return 32 + 24 * nodes
}
