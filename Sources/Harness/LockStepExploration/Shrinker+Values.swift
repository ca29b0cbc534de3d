internal import ExplorationEngine

// Passes that simplify the arguments of commands. A *name* is a value that only identifies
// something, such as a key; an *amount* is a value whose size may matter.

extension Shrinker {
  /// The position of a choice.
  struct Position {
    let command: Int
    let index: Int
  }

  // MARK: - Together

  /// Sets every value to rank 0, and if that fails, the values of each group.
  mutating func simplifyValues() {
    if accepts(mapped { _ in 0 }) { return }
    for group in groups { accepts(mapped { $0.group == group ? 0 : $0.rank }) }
  }

  /// Sets the values of one group to rank 0, so that repeated commands become idle.
  ///
  /// The groups are tried from the one drawn last: keys are drawn before the values that are stored
  /// under them, and values can be equal without changing which commands are related.
  mutating func simplifyOneGroup() {
    for group in groups.reversed()
    where accepts(withoutIdle: mapped { $0.group == group ? 0 : $0.rank }) { return }
  }

  /// Sorts the commands by their names in a group, and then sets the group to rank 0.
  ///
  /// Commands on one name that ran among those on another become idle only when the two are
  /// separate.
  mutating func separateNames() {
    for group in groups where best.spans.last?.contains(where: { $0.group == group }) == true {
      let name = { (span: [Choice]) in span.first { $0.group == group }?.rank ?? 0 }
      let goal = best.spans.last.map(name)
      let sorted = best.spans.prefix(deletable).enumerated().sorted { first, second in
        let (one, two) = (name(first.element), name(second.element))
        return (one == goal ? 1 : 0, one, first.offset) < (two == goal ? 1 : 0, two, second.offset)
      }.map(\.element)
      let spans = sorted + best.spans.suffix(best.spans.count - deletable)
      if accepts(withoutIdle: mapped(spans) { $0.group == group ? 0 : $0.rank }) { return }
    }
  }

  /// Renames the values of each group in the order of their first use, for the groups together.
  mutating func renameArguments() {
    var names: [Choice.Group: [UInt64: UInt64]] = [:]
    accepts(
      mapped { choice in
        let next = UInt64(names[choice.group]?.count ?? 0)
        if let name = names[choice.group]?[choice.rank] { return name }
        names[choice.group, default: [:]][choice.rank] = next
        return next
      })
  }

  // MARK: - One by one

  /// Lowers each value: first its uses in its group together, then each use.
  mutating func simplifyEachValue() {
    for group in groups {
      let ranks = Set(best.spans.joined().filter { $0.group == group }.map(\.rank)).sorted()
      if let least = ranks.first, least > 0 {
        accepts(mapped { $0.group == group ? $0.rank - min(least, $0.rank) : $0.rank })
      }
      let divisor = ranks.reduce(0, Self.greatestCommonDivisor)
      if divisor > 1 { accepts(mapped { $0.group == group ? $0.rank / divisor : $0.rank }) }
      let isNumbered = isNumbered(group)
      var failures = 0
      for rank in ranks where rank > 0 && failures < (isNumbered ? 2 : .max) {
        // Names in the order of first use can only become lower by becoming equal, which seldom
        // works.
        let before = best.sequence
        lower(positions { $0.group == group && $0.rank == rank }, searching: !isNumbered)
        if best.sequence == before { failures += 1 }
      }
    }
    for position in positions({ $0.kind == .value }) {
      guard let choice = choice(at: position), choice.rank > 0,
        position.command >= deletable || !isNumbered(choice.group)
      else { continue }
      if positions({ $0.group == choice.group && $0.rank == choice.rank }).count > 1 {
        lower([position], searching: true)
      }
    }
  }

