import SeededRandom

/// The source of every random choice in a run, recorded so that the run can be replayed and shrunk.
///
/// A choice is stored as the *rank* of the drawn value: 0 is the simplest possible value. A
/// recorded sequence therefore shrinks by lowering its numbers, and has the same meaning on every
/// machine. The choices of one command form a *span*.
///
/// Choices are drawn from a seed, or replayed from a ``ChoiceSequence``. A replay never stops:
/// where the recording has no rank, the simplest value is drawn, and ``divergence`` records the
/// first such choice.
public struct Choices: Sendable {
  /// How a run's draws differ from uniform ones, to reach states that uniform draws miss.
  public enum Strategy: String, Sendable, Hashable, Codable {
    /// Rules are drawn by their weights, and earlier values are not preferred.
    case uniform
    /// A random subset of the rules is excluded for the whole run.
    case swarm
    /// The seed chooses between the two, and how often earlier values are drawn again.
    case mixed
  }

  @usableFromInline enum Mode: Sendable {
    case drawing
    case recording
    case replaying
  }

  @usableFromInline var generator: SplitMix64
  @usableFromInline var mode: Mode
  /// One bit for each rule that the run may draw; all ones in a uniform run.
  @usableFromInline var enabledRules: UInt64 = .max
  /// The number of draws out of 256 that repeat an earlier value of their domain.
  @usableFromInline var reuse: UInt64 = 0
  @usableFromInline var memories: [DomainMemory] = []
  /// The values that are drawn more often than others.
  @usableFromInline package var interesting = InterestingValues()
  /// What chooses the values that ``favourite(of:domain:)`` prefers in this run.
  @usableFromInline var preference: UInt64 = 0
  /// The rule that the run draws nearly always, modulo the number of rules; `nil` in most runs.
  @usableFromInline package var repeatedRule: UInt64?
  /// Whether the run also draws numbers that the model's state and responses contain.
  @usableFromInline package var seesModel = false

  private var recorded = ChoiceSequence()
  private var script = ChoiceSequence()
  private var position = 0

  /// The first point at which a replay differed from its recording, or `nil`.
  public private(set) var divergence: Divergence?

  /// Starts a recorded run from a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed; equal seeds give equal draws on every platform.
  ///   - strategy: How the draws differ from uniform ones.
  public init(seed: UInt64, strategy: Strategy = .mixed) {
    self.init(seed: seed, strategy: strategy, isRecording: true)
  }

  /// Replays a recorded run.
  ///
  /// - Parameter sequence: The choices of an earlier run, or a shrunk variant of them.
  public init(replaying sequence: ChoiceSequence) {
    generator = SplitMix64(seed: 0)
    mode = .replaying
    script = sequence
  }

  /// Starts a run from a seed, optionally without a recording, which is faster.
  @usableFromInline
  package init(seed: UInt64, strategy: Strategy, isRecording: Bool) {
    generator = SplitMix64(seed: 0)
    mode = isRecording ? .recording : .drawing
    restart(seed: seed, strategy: strategy)
  }

  /// Starts the next run with another seed and keeps the storage. Only for runs without a
  /// recording.
  @usableFromInline
  package mutating func restart(seed: UInt64, strategy: Strategy) {
    generator = SplitMix64(seed: seed)
    memories.removeAll(keepingCapacity: true)
    enabledRules = .max
    reuse = 0
    seesModel = false
    repeatedRule = nil
    preference = SplitMix64.mixed(seed ^ 0x7072_6566_6572)
    interesting.restart(SplitMix64.mixed(seed ^ 0x6c69_7465_7261_6c73))
    guard strategy != .uniform else { return }
    let plan = generator.next()
    if strategy == .swarm || plan & 1 == 1 { enabledRules = generator.next() }
    reuse = (plan >> 8 & 3) * 64
  }

  /// The choices so far; empty for a run that is not recorded.
  ///
  /// After a replay it holds the ranks that were used. They differ from the recording after a
  /// divergence.
  public var sequence: ChoiceSequence { recorded }

  /// Ends a replay and checks that it used every recorded rank.
  ///
  /// - Returns: The first divergence, or `nil` if the replay was exact.
  public mutating func finishReplay() -> Divergence? {
    if mode == .replaying {
      noteUnused()
      if divergence == nil, recorded.spans.count < script.spans.count {
        divergence = .unusedCommands(script.spans.count - recorded.spans.count)
      }
    }
    return divergence
  }

