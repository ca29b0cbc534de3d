/// The source of every random decision in a run, recorded so that it can be replayed and shrunk.
///
/// A value drawn is stored as its *rank*: 0 for the simplest value that was possible, larger for
/// less simple ones. A recorded sequence of ranks therefore shrinks by lowering its numbers, and
/// means the same on every machine. The decisions of one command form a *span*.
///
/// Choices come from a seed, or from a recorded ``ChoiceSequence``. A replay never stops: a
/// decision that the recording cannot answer takes the simplest value, and
/// ``divergence`` says so.
public struct Choices: Sendable {
  /// How a run's generator deviates from uniform draws, to reach states that uniform draws miss.
  public enum Strategy: String, Sendable, Hashable, Codable {
    /// Every rule is as likely as its weight says; values used before are not preferred.
    case uniform
    /// A random subset of the rules is left out for the whole run.
    case swarm
    /// The seed decides between the two, and how strongly values used before are preferred.
    case mixed
  }

  @usableFromInline enum Mode: Sendable {
    case drawing
    case recording
    case replaying
  }

  @usableFromInline var generator: SplitMix64
  @usableFromInline var mode: Mode
  /// The rules that a swarm run may use, a bit each; all ones in a uniform run.
  @usableFromInline var enabledRules: UInt64 = .max
  /// Out of 256, how often a tagged draw repeats a value used before.
  @usableFromInline var reuse: UInt64 = 0
  @usableFromInline var memories: [DomainMemory] = []

  private var recorded = ChoiceSequence()
  private var script = ChoiceSequence()
  private var position = 0

  /// Where a replay first had to answer a decision that its recording does not hold.
  public private(set) var divergence: Divergence?

  /// Starts a recorded run from a seed.
  ///
  /// - Parameters:
  ///   - seed: Equal seeds give equal draws on every platform.
  ///   - strategy: How the run deviates from uniform draws.
  public init(seed: UInt64, strategy: Strategy = .mixed) {
    self.init(seed: seed, strategy: strategy, isRecording: true)
  }

  /// Replays a recorded run.
  ///
  /// - Parameter sequence: What an earlier run recorded, or a shrunk variant of it.
  public init(replaying sequence: ChoiceSequence) {
    generator = SplitMix64(seed: 0)
    mode = .replaying
    script = sequence
  }

  /// Starts a run that can be repeated from its seed but keeps no recording, which is faster.
  @usableFromInline
  init(seed: UInt64, strategy: Strategy, isRecording: Bool) {
    generator = SplitMix64(seed: 0)
    mode = isRecording ? .recording : .drawing
    restart(seed: seed, strategy: strategy)
  }

  /// Starts over with another seed, keeping the storage already allocated.
  @usableFromInline
  mutating func restart(seed: UInt64, strategy: Strategy) {
    generator = SplitMix64(seed: seed)
    memories.removeAll(keepingCapacity: true)
    enabledRules = .max
    reuse = 0
    guard strategy != .uniform else { return }
    let plan = generator.next()
    if strategy == .swarm || plan & 1 == 1 { enabledRules = generator.next() }
    reuse = (plan >> 8 & 3) * 64
  }

  /// Everything drawn so far; empty for a run that is not recorded.
  ///
  /// After a replay it holds the ranks that were really used, which differ from the script where
  /// the replay diverged.
  public var sequence: ChoiceSequence { recorded }

  /// Ends a replay and says whether the recording was followed to its last rank.
  ///
  /// - Returns: The first divergence, or `nil` when the replay was exact.
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
  /// The simplest value is the one nearest to zero. Wide ranges yield their ends more often than
  /// uniform draws would.
  ///
  /// - Parameters:
  ///   - range: The values that are possible; of a range wider than 64 bits only the simplest
  ///     2⁶⁴ values are drawn.
  ///   - domain: What the value means, such as `"key"`: values used before in the same domain
  ///     are preferred, and shrinking renames and unifies them.
  @inlinable
  public mutating func integer<Value: FixedWidthInteger>(
    in range: ClosedRange<Value>, domain: Domain? = nil
  ) -> Value {
    let width = range.upperBound.distanceInRanks(from: range.lowerBound)
    return Value(rank: rank(upTo: width, domain: domain), in: range)
  }

