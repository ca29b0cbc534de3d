// Making the arguments of commands simpler.

extension Shrinker {
  /// Where a choice stands.
  struct Place {
    let command: Int
    let index: Int
  }

  // MARK: - Many at once

  /// Makes all values the simplest at once, then all values of one group.
  mutating func simplifyValues() {
    if accepts(mapped { _ in 0 }) { return }
    for group in groups { accepts(mapped { $0.group == group ? 0 : $0.rank }) }
  }

  /// Makes the values of one group equal, so that repeated commands have no effect and are idle.
  ///
  /// The group drawn last comes first: keys are drawn before what is stored under them.
  mutating func simplifyOneGroup() {
    for group in groups.reversed()
    where accepts(withoutIdle: mapped { $0.group == group ? 0 : $0.rank }) { return }
  }

  /// Puts the commands on each name together, and then gives them all one name.
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

  /// Numbers the values of each group by their first use, all groups at once.
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

  /// Lowers one value at a time: all uses of it in its group together, then each use.
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
        // Names that were numbered by first use become lower by becoming equal: rarely.
        let before = best.sequence
        lower(places { $0.group == group && $0.rank == rank }, searching: !isNumbered)
        if best.sequence == before { failures += 1 }
      }
    }
    for place in places({ $0.kind == .value }) {
      guard let choice = choice(at: place), choice.rank > 0,
        place.command >= deletable || !isNumbered(choice.group)
      else { continue }
      if places({ $0.group == choice.group && $0.rank == choice.rank }).count > 1 {
        lower([place], searching: true)
      }
    }
  }

  private static func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    second == 0 ? first : greatestCommonDivisor(second, first % second)
  }

  /// Lets two names of a group change places from some command on.
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

  /// Lowers choices of equal rank to 0 or, failing that, as far as a search gets.
  private mutating func lower(_ places: [Place], searching: Bool) {
    guard let first = places.first, var high = choice(at: first)?.rank, high > 0,
      !accepts(replacing(places, by: 0)), searching, high > 1
    else { return }
    // A value that cannot become one less is mostly as low as it gets; that is looked into where
    // it costs little.
    if !accepts(replacing(places, by: high - 1)) {
      guard best.spans.count <= 5 else { return }
    } else {
      high -= 1
    }
    var low: UInt64 = 0
    if best.spans.count <= 5 {
      var next: UInt64 = 1
      while next < high, !accepts(replacing(places, by: next)) {
        low = next
        next = next > .max / 2 ? .max : next * 2
      }
      high = min(high, next)
    }
    while high - low > 1, !isOverBudget {
      let middle = low + (high - low) / 2
      if accepts(replacing(places, by: middle)) {
        high = middle
      } else {
        low = middle
      }
    }
  }

  /// Lowers the first values of a group at the cost of those after them, as in a sum.
  mutating func shiftUp() {
    for group in groups where !isNumbered(group) {
      let all = places { $0.group == group }
      for (index, place) in all.enumerated() {
        guard let rank = choice(at: place)?.rank, rank > 0,
          !accepts(replacing([place], by: 0))
        else { continue }
        var spans = best.spans
        for later in all[(index + 1)...] {
          guard let choice = choice(at: later), choice.rank > 0, choice.limit < .max else {
            continue
          }
          spans[later.command][later.index].rank = choice.limit
        }
        guard !isBest(spans) else { continue }
        spans[place.command][place.index].rank = rank - 1
        if accepts(spans) { lower([place], searching: true) }
      }
    }
  }

  // MARK: - Variants that are not simpler

  /// All values of a group as large as they can be.
  func raised(_ group: Choice.Group) -> [[Choice]] {
    mapped { $0.group == group && $0.limit < .max ? $0.limit : $0.rank }
  }

  /// No two values of a group alike.
  func told(apart group: Choice.Group) -> [[Choice]] {
    var count: UInt64 = 0
    return mapped { choice in
      guard choice.group == group else { return choice.rank }
      defer { count += 1 }
      return min(count, choice.limit)
    }
  }

  /// All values of a group like the last one.
  func unified(_ group: Choice.Group) -> [[Choice]] {
    guard let last = best.spans.joined().last(where: { $0.group == group }) else {
      return best.spans
    }
    return mapped { $0.group == group ? min(last.rank, $0.limit) : $0.rank }
  }

  // MARK: - Choices

  func places(_ isMeant: (Choice) -> Bool) -> [Place] {
    best.spans.enumerated().flatMap { command, span in
      span.indices.filter { isMeant(span[$0]) }.map { Place(command: command, index: $0) }
    }
  }

  func choice(at place: Place) -> Choice? {
    guard place.command < best.spans.count, place.index < best.spans[place.command].count else {
      return nil
    }
    return best.spans[place.command][place.index]
  }

  func replacing(_ places: [Place], by rank: UInt64) -> [[Choice]] {
    var spans = best.spans
    for place in places where choice(at: place) != nil {
      spans[place.command][place.index].rank = rank
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

  /// Whether a value of the group is not the simplest.
  func isUsed(_ group: Choice.Group) -> Bool {
    best.spans.joined().contains { $0.group == group && $0.rank > 0 }
  }

  /// Whether a group holds three or more names, numbered by first use.
  func isNumbered(_ group: Choice.Group) -> Bool {
    let ranks = Set(best.spans.joined().filter { $0.group == group }.map(\.rank)).sorted()
    return ranks.count > 2 && ranks == ranks.indices.map { UInt64($0) }
  }

  /// Whether a choice is a value of which more or less may matter.
  func isAmount(_ choice: Choice) -> Bool { choice.kind == .value && !isNumbered(choice.group) }

  /// Whether these are the choices of the best candidate.
  func isBest(_ spans: [[Choice]]) -> Bool {
    spans.elementsEqual(best.spans) { $0.map(\.rank) == $1.map(\.rank) }
  }

  /// The spans with every value replaced, and the rules left alone.
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
