import SeededRandom

/// The values that a run draws more often than others: literals of the source code, numbers and sizes of collections
/// in the model's state and responses, and what relates these and the latest draws: sums, differences, doubles,
/// halves, and what is missing to a power of two.
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
  /// The latest numbers that were drawn, the last one first.
  private var latest: SIMD4<Int64> = .zero

  @usableFromInline
  init() {}

  /// Forgets the last run and chooses the favourites of the next.
  @usableFromInline
  mutating func restart(_ bits: UInt64) {
    response = nil
    latest = .zero
    guard !literals.isEmpty else { return }
    for index in 0..<4 {
      favourites[index] = literal((bits >> UInt64(16 * index) & 0xffff) << 48)
    }
  }

  /// Remembers the model's response to a command.
  @usableFromInline
  mutating func see(response: any Sendable) { self.response = response }

  /// Remembers a number that was drawn.
  @usableFromInline
  mutating func remember(_ value: Int64) {
    latest = SIMD4(value, latest[0], latest[1], latest[2])
  }

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
    var numbers = Numbers()
    if let response, let state {
      numbers.collect(response, depth: 3)
      numbers.collect(state, depth: 4)
    }
    // Of very many numbers, none is special.
    let sorted = numbers.sizes.union(numbers.values.count > 64 ? [] : numbers.values).sorted()
    seen = sorted
    return sorted
  }

  /// What a value consists of.
  private struct Numbers {
    var values: Set<Int64> = []
    var sizes: Set<Int64> = []

    mutating func collect(_ value: Any, depth: Int) {
      if let number = value as? any BinaryInteger {
        guard values.count <= 64 else { return }
        if let small = Int64(exactly: number), small.magnitude > 1 { values.insert(small) }
        return
      }
      guard depth > 0, !(value is String) else { return }
      let mirror = Mirror(reflecting: value)
      let count = mirror.children.count
      if count > 1, [.collection, .set, .dictionary].contains(mirror.displayStyle) {
        sizes.insert(Int64(count))
      }
      guard count <= 256 else { return }
      for child in mirror.children { collect(child.value, depth: depth - 1) }
    }
  }

  /// A number that the model has or that was drawn lately, or one that relates two of them.
  private func related(_ numbers: [Int64], _ bits: UInt64, _ more: UInt64) -> Int64? {
    func one(_ bits: UInt64) -> Int64 {
      numbers.isEmpty || bits & 1 == 0
        ? latest[Int(bits >> 1 & 1)]
        : numbers[Int((bits << 8).scaled(upTo: UInt64(numbers.count - 1)))]
    }
    let first = one(more)
    let second = one(SplitMix64.mixed(more))
    let power = Int64(1) << Int64(3 + bits >> 48 & 15)
    let (value, isOverflow) =
      switch bits >> 14 & 7 {
      case 0: first.addingReportingOverflow(second)
      case 1: first.subtractingReportingOverflow(second)
      case 2: first.multipliedReportingOverflow(by: 2)
      case 3: (first / 2, false)
      case 4: power.subtractingReportingOverflow(first)
      default:
        (
          numbers.isEmpty ? first : numbers[Int(more.scaled(upTo: UInt64(numbers.count - 1)))],
          false
        )
      }
    return isOverflow ? nil : value
  }

  /// Draws an interesting value of a range, or returns `nil` if it finds none there.
  ///
  /// The values are the bounds, powers of two, multiples of them, literals, multiples of literals,
  /// and numbers that the model has or that relate to them, each also one more or less.
  @usableFromInline
  mutating func draw(
    _ generator: inout SplitMix64, _ lower: Int64, _ upper: Int64, seesModel: Bool
  ) -> Int64? {
    for _ in 0..<4 {
      let bits = generator.next()
      let value = candidate(bits, generator.next(), lower, upper, seesModel: seesModel)
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
    _ bits: UInt64, _ more: UInt64, _ lower: Int64, _ upper: Int64, seesModel: Bool
  ) -> Int64? {
    // One in four is the value's predecessor or successor.
    let offset: Int64 = bits & 0xc == 0 ? (bits & 0x10 == 0 ? 1 : -1) : 0
    if bits & 0x1c00 == 0 { return (bits & 0x2000 == 0 ? lower : upper) &+ offset }
    let base: Int64?
    switch bits & 3 {
    case 0 where seesModel: base = related(numbersOfModel(), bits, more)
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
