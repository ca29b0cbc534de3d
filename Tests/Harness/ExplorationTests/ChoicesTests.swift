import Testing

@testable import ExplorationEngine

@Suite struct ChoicesTests {
  private enum Rule: CaseIterable {
    case first
    case second
    case third
  }

  /// Draws values of each kind.
  private func draw(_ choices: inout Choices) -> [String] {
    var drawn: [String] = []
    for _ in 0..<20 {
      choices.beginCommand()
      drawn.append("\(choices.rule(Rule.self))")
      drawn.append("\(choices.integer(in: -5...20, domain: "key"))")
      drawn.append("\(choices.integer(in: 0...UInt64.max))")
      drawn.append("\(choices.bool(probability: 0.3))")
      drawn.append("\(choices.index(weights: [1, 0, 5]))")
      drawn.append("\(choices.element(of: "abc") ?? "-")")
    }
    return drawn
  }

  @Test func `equal seeds draw equal values and different seeds different ones`() {
    var (first, second, other) = (Choices(seed: 7), Choices(seed: 7), Choices(seed: 8))
    let drawn = draw(&first)
    #expect(drawn == draw(&second))
    #expect(drawn != draw(&other))
  }

  @Test func `a run without a recording draws the same values`() {
    var recorded = Choices(seed: 7)
    var unrecorded = Choices(seed: 7, strategy: .mixed, isRecording: false)
    #expect(draw(&recorded) == draw(&unrecorded))
    #expect(unrecorded.sequence.spans.isEmpty)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a replay draws the recorded values and does not diverge`(seed: UInt64) {
    var recorded = Choices(seed: seed)
    let drawn = draw(&recorded)
    var replay = Choices(replaying: recorded.sequence)
    #expect(draw(&replay) == drawn)
    #expect(replay.finishReplay() == nil)
    #expect(replay.sequence == recorded.sequence)
  }

  @Test func `a replay past the end of its recording diverges and draws the simplest value`() {
    var replay = Choices(replaying: ChoiceSequence(spans: [[4]]))
    replay.beginCommand()
    #expect(replay.integer(in: 0...9) == 4)
    #expect(replay.integer(in: 3...9) == 3)
    #expect(replay.finishReplay() == .exhausted(command: 0))
  }

  @Test func `a replay diverges at a rank above the limit`() {
    var replay = Choices(replaying: ChoiceSequence(spans: [[4]]))
    replay.beginCommand()
    #expect(replay.integer(in: 0...2) == 2)
    #expect(replay.finishReplay() == .outOfRange(command: 0, rank: 4, limit: 2))
  }

  @Test func `a replay reports unused choices`() {
    var ranks = Choices(replaying: ChoiceSequence(spans: [[4, 5], [1]]))
    ranks.beginCommand()
    _ = ranks.integer(in: 0...9)
    ranks.beginCommand()
    _ = ranks.integer(in: 0...9)
    #expect(ranks.finishReplay() == .unusedRanks(command: 0, count: 1))

    var commands = Choices(replaying: ChoiceSequence(spans: [[4], [1], []]))
    commands.beginCommand()
    _ = commands.integer(in: 0...9)
    #expect(commands.finishReplay() == .unusedCommands(2))
  }

  @Test(
    arguments: [-3...4, -4...3, 0...7, 2...9, -9 ... -2, -128...127, 0...0] as [ClosedRange<Int8>])
  func `each value of a range has one rank, in the order of the distance from zero`(
    range: ClosedRange<Int8>
  ) {
    let values = (0...Ranks(range).last).map { Int8(rank: $0, in: range) }
    #expect(Set(values) == Set(range))
    #expect(values.count == range.count)
    #expect(values.map { $0.rank(in: range) } == Array(0...Ranks(range).last))
    let distances = values.map { abs(Int($0)) }
    #expect(distances == distances.sorted())
  }

