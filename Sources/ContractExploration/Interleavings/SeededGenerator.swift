/// Pseudo-random numbers from a seed, equal on every platform.
///
/// Source: Steele, Lea, Flood, 'Fast Splittable Pseudorandom Number Generators', OOPSLA 2014.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return bits ^ bits >> 31
  }

  /// A number in 0..<`bound`, which must not be 0.
  mutating func below(_ bound: UInt64) -> UInt64 { next().multipliedFullWidth(by: bound).high }
}
