/// A small, fast pseudo-random generator with the same output on every platform.
///
/// Source: Steele, Lea, Flood, 'Fast Splittable Pseudorandom Number Generators', OOPSLA 2014.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  /// Creates a generator. Neighbouring seeds give unrelated sequences.
  @inlinable
  public init(seed: UInt64) { state = Self.mixed(seed) }

  @inlinable
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mixed(state)
  }

  /// A hash of 64 bits.
  @inlinable
  public static func mixed(_ seed: UInt64) -> UInt64 {
    var bits = seed
    bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return bits ^ bits >> 31
  }
}

extension UInt64 {
  /// Maps 64 random bits to 0...`limit`.
  @inlinable
  public func scaled(upTo limit: UInt64) -> UInt64 {
    limit == .max ? self : multipliedFullWidth(by: limit + 1).high
  }
}
