import SeededRandom

/// The configurations that a search has entered: the operations in the order, and the state.
///
/// The keys are stored one after another in one array of words, and found through an
/// open-addressing table. A key holds only the words of the bit set from the first that is not full
/// to the last that is not empty.
@usableFromInline
struct LinearizabilityMemo: Sendable {
  /// The low half of a slot is a key's offset in `words` plus 1, the high half a part of the key's
  /// hash.
  @usableFromInline var slots: [UInt64]
  @usableFromInline var words: [UInt64] = []
  @usableFromInline var count = 0

  @inlinable
  init() { slots = Array(repeating: 0, count: 1 << 10) }

  @inlinable
  var bytes: Int { 8 * (slots.count + words.capacity) }

  /// Adds a configuration.
  ///
  /// - Returns: `false` if it was entered before.
  @inlinable
  mutating func insert(_ state: UInt32, _ done: BitWindow, _ pending: BitWindow) -> Bool {
    if 2 * count >= slots.count { grow() }
    let header = UInt64(state) << 32 | UInt64(UInt32(truncatingIfNeeded: done.low))
    let lengths = UInt64(done.length) << 32 | UInt64(UInt32(truncatingIfNeeded: pending.length))
    var hash = SplitMix64.mixed(header ^ lengths &* 0x9e37_79b9_7f4a_7c15)
    for index in done.low..<done.low + done.length {
      hash = SplitMix64.mixed(hash ^ done.words[index])
    }
    for index in 0..<pending.length { hash = SplitMix64.mixed(hash ^ pending.words[index]) }
    let tag = hash >> 32
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      if slots[slot] >> 32 == tag {
        let offset = Int(slots[slot] & 0xffff_ffff) - 1
        if words[offset] == header, words[offset + 1] == lengths,
          done.matches(words, at: offset + 2, from: done.low),
          pending.matches(words, at: offset + 2 + done.length, from: 0)
        {
          return false
        }
      }
      slot = (slot + 1) & mask
    }
    slots[slot] = tag << 32 | UInt64(words.count + 1)
    words.append(header)
    words.append(lengths)
    for index in done.low..<done.low + done.length { words.append(done.words[index]) }
    for index in 0..<pending.length { words.append(pending.words[index]) }
    count += 1
    return true
  }

  @inlinable
  mutating func grow() {
    // A slot holds only half of the hash, so the keys are hashed again.
    var larger = [UInt64](repeating: 0, count: 2 * slots.count)
    let mask = larger.count - 1
    for entry in slots where entry != 0 {
      let offset = Int(entry & 0xffff_ffff) - 1
      let lengths = words[offset + 1]
      var hash = SplitMix64.mixed(words[offset] ^ lengths &* 0x9e37_79b9_7f4a_7c15)
      let length = Int(lengths >> 32) + Int(lengths & 0xffff_ffff)
      for index in offset + 2..<offset + 2 + length {
        hash = SplitMix64.mixed(hash ^ words[index])
      }
      var slot = Int(truncatingIfNeeded: hash) & mask
      while larger[slot] != 0 { slot = (slot + 1) & mask }
      larger[slot] = entry
    }
    slots = larger
  }
}

/// A bit set that tracks the range of words that are neither full nor empty.
///
/// Searches fill the set roughly from the front, so the range is a few words even for long
/// histories.
@usableFromInline
struct BitWindow: Sendable {
  @usableFromInline var words: [UInt64]
  /// The first word that is not full.
  @usableFromInline var low = 0
  /// The number of words from `low` to the last that is not empty.
  @usableFromInline var length = 0
  /// Whether `low` advances over full words; otherwise it stays 0.
  @usableFromInline let skipsFull: Bool

  @inlinable
  init(count: Int, skipsFull: Bool) {
    words = Array(repeating: 0, count: (count + 63) / 64 + 1)
    self.skipsFull = skipsFull
  }

  @inlinable
  func contains(_ index: Int) -> Bool { words[index >> 6] >> UInt64(index & 63) & 1 == 1 }

  @inlinable
  mutating func insert(_ index: Int) {
    let word = index >> 6
    words[word] |= 1 << UInt64(index & 63)
    var end = max(low + length, word + 1)
    while skipsFull, words[low] == .max { low += 1 }
    end = max(end, low)
    length = end - low
  }

  @inlinable
  mutating func remove(_ index: Int) {
    let word = index >> 6
    words[word] &= ~(1 << UInt64(index & 63))
    var end = low + length
    if skipsFull { low = min(low, word) }
    while end > low, words[end - 1] == 0 { end -= 1 }
    length = end - low
  }

  @inlinable
  func matches(_ other: [UInt64], at offset: Int, from start: Int) -> Bool {
    for index in 0..<length where other[offset + index] != words[start + index] { return false }
    return true
  }
}
