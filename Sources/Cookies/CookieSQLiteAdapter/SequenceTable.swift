/// A hash table with open addressing, keyed by the sequence numbers of cookies.
///
/// Every lookup writes an entry per cookie returned, and `Dictionary` takes several times as long.
/// The hash is multiply-shift with a random factor per table, so that the sequence numbers of a
/// malicious file can't be chosen to collide.
struct SequenceTable<Value> {
  /// The number of values.
  private(set) var count = 0

  private var slots: [Slot] = []
  /// The number of slots with a key, including those whose value has been removed.
  private var taken = 0
  private let factor: UInt64

  /// - Parameter factor: The odd number by which the hash multiplies keys.
  // not mutated: it changes only how fast the table is
  init(factor: UInt64 = .random(in: .min ... .max) | 1) { self.factor = factor }

  private struct Slot {
    var key: Int64 = 0
    var isTaken = false
    /// The value, or `nil` if it has been removed.
    var value: Value?
  }

  var isEmpty: Bool { count == 0 }

  subscript(key: Int64) -> Value? {
    get { slots.isEmpty ? nil : slots[slot(of: key)].value }
    set {
      if newValue != nil, taken * 2 >= slots.count { grow() }
      guard !slots.isEmpty else { return }
      let index = slot(of: key)
      if !slots[index].isTaken {
        guard newValue != nil else { return }
        slots[index].key = key
        slots[index].isTaken = true
        taken += 1
      }
      count += (newValue == nil ? 0 : 1) - (slots[index].value == nil ? 0 : 1)
      slots[index].value = newValue
    }
  }

  mutating func removeAll() {
    for index in slots.indices { slots[index] = Slot() }
    count = 0
    // not mutated: it changes only how fast the table is
    taken = 0
  }

  /// Returns the slot of a key, or the free slot for it.
  private func slot(of key: Int64) -> Int {
    // The number of slots is a power of two. The highest bits of the product are the slot: they
    // depend on all bits of the key, the lowest bits don't.
    let mask = slots.count - 1
    // not mutated: it changes only how fast the table is
    let product = UInt64(bitPattern: key) &* factor
    var index = Int(truncatingIfNeeded: product >> UInt64(mask.leadingZeroBitCount))
    while slots[index].isTaken, slots[index].key != key {
      // not mutated: whether keys collide depends on the factor, which is random
      index = (index + 1) & mask
    }
    return index
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: Swift.max(64, nextPowerOfTwo(above: count * 4)))
    count = 0
    taken = 0
    for slot in old where slot.value != nil { self[slot.key] = slot.value }
  }

  private func nextPowerOfTwo(above number: Int) -> Int {
    1 << (Int.bitWidth - number.leadingZeroBitCount)
  }
}