  /// Opens the span of the next command; a replay moves to the next recorded span.
  @inlinable
  public mutating func beginCommand() {
    if mode != .drawing { openSpan() }
  }

  // MARK: - Drawing

  /// Draws an integer.
  ///
  /// The simplest value is the one nearest to zero. In ranges of more than 16 values, some are
  /// drawn more often than others: the bounds, powers of two and their multiples, literals of the
  /// subject's source code, and numbers in the model's state.
  ///
  /// - Parameters:
  ///   - range: The possible values. Of a range wider than 64 bits, only the simplest 2⁶⁴ are
  ///     drawn.
  ///   - domain: The meaning of the value, such as `"key"`. Earlier values of the domain are
  ///     preferred, and shrinking renames and unifies values within it.
  @inlinable
  public mutating func integer<Value: FixedWidthInteger>(
    in range: ClosedRange<Value>, domain: Domain? = nil
  ) -> Value {
    if let lower = Int64(exactly: range.lowerBound), let upper = Int64(exactly: range.upperBound) {
      return Value(truncatingIfNeeded: integer(lower, upper, domain))
    }
    let drawn = Value(rank: rank(upTo: Ranks(range).last, domain: domain), in: range)
    if seesModel { interesting.remember(Int64(clamping: drawn)) }
    return drawn
  }

  /// Draws an `Int` as the generic function draws it, which is slower without optimization.
  ///
  /// - Parameters:
  ///   - range: The possible values.
  ///   - domain: The meaning of the value.
  @inlinable
  public mutating func integer(in range: ClosedRange<Int>, domain: Domain? = nil) -> Int {
    Int(integer(Int64(range.lowerBound), Int64(range.upperBound), domain))
  }

  @inlinable
  mutating func integer(_ lower: Int64, _ upper: Int64, _ domain: Domain?) -> Int64 {
    let ranks = Ranks(lower, upper)
    let last = ranks.last
    let simplest = Ranks.simplest(lower, upper)
    if last > 15, mode != .replaying, generator.next() & 3 == 0,
      let value = interesting.draw(&generator, lower, upper, seesModel: seesModel)
    {
      let distance = UInt64(bitPattern: value < simplest ? simplest &- value : value &- simplest)
      note(
        ranks.rank(isBelow: value < simplest, distance: distance), upTo: last, domain: domain)
      if seesModel { interesting.remember(value) }
      return value
    }
    let (isBelow, distance) = ranks.place(ofRank: rank(upTo: last, domain: domain))
    let offset = Int64(bitPattern: distance)
    let drawn = isBelow ? simplest &- offset : simplest &+ offset
    if seesModel, last > 15 { interesting.remember(drawn) }
    return drawn
  }

  /// Remembers and records a rank that was drawn in another way.
  @inlinable
  @discardableResult
  mutating func note(_ rank: UInt64, upTo limit: UInt64, domain: Domain?) -> UInt64 {
    if let domain {
      let memory = memory(of: domain)
      memories[memory].remember(rank)
    }
    if mode == .recording { record(rank, upTo: limit, kind: .value, domain: domain) }
    return rank
  }

  /// Draws a command, for which the numbers that the model has are drawn more often.
  @inlinable
  package mutating func command<Spec: Specification>(of spec: Spec, in state: Spec.State)
    -> Spec.Command
  {
    guard seesModel else { return spec.command(from: &self, in: state) }
    interesting.show(state: state)
    defer { interesting.hideState() }
    return spec.command(from: &self, in: state)
  }

  /// Remembers the model's response to the command, for the draws of the next.
  @inlinable
  package mutating func see(_ response: some Sendable) {
    if seesModel { interesting.see(response: response) }
  }

  /// Draws a Boolean; `false` is simpler.
  ///
  /// - Parameter probability: The probability of `true`, from 0 to 1.
  @inlinable
  public mutating func bool(probability: Double = 0.5) -> Bool {
    if mode == .replaying { return replay(upTo: 1, kind: .value, domain: nil) == 1 }
    let unit = Double(generator.next() >> 11) * 0x1p-53
    let rank: UInt64 = unit < probability ? 1 : 0
    if mode == .recording { record(rank, upTo: 1, kind: .value, domain: nil) }
    return rank == 1
  }