  /// Draws a Boolean; `false` is the simpler one.
  ///
  /// - Parameter probability: How often it is `true`, from 0 to 1.
  @inlinable
  public mutating func bool(probability: Double = 0.5) -> Bool {
    if mode == .replaying { return replay(upTo: 1, kind: .value, domain: nil) == 1 }
    let unit = Double(generator.next() >> 11) * 0x1p-53
    let rank: UInt64 = unit < probability ? 1 : 0
    if mode == .recording { record(rank, upTo: 1, kind: .value, domain: nil) }
    return rank == 1
  }

  /// Draws an element; the first is the simplest.
  ///
  /// - Parameters:
  ///   - collection: The elements that are possible.
  ///   - domain: What the element means; see ``integer(in:domain:)``.
  /// - Returns: An element, or `nil` when the collection is empty.
  @inlinable
  public mutating func element<Elements: Collection>(
    of collection: Elements, domain: Domain? = nil
  ) -> Elements.Element? {
    let count = collection.count
    guard count > 0 else { return nil }
    let offset = rank(upTo: UInt64(count - 1), domain: domain)
    return collection[collection.index(collection.startIndex, offsetBy: Int(offset))]
  }

  /// Draws an index, each as often as its weight says; the first is the simplest.
  ///
  /// - Parameter weights: One weight an index; a negative one counts as 0.
  /// - Returns: An index of `weights`, 0 when all weights are 0.
  @inlinable
  public mutating func index(weights: [Int]) -> Int {
    weighted(weights, enabled: .max, kind: .value)
  }

  /// Draws which kind of command comes next, each kind alike.
  ///
  /// A swarm run leaves some of the rules out from its beginning to its end, so draw rules only
  /// here, and everything else with the other functions.
  ///
  /// - Parameter count: The number of rules; at most 64 of them take part in swarm runs.
  /// - Returns: A number from 0 to `count - 1`; put the simplest rule first.
  @inlinable
  public mutating func rule(of count: Int) -> Int {
    let limit = UInt64(max(count, 1) - 1)
    if mode == .replaying { return Int(replay(upTo: limit, kind: .rule, domain: nil)) }
    let rank = proposeRule(upTo: limit)
    if mode == .recording { record(rank, upTo: limit, kind: .rule, domain: nil) }
    return Int(rank)
  }

  /// Draws which kind of command comes next, each as often as its weight says.
  ///
  /// - Parameter weights: One weight a rule; see ``rule(of:)``.
  /// - Returns: An index of `weights`; put the simplest rule first.
  @inlinable
  public mutating func rule(weights: [Int]) -> Int {
    weighted(weights, enabled: enabledRules, kind: .rule)
  }

  /// Draws which kind of command comes next from the cases of an enumeration.
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
      // The ends of a wide range, one draw in 32.
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
    var rest = total == 0 ? 0 : generator.next().scaled(upTo: total - 1)
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
    // Weights are capped so that their sum cannot overflow.
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
  /// How a replay departed from its recording; commands count from 0, draws before the first are -1.
  public enum Divergence: Sendable, Hashable {
    /// The generator asked for more decisions than the command's span holds.
    case exhausted(command: Int)
    /// A recorded rank is larger than what is possible now; the largest possible one was used.
    case outOfRange(command: Int, rank: UInt64, limit: UInt64)
    /// The generator asked for fewer decisions than the command's span holds.
    case unusedRanks(command: Int, count: Int)
    /// Spans at the end of the recording that no command asked for.
    case unusedCommands(Int)
  }
}

extension Choices.Divergence: CustomStringConvertible {
  public var description: String {
    switch self {
    case .exhausted(let command):
      "command \(command) asked for more choices than were recorded"
    case .outOfRange(let command, let rank, let limit):
      "command \(command) was recorded with choice \(rank), but only 0...\(limit) are possible now"
    case .unusedRanks(let command, let count):
      "command \(command) left \(count) recorded choices unused"
    case .unusedCommands(let count):
      "\(count) recorded commands were never asked for"
    }
  }
}
