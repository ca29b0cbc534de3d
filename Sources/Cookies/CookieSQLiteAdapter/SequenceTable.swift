/// Values by the sequence numbers of cookies: a hash table with open addressing.
///
/// A lookup notes an access for each cookie that it gives, so this is asked as often as the file
/// is; a `Dictionary` takes several times as long. The hash is multiply-shift by a factor that is
/// drawn anew for each table, so that a file made to collide finds no keys that do.
struct SequenceTable<Value> {
  /// How many values there are.
  private(set) var count = 0

  private var slots: [Slot] = []
  /// How many slots have ever been taken, removed ones included.
  private var taken = 0
  private let factor: UInt64

  /// - Parameter factor: An odd number, to multiply keys by.
  init(factor: UInt64 = .random(in: .min ... .max) | 1) { self.factor = factor }

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
    // The number of slots is a power of two, and the highest bits of the product decide.
    let mask = slots.count - 1
    let product = UInt64(bitPattern: key) &* factor
    var place = Int(truncatingIfNeeded: product >> UInt64(mask.leadingZeroBitCount))
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