  private static func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    second == 0 ? first : greatestCommonDivisor(second, first % second)
  }

  /// Exchanges two names of a group from each command on.
  mutating func swapNames() {
    for group in groups {
      let names = Set(best.spans.joined().filter { $0.group == group }.map(\.rank)).sorted()
      guard names.count > 1, names.count < 4 else { continue }
      for (low, high) in zip(names, names.dropFirst()) {
        for start in best.spans.indices {
          let swapped = best.spans.dropFirst(start).map { span in
            span.map { choice in
              var choice = choice
              if choice.group == group, choice.rank == low || choice.rank == high {
                choice.rank = choice.rank == low ? high : low
              }
              return choice
            }
          }
          accepts(best.spans.prefix(start) + swapped)
        }
      }
    }
  }

  /// Lowers choices of equal rank to 0 or, if that fails, to the lowest rank that a binary search
  /// finds.
  private mutating func lower(_ positions: [Position], searching: Bool) {
    guard let first = positions.first, var high = choice(at: first)?.rank, high > 0,
      !accepts(replacing(positions, by: 0)), searching, high > 1
    else { return }
    // A value that cannot be one less is usually minimal. The search continues only with short
    // sequences.
    if !accepts(replacing(positions, by: high - 1)) {
      guard best.spans.count <= 5 else { return }
      if lowerKeepingSign(positions, from: high) { return }
    } else {
      high -= 1
    }
    var low: UInt64 = 0
    if best.spans.count <= 5 {
      var next: UInt64 = 1
      while next < high, !accepts(replacing(positions, by: next)) {
        low = next
        next = next > .max / 2 ? .max : next * 2
      }
      high = min(high, next)
    }
    while high - low > 1, !isOverBudget {
      let middle = low + (high - low) / 2
      if accepts(replacing(positions, by: middle)) {
        high = middle
      } else {
        low = middle
      }
    }
  }

  /// Sets the amounts of long commands to rank 0, one by one and without a search, so that the
  /// elements of lists that do not matter can be removed.
  ///
  /// - Returns: Whether one is lower.
  mutating func clearEachAmount() -> Bool {
    let before = best.sequence
    for command in best.spans.indices where command < best.spans.count {
      guard best.spans[command].count > 8 else { continue }
      for position in positions({ $0.kind == .value && $0.rank > 0 })
      where position.command == command && (choice(at: position)?.rank ?? 0) > 0 {
        accepts(replacing([position], by: 0))
      }
    }
    return best.sequence != before
  }

  /// Lowers two amounts together, for failures that depend on their difference or their ratio, and
  /// exchanges those that are not in order.
  mutating func lowerPairs() {
    guard best.spans.count <= 5 else { return }
    let amounts = positions { $0.kind == .value && $0.rank > 0 }
    guard (1...6).contains(amounts.count) else { return }
    let all = positions { $0.kind == .value }
    guard all.count <= 8 else { return }
    for (number, first) in all.enumerated() {
      for second in all.dropFirst(number + 1) {
        lower(first, and: second)
        if let one = choice(at: first), let other = choice(at: second), one.rank > other.rank {
          var spans = best.spans
          spans[first.command][first.index].rank = min(other.rank, one.limit)
          spans[second.command][second.index].rank = min(one.rank, other.limit)
          accepts(spans)
        }
      }
    }
  }

  private mutating func lower(_ first: Position, and second: Position) {
    guard let one = choice(at: first)?.rank, let other = choice(at: second)?.rank, one > 0,
      other > 0
    else { return }
    let (least, most) = (min(one, other), max(one, other))
    // If the greater is a multiple, the ratio may matter; of equal numbers, it is the difference.
    let ratio = most % least == 0 ? most / least : 1
    for factor in Set([1, ratio]).sorted() {
      let factors = one < other ? (1, factor) : (factor, 1)
      // Where one step down passes, more would seldom fail.
      var step: UInt64 = 1
      while accepts(lowered(first, second, by: step, factors)) { step &*= 2 }
      while step > 1, !isOverBudget {
        step /= 2
        accepts(lowered(first, second, by: step, factors))
      }
    }
  }

  private func lowered(
    _ first: Position, _ second: Position, by step: UInt64, _ factors: (UInt64, UInt64)
  ) -> [[Choice]] {
    var spans = best.spans
    for (position, factor) in [(first, factors.0), (second, factors.1)] {
      guard let rank = choice(at: position)?.rank, step <= rank / factor else { return best.spans }
      spans[position.command][position.index].rank -= step * factor
    }
    return spans
  }

  /// Lowers choices of equal rank by even numbers: in a range that contains negative numbers, every
  /// other rank is one.
  ///
  /// - Returns: Whether they are lower.
  private mutating func lowerKeepingSign(_ positions: [Position], from high: UInt64) -> Bool {
    guard high > 2, accepts(replacing(positions, by: high - 2)) else { return false }
    var (rank, step) = (high - 2, UInt64(2))
    while step <= rank, accepts(replacing(positions, by: rank - step)) {
      rank -= step
      step &*= 2
    }
    while step > 2, !isOverBudget {
      step /= 2
      if step <= rank, accepts(replacing(positions, by: rank - step)) { rank -= step }
    }
    return true
  }

  /// Lowers the first amounts of a group and raises the later ones, for failures that depend on a
  /// sum.
  mutating func shiftUp() {
    for group in groups where !isNumbered(group) {
      let all = positions { $0.group == group }
      for (index, position) in all.enumerated() {
        guard let rank = choice(at: position)?.rank, rank > 0,
          !accepts(replacing([position], by: 0))
        else { continue }
        var spans = best.spans
        for later in all[(index + 1)...] {
          guard let choice = choice(at: later), choice.rank > 0, choice.limit < .max else {
            continue
          }
          spans[later.command][later.index].rank = choice.limit
        }
        guard !isBest(spans) else { continue }
        for step in [1, 2] as [UInt64] where step <= rank {
          spans[position.command][position.index].rank = rank - step
          guard accepts(spans) else { continue }
          lower([position], searching: true)
          break
        }
      }
    }
  }

  // MARK: - Variants that are not simpler

  /// The spans with the values of a group at their limits.
  func maximised(_ group: Choice.Group) -> [[Choice]] {
    mapped { $0.group == group && $0.limit < .max ? $0.limit : $0.rank }
  }

  /// The spans with distinct values in a group.
  func distinct(_ group: Choice.Group) -> [[Choice]] {
    var count: UInt64 = 0
    return mapped { choice in
      guard choice.group == group else { return choice.rank }
      defer { count += 1 }
      return min(count, choice.limit)
    }
  }

  /// The spans with the last value of a group in place of each.
  func unified(_ group: Choice.Group) -> [[Choice]] {
    guard let last = best.spans.joined().last(where: { $0.group == group }) else {
      return best.spans
    }
    return mapped { $0.group == group ? min(last.rank, $0.limit) : $0.rank }
  }

  // MARK: - Choices

  /// The positions of the choices that satisfy a condition.
  func positions(_ isIncluded: (Choice) -> Bool) -> [Position] {
    best.spans.enumerated().flatMap { command, span in
      span.indices.filter { isIncluded(span[$0]) }.map { Position(command: command, index: $0) }
    }
  }

  /// The choice at a position, or `nil` if the best candidate has become shorter.
  func choice(at position: Position) -> Choice? {
    guard position.command < best.spans.count,
      position.index < best.spans[position.command].count
    else { return nil }
    return best.spans[position.command][position.index]
  }

  /// The best candidate's spans with another rank at some positions.
  func replacing(_ positions: [Position], by rank: UInt64) -> [[Choice]] {
    var spans = best.spans
    for position in positions where choice(at: position) != nil {
      spans[position.command][position.index].rank = rank
    }
    return spans
  }

  /// The groups of values, in the order in which they are first drawn.
  var groups: [Choice.Group] {
    var groups: [Choice.Group] = []
    for choice in best.spans.joined() where choice.kind == .value {
      if !groups.contains(choice.group) { groups.append(choice.group) }
    }
    return groups
  }

  /// Whether the group has a value with a rank above 0.
  func isUsed(_ group: Choice.Group) -> Bool {
    best.spans.joined().contains { $0.group == group && $0.rank > 0 }
  }

  /// Whether a group has at least three values, which ``renameArguments()`` has numbered.
  func isNumbered(_ group: Choice.Group) -> Bool {
    let ranks = Set(best.spans.joined().filter { $0.group == group }.map(\.rank)).sorted()
    return ranks.count > 2 && ranks == ranks.indices.map { UInt64($0) }
  }

  /// Whether a choice is an amount.
  func isAmount(_ choice: Choice) -> Bool { choice.kind == .value && !isNumbered(choice.group) }

  /// Whether spans have the ranks of the best candidate.
  func isBest(_ spans: [[Choice]]) -> Bool {
    spans.elementsEqual(best.spans) { $0.map(\.rank) == $1.map(\.rank) }
  }

  /// The spans with every value replaced; rules stay.
  private func mapped(_ change: (Choice) -> UInt64) -> [[Choice]] { mapped(best.spans, change) }

  private func mapped(_ spans: [[Choice]], _ change: (Choice) -> UInt64) -> [[Choice]] {
    spans.map { span in
      span.map { choice in
        var choice = choice
        if choice.kind == .value { choice.rank = change(choice) }
        return choice
      }
    }
  }
}
