import SeededRandom

/// The values that a run draws more often than others: literals of the source code, and numbers in
/// the model's state and responses.
@usableFromInline package struct InterestingValues: Sendable {
  /// The literals; an exploration finds them once.
  @usableFromInline package var literals: [Int64] = []
  /// The literals that this run prefers.
  private var favourites: SIMD4<Int64> = .zero
  /// The model's latest response, and its state while a command is drawn.
  private var response: (any Sendable)?
  private var state: (any Sendable)?
  /// The numbers in both, once a draw has asked for them.
  private var seen: [Int64]?

  @usableFromInline
  init() {}

  /// Forgets the last run and chooses the favourites of the next.
  @usableFromInline
  mutating func restart(_ bits: UInt64) {
    response = nil
    guard !literals.isEmpty else { return }
    for index in 0..<4 {
      favourites[index] = literal((bits >> UInt64(16 * index) & 0xffff) << 48)
    }
  }

  /// Remembers the model's response to a command.
  @usableFromInline
  mutating func see(response: any Sendable) { self.response = response }

  /// Lets draws use the numbers in a state and in the latest response, until ``hideState()``.
  ///
  /// The first command of a run has no response, and its draws use neither.
  @usableFromInline
  mutating func show(state: any Sendable) {
    seen = nil
    self.state = state
  }

  /// Gives the state back. The model would copy a state that is still referenced before changing it.
  @usableFromInline
  mutating func hideState() { state = nil }

  /// The numbers in the latest response and the state.
  ///
  /// Reflection costs more than most commands, and few draws need the numbers, so they are collected
  /// on demand. The result depends only on the values, not on the order of a dictionary, which
  /// differs between processes and instances: a run must be drawn again from its seed.
  private mutating func numbersOfModel() -> [Int64] {
    if let seen { return seen }
    var numbers: Set<Int64> = []
    if let response, let state {
      Self.collect(response, into: &numbers, depth: 3)
      Self.collect(state, into: &numbers, depth: 4)
    }
    // Of very many numbers, none is special.
    let sorted = numbers.count > 64 ? [] : numbers.sorted()
    seen = sorted
    return sorted
  }

  private static func collect(_ value: Any, into numbers: inout Set<Int64>, depth: Int) {
    guard numbers.count <= 64 else { return }
    if let number = value as? any BinaryInteger {
      if let small = Int64(exactly: number), small.magnitude > 1 { numbers.insert(small) }
      return
    }
    guard depth > 0, !(value is String) else { return }
    let children = Mirror(reflecting: value).children
    guard children.count <= 256 else { return }
    for child in children {
      collect(child.value, into: &numbers, depth: depth - 1)
    }
  }

  /// Draws an interesting value of a range, or returns `nil` if it finds none there.
  ///
  /// The values are the bounds, powers of two, multiples of them, literals, multiples of literals,
  /// and numbers that the model has, each also one more or less.
  @usableFromInline
  mutating func draw(
    _ generator: inout SplitMix64, _ lower: Int64, _ upper: Int64
  ) -> Int64? {
    for _ in 0..<4 {
      let bits = generator.next()
      let value = candidate(bits, generator.next(), lower, upper)
      guard let value, (lower...upper).contains(value) else { continue }
      return value
    }
    return nil
  }

  /// A random literal; those at the front, which are nearest to the subject, are drawn more often.
  private func literal(_ bits: UInt64) -> Int64 {
    let square = bits.multipliedFullWidth(by: bits).high
    return literals[Int(square.scaled(upTo: UInt64(literals.count - 1)))]
  }

  private mutating func candidate(
    _ bits: UInt64, _ more: UInt64, _ lower: Int64, _ upper: Int64
  ) -> Int64? {
    // One in four is the value's predecessor or successor.
    let offset: Int64 = bits & 0xc == 0 ? (bits & 0x10 == 0 ? 1 : -1) : 0
    if bits & 0x1c00 == 0 { return (bits & 0x2000 == 0 ? lower : upper) &+ offset }
    let numbers = bits & 3 == 0 ? numbersOfModel() : []
    let base: Int64?
    switch bits & 3 {
    case 0 where !numbers.isEmpty:
      base = numbers[Int(more.scaled(upTo: UInt64(numbers.count - 1)))]
    case 1 where !literals.isEmpty, 2 where !literals.isEmpty:
      let literal =
        bits & 0x20 == 0
        ? favourites[Int(more >> 62)] : self.literal(more)
      guard bits & 0x1c0 == 0, literal > 1, upper / literal > 1 else {
        base = literal
        break
      }
      base = literal * Int64(clamping: (more << 8).scaled(upTo: UInt64(clamping: upper / literal)))
    default:
      let bound = max(lower.magnitude, upper.magnitude)
      let mostBits = UInt64(min(63 - bound.leadingZeroBitCount, 62))
      let power = Int64(1) << Int64((bits << 24).scaled(upTo: mostBits))
      // Half of them are a power of two, and half a multiple of it.
      base =
        bits & 0x200 == 0
        ? power
        : (lower &+ Int64(bitPattern: more.scaled(upTo: UInt64(bitPattern: upper &- lower))))
          & ~(power - 1)
    }
    return base.flatMap {
      let (value, overflow) = $0.addingReportingOverflow(offset)
      return overflow ? nil : value
    }
  }
}