  /// Draws an element of a collection; the first is the simplest.
  ///
  /// - Parameters:
  ///   - collection: The possible elements.
  ///   - domain: The meaning of the element; see ``integer(in:domain:)``.
  /// - Returns: An element, or `nil` if the collection is empty.
  @inlinable
  public mutating func element<Elements: Collection>(
    of collection: Elements, domain: Domain? = nil
  ) -> Elements.Element? {
    let count = collection.count
    guard count > 0 else { return nil }
    let offset = rank(upTo: UInt64(count - 1), domain: domain)
    return collection[collection.index(collection.startIndex, offsetBy: Int(offset))]
  }

  /// Draws an index with a probability in proportion to its weight; the first is the simplest.
  ///
  /// - Parameter weights: A weight for each index; a negative weight counts as 0.
  /// - Returns: An index of `weights`, or 0 if no weight is positive.
  @inlinable
  public mutating func index(weights: [Int]) -> Int {
    weighted(weights, enabled: .max, kind: .value)
  }

  /// Draws the kind of the next command, each kind with the same probability.
  ///
  /// A swarm run excludes some rules from its first command to its last. So draw the kind of a
  /// command with this function, and everything else with the others.
  ///
  /// - Parameter count: The number of rules; at most 64 of them take part in swarm runs.
  /// - Returns: A number from 0 to `count - 1`; make 0 the simplest rule.
  @inlinable
  public mutating func rule(of count: Int) -> Int {
    let limit = UInt64(max(count, 1) - 1)
    if mode == .replaying { return Int(replay(upTo: limit, kind: .rule, domain: nil)) }
    let rank = proposeRule(upTo: limit)
    if mode == .recording { record(rank, upTo: limit, kind: .rule, domain: nil) }
    return Int(rank)
  }

  /// Draws the kind of the next command with a probability in proportion to its weight.
  ///
  /// - Parameter weights: A weight for each rule; see ``rule(of:)``.
  /// - Returns: An index of `weights`; put the simplest rule first.
  @inlinable
  public mutating func rule(weights: [Int]) -> Int {
    weighted(weights, enabled: enabledRules, kind: .rule)
  }

  /// Draws the kind of the next command from the cases of an enumeration; see ``rule(of:)``.
  ///
  /// - Parameter rules: The enumeration; its first case is the simplest rule.
  @inlinable
  public mutating func rule<Rule: CaseIterable>(_ rules: Rule.Type) -> Rule
  where Rule.AllCases: RandomAccessCollection {
    let all = rules.allCases
    return all[all.index(all.startIndex, offsetBy: rule(of: all.count))]
  }

  // MARK: - Ranks

  @inlinable
  mutating func rank(upTo limit: UInt64, domain: Domain?) -> UInt64 {
    if mode == .replaying { return replay(upTo: limit, kind: .value, domain: domain) }
    let bits = generator.next()
    var rank = bits.scaled(upTo: limit)
    if limit > 15, bits & 0x1f == 0 {
      // One draw in 32 is a bound of the range: half of them the upper one, the others 0 or 1.
      rank = bits & 0x20 == 0 ? limit : bits >> 6 & 1
    }
    if let domain {
      let memory = memory(of: domain)
      if bits >> 8 & 0xff < reuse, memories[memory].count > 0 {
        rank = min(memories[memory].value(at: bits >> 16 & 0xff), limit)
      }
      memories[memory].remember(rank)
    }
    if mode == .recording { record(rank, upTo: limit, kind: .value, domain: domain) }
    return rank
  }

  @inlinable
  mutating func proposeRule(upTo limit: UInt64) -> UInt64 {
    let bits = generator.next()
    if let repeatedRule, bits & 63 != 0 { return repeatedRule % (limit + 1) }
    guard enabledRules != .max, limit < 63 else { return bits.scaled(upTo: limit) }
    var enabled = enabledRules & (2 << limit - 1)
    guard enabled != 0 else { return bits.scaled(upTo: limit) }
    for _ in 0..<bits.scaled(upTo: UInt64(enabled.nonzeroBitCount - 1)) {
      enabled &= enabled - 1
    }
    return UInt64(enabled.trailingZeroBitCount)
  }

