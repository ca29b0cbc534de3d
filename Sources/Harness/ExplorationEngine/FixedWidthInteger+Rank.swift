extension FixedWidthInteger {
  /// The difference from a lower bound, which is the largest rank in the range; at most
  /// `UInt64.max`.
  @inlinable
  func distanceInRanks(from lower: Self) -> UInt64 {
    UInt64(clamping: Magnitude(truncatingIfNeeded: self &- lower))
  }

  /// The rank of a value in a range that contains it; the inverse of ``init(rank:in:)``.
  @inlinable
  func rank(in range: ClosedRange<Self>) -> UInt64 {
    let (lower, upper) = (range.lowerBound, range.upperBound)
    if lower >= 0 { return distanceInRanks(from: lower) }
    if upper <= 0 { return upper.distanceInRanks(from: self) }
    let shared = UInt64(clamping: Swift.min(lower.magnitude, upper.magnitude))
    let distance = UInt64(clamping: magnitude)
    guard distance > shared else { return self > 0 ? 2 &* distance &- 1 : 2 &* distance }
    return distance &+ shared
  }

  /// Creates the value with a rank; values are ranked by their distance from zero.
  ///
  /// In a range on both sides of zero the order is 0, 1, -1, 2, -2, … until one bound is reached.
  @inlinable
  init(rank: UInt64, in range: ClosedRange<Self>) {
    let offset = Self(truncatingIfNeeded: rank)
    let lower = range.lowerBound
    let upper = range.upperBound
    if lower >= 0 {
      self = lower &+ offset
    } else if upper <= 0 {
      self = upper &- offset
    } else {
      let shared = UInt64(clamping: Swift.min(lower.magnitude, upper.magnitude))
      if shared > .max / 2 || rank <= 2 * shared {
        let half = Self(truncatingIfNeeded: rank / 2)
        self = rank & 1 == 1 ? half &+ 1 : 0 &- half
      } else if lower.magnitude < upper.magnitude {
        self = offset &- Self(truncatingIfNeeded: shared)
      } else {
        self = Self(truncatingIfNeeded: shared) &- offset
      }
    }
  }
}
