/// Values by the sequence numbers of cookies: a hash table with open addressing.
///
/// A lookup notes an access for each cookie that it gives, so this is asked as often as the file
/// is; a `Dictionary`, whose hash withstands keys chosen by an enemy, takes several times as long.
/// Here the keys are counted up by the store, and a file made to collide slows down its own reader.
struct SequenceTable<Value> {
  /// How many values there are.
  private(set) var count = 0

  private var slots: [Slot] = []
  /// How many slots have ever been taken, removed ones included.
  private var taken = 0

  private struct Slot {
    var key: Int64 = 0
    var isTaken = false
    /// The value, or `nil` where it has been removed.
    var value: Value?
  }

  var isEmpty: Bool { count == 0 }

  subscript(key: Int64) -> Value? {
    get { slots.isEmpty ? nil : slots[slot(of: key)].value }
    set {
      if newValue != nil, taken * 2 >= slots.count { grow() }
      guard !slots.isEmpty else { return }
      let place = slot(of: key)
      if !slots[place].isTaken {
        guard newValue != nil else { return }
        slots[place].key = key
        slots[place].isTaken = true
        taken += 1
      }
      count += (newValue == nil ? 0 : 1) - (slots[place].value == nil ? 0 : 1)
      slots[place].value = newValue
    }
  }

  mutating func removeAll() {
    for place in slots.indices { slots[place] = Slot() }
    count = 0
    taken = 0
  }

  /// The slot that holds a key, or the free one where it would go.
  private func slot(of key: Int64) -> Int {
    // Fibonacci hashing: the number of slots is a power of two, and neighbours come far apart.
    let hash = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    let mask = slots.count - 1
    var place = Int(truncatingIfNeeded: hash >> 32) & mask
    while slots[place].isTaken, slots[place].key != key { place = (place + 1) & mask }
    return place
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
