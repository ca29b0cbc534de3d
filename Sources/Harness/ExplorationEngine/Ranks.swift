/// The ranks of the integers in a range: 0 is the simplest, which is the one nearest to zero.
///
/// In a range on both sides of zero the order is 0, 1, -1, 2, -2, … until one bound is reached.
@usableFromInline struct Ranks {
  /// The distance of the lower bound from the simplest integer; at most `UInt64.max`.
  @usableFromInline let below: UInt64
  /// The distance of the upper bound from the simplest integer; at most `UInt64.max`.
  @usableFromInline let above: UInt64

  /// The ranks of a range. Of a range wider than 64 bits, only the simplest 2⁶⁴ integers have one.
  @inlinable
  init<Value: FixedWidthInteger>(_ range: ClosedRange<Value>) {
    let simplest = Value.simplest(in: range)
    below = simplest.distance(from: range.lowerBound)
    above = range.upperBound.distance(from: simplest)
  }

  /// The ranks of the range between two bounds.
  ///
  /// Every draw needs them, and generic code is slower without optimization.
  @inlinable
  init(_ lower: Int64, _ upper: Int64) {
    let simplest = Self.simplest(lower, upper)
    below = UInt64(bitPattern: simplest &- lower)
    above = UInt64(bitPattern: upper &- simplest)
  }

  @inlinable
  static func simplest(_ lower: Int64, _ upper: Int64) -> Int64 {
    lower >= 0 ? lower : upper <= 0 ? upper : 0
  }

  /// The largest rank.
  @inlinable
  var last: UInt64 {
    let (sum, isOverflow) = below.addingReportingOverflow(above)
    return isOverflow ? .max : sum
  }

  /// The rank of an integer by its place beside the simplest one.
  @inlinable
  func rank(isBelow: Bool, distance: UInt64) -> UInt64 {
    let shared = min(below, above)
    guard distance <= shared else { return distance &+ shared }
    return isBelow || distance == 0 ? 2 &* distance : 2 &* distance &- 1
  }

  /// The place of the integer with a rank beside the simplest one; the inverse of ``rank(isBelow:distance:)``.
  @inlinable
  func place(ofRank rank: UInt64) -> (isBelow: Bool, distance: UInt64) {
    let shared = min(below, above)
    guard shared > .max / 2 || rank <= 2 * shared else { return (below > above, rank &- shared) }
    return rank & 1 == 1 ? (false, rank / 2 + 1) : (true, rank / 2)
  }
}

extension FixedWidthInteger {
  @inlinable
  static func simplest(in range: ClosedRange<Self>) -> Self {
    range.lowerBound >= 0 ? range.lowerBound : range.upperBound <= 0 ? range.upperBound : 0
  }

  /// The distance from a number that is not greater; at most `UInt64.max`.
  @inlinable
  func distance(from lower: Self) -> UInt64 {
    UInt64(clamping: Magnitude(truncatingIfNeeded: self &- lower))
  }

  /// The rank of a value in a range that contains it; the inverse of ``init(rank:in:)``.
  @inlinable
  func rank(in range: ClosedRange<Self>) -> UInt64 {
    let simplest = Self.simplest(in: range)
    return self < simplest
      ? Ranks(range).rank(isBelow: true, distance: simplest.distance(from: self))
      : Ranks(range).rank(isBelow: false, distance: distance(from: simplest))
  }

  /// Creates the value with a rank.
  @inlinable
  init(rank: UInt64, in range: ClosedRange<Self>) {
    let (isBelow, distance) = Ranks(range).place(ofRank: rank)
    let simplest = Self.simplest(in: range)
    let offset = Self(truncatingIfNeeded: distance)
    self = isBelow ? simplest &- offset : simplest &+ offset
  }
}