  @inlinable
  mutating func weighted(_ weights: [Int], enabled: UInt64, kind: Choice.Kind) -> Int {
    let limit = UInt64(max(weights.count, 1) - 1)
    if mode == .replaying { return Int(replay(upTo: limit, kind: kind, domain: nil)) }
    var mask = enabled
    var total = Self.total(weights, mask)
    if total == 0 {
      mask = .max
      total = Self.total(weights, mask)
    }
    var rank = 0
    let bits = total == 0 ? 0 : generator.next()
    var rest = total == 0 ? 0 : bits.scaled(upTo: total - 1)
    if kind == .rule, let repeatedRule, bits & 63 != 0 {
      // In proportion to the weights, too.
      rest = SplitMix64.mixed(repeatedRule).scaled(upTo: max(total, 1) - 1)
    }
    for index in weights.indices where total > 0 {
      let weight = Self.weight(weights, index, mask)
      if rest < weight {
        rank = index
        break
      }
      rest -= weight
    }
    if mode == .recording { record(UInt64(rank), upTo: limit, kind: kind, domain: nil) }
    return rank
  }

  @inlinable
  static func weight(_ weights: [Int], _ index: Int, _ mask: UInt64) -> UInt64 {
    // At most 2³², so that the sum cannot overflow.
    let isEnabled = index > 63 || mask >> UInt64(index) & 1 == 1
    return isEnabled ? UInt64(min(max(weights[index], 0), 1 << 32)) : 0
  }

  @inlinable
  static func total(_ weights: [Int], _ mask: UInt64) -> UInt64 {
    var sum: UInt64 = 0
    for index in weights.indices { sum += weight(weights, index, mask) }
    return sum
  }

  @inlinable
  mutating func memory(of domain: Domain) -> Int {
    for index in memories.indices where memories[index].domain == domain { return index }
    memories.append(DomainMemory(domain: domain))
    return memories.count - 1
  }

  // MARK: - Recording and replaying

  @usableFromInline
  mutating func record(_ rank: UInt64, upTo limit: UInt64, kind: Choice.Kind, domain: Domain?) {
    recorded.append(Choice(rank: rank, limit: limit, kind: kind, domain: domain))
  }

  @usableFromInline
  mutating func openSpan() {
    if mode == .replaying { noteUnused() }
    recorded.openSpan()
    position = 0
  }

  @usableFromInline
  mutating func replay(upTo limit: UInt64, kind: Choice.Kind, domain: Domain?) -> UInt64 {
    let command = recorded.spans.count - 1
    let span = script.span(command)
    var rank: UInt64 = 0
    if position < span.count {
      rank = span[position].rank
      if rank > limit {
        note(.outOfRange(command: command, rank: rank, limit: limit))
        rank = limit
      }
    } else {
      note(.exhausted(command: command))
    }
    position += 1
    record(rank, upTo: limit, kind: kind, domain: domain)
    return rank
  }

  private mutating func noteUnused() {
    let command = recorded.spans.count - 1
    let count = script.span(command).count - position
    if count > 0 { note(.unusedRanks(command: command, count: count)) }
  }

  private mutating func note(_ new: Divergence) {
    if divergence == nil { divergence = new }
  }
}

extension Choices {
  /// The way in which a replay differed from its recording.
  ///
  /// Commands are numbered from 0; -1 stands for the choices before the first.
  public enum Divergence: Sendable, Hashable {
    /// The generator drew more choices than the command's span holds.
    case exhausted(command: Int)
    /// A recorded rank is above the current limit, which was used instead.
    case outOfRange(command: Int, rank: UInt64, limit: UInt64)
    /// The generator drew fewer choices than the command's span holds.
    case unusedRanks(command: Int, count: Int)
    /// The recording has more commands than the replay.
    case unusedCommands(Int)
  }
}

extension Choices.Divergence: CustomStringConvertible {
  public var description: String {
    switch self {
    case .exhausted(let command):
      "command \(command) drew more choices than were recorded"
    case .outOfRange(let command, let rank, let limit):
      "command \(command) was recorded with choice \(rank), but the limit is now \(limit)"
    case .unusedRanks(let command, let count):
      "command \(command) did not use \(count) recorded choices"
    case .unusedCommands(let count):
      "\(count) recorded commands were not drawn"
    }
  }
}