  /// The value that a replay draws for a rank.
  private func replayed<Value: FixedWidthInteger>(_ rank: UInt64, _ range: ClosedRange<Value>)
    -> Value
  {
    var choices = Choices(replaying: ChoiceSequence(preamble: [rank], spans: []))
    return choices.integer(in: range)
  }

  @Test(
    arguments: [-3...4, 0...7, -9 ... -2, .min ... .max, .min...3, -3 ... .max, .max ... .max]
      as [ClosedRange<Int>])
  func `an Int has the rank that it has in other types`(range: ClosedRange<Int>) {
    let ranks = Ranks(range)
    let wide = Int128(range.lowerBound)...Int128(range.upperBound)
    for rank in Set([0, 1, 2, 5, 6, 7, .max / 2, .max - 1, .max].map { min($0, ranks.last) }) {
      var choices = Choices(replaying: ChoiceSequence(preamble: [rank], spans: []))
      let value: Int = choices.integer(in: range)
      #expect(value == replayed(rank, range) && Int128(value) == Int128(rank: rank, in: wide))
      #expect(value.rank(in: range) == rank && Int128(value).rank(in: wide) == rank)
    }
  }

  @Test func `a range wider than 64 bits has its simplest integers`() {
    #expect(replayed(.max, 1...UInt64.max) == .max)
    #expect(replayed(.max, 5 ... .max as ClosedRange<UInt128>) == 5 + UInt128(UInt64.max))
    #expect(replayed(.max - 1, .min ... .max as ClosedRange<Int128>) == -Int128(Int64.max))
    #expect(replayed(.max, .min ... .max as ClosedRange<Int128>) == Int128(1) << 63)
  }

  @Test func `draws stay inside ranges of any width and reach their bounds`() {
    var choices = Choices(seed: 1, strategy: .uniform)
    var seen: Set<Int> = []
    for _ in 0..<2000 {
      _ = choices.integer(in: Int.min...Int.max)
      let value = choices.integer(in: -1000...1000)
      #expect((-1000...1000).contains(value))
      seen.insert(value)
    }
    #expect(seen.contains(0))
    #expect(seen.contains(1) || seen.contains(-1000))
  }

  @Test func `draws follow weights and probabilities`() {
    var choices = Choices(seed: 3, strategy: .uniform)
    var counts = [0, 0, 0]
    var heads = 0
    for _ in 0..<10_000 {
      counts[choices.index(weights: [1, 0, 3])] += 1
      if choices.bool(probability: 0.2) { heads += 1 }
    }
    #expect(counts[1] == 0)
    #expect((2200...2800).contains(counts[0]))
    #expect((1800...2200).contains(heads))
    #expect(choices.index(weights: []) == 0)
    #expect(choices.index(weights: [-1, 0]) == 0)
    #expect(choices.rule(of: 0) == 0)
    #expect(choices.element(of: [Int]()) == nil)
  }

  @Test func `swarm runs exclude rules and uniform runs do not`() {
    let rules = { (seed: UInt64, strategy: Choices.Strategy) in
      var choices = Choices(seed: seed, strategy: strategy)
      return Set((0..<200).map { _ in choices.rule(of: 6) })
    }
    let swarm = (0..<50).map { rules($0, .swarm).count }
    #expect(swarm.contains { $0 < 4 })
    #expect(swarm.contains { $0 > 2 })
    #expect((0..<50).allSatisfy { rules($0, .uniform).count == 6 })
    let mixed = (0..<50).map { rules($0, .mixed).count }
    #expect(mixed.contains(6) && mixed.contains { $0 < 4 })
  }

  @Test func `runs that prefer earlier values draw fewer distinct ones`() {
    let distinct = (0..<40 as Range<UInt64>).map { seed in
      var choices = Choices(seed: seed, strategy: .mixed)
      return Set((0..<50).map { _ in choices.integer(in: 0...1_000_000, domain: "id") }).count
    }
    #expect(distinct.contains { $0 > 40 })
    #expect(distinct.contains { $0 < 30 })
  }
}
