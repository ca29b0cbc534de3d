internal import ExplorationEngine

// Passes that remove, replace and sort commands.

extension Shrinker {
  // MARK: - By meaning

  /// Keeps only the commands that share an argument with the last one; first without the commands
  /// that have no arguments, then with them.
  mutating func keepSharedArguments() {
    guard kind.isOfCommand, let last = best.spans.last else { return }
    for choice in last where choice.kind == .value {
      for keepsOthers in [false, true] {
        let kept = best.spans.dropLast().filter { span in
          let values = span.filter { $0.kind == .value }
          if values.isEmpty { return keepsOthers }
          return values.contains { $0.group == choice.group && $0.rank == choice.rank }
        }
        if accepts(kept + [last]) { return }
      }
    }
  }

  /// Removes the *idle* commands together: those without which the model ends in the same state.
  /// They are sought from the back, and if that fails, from the front.
  mutating func dropIdle() {
    let indices = Array(best.spans.indices.dropLast())
    if accepts(withoutIdle(best, indices.reversed())) { return }
    accepts(withoutIdle(best, indices))
  }

  /// Removes the commands together that did not change the model's state.
  mutating func dropUnchanging() {
    var state = spec.initialState
    accepts(
      best.spans.indices.filter { index in
        let before = state
        _ = spec.apply(best.commands[index], to: &state)
        return state != before || index == best.spans.count - 1
      }.map { best.spans[$0] })
  }

  /// Tries spans in which more commands are idle; first without those commands, then as they are.
  mutating func accepts(withoutIdle spans: [[Choice]]) -> Bool {
    let candidate = Candidate(spec, spans: spans)
    return accepts(withoutIdle(candidate, spans.indices.dropLast().reversed())) || accepts(spans)
  }

  /// The spans without the idle commands, which are sought in the given order.
  private func withoutIdle(_ candidate: Candidate, _ order: [Int]) -> [[Choice]] {
    let spans = candidate.spans
    let goal = finalState(spans.dropLast())
    var kept = Array(spans.indices)
    for index in order {
      let fewer = kept.filter { $0 != index }
      if finalState(fewer.dropLast().map { spans[$0] }[...]) == goal { kept = fewer }
    }
    return kept.map { spans[$0] }
  }

  /// Removes the commands of one kind, for each kind; the last command stays.
  mutating func dropKinds() {
    var kinds: [String] = []
    for command in best.commands.dropLast() where !kinds.contains(spec.kind(of: command)) {
      kinds.append(spec.kind(of: command))
    }
    guard kinds.count > 1 else { return }
    for kind in kinds.reversed() {
      accepts(
        best.spans.indices.filter {
          $0 >= deletable || spec.kind(of: best.commands[$0]) != kind
        }.map { best.spans[$0] })
    }
  }

  /// Removes most of the commands that occur three times or more, an even number of each together.
  ///
  /// Where a failure depends on whether a number is odd, no single command can be removed.
  mutating func dropRepeated() -> Bool {
    var places: [Spec.Command: [Int]] = [:]
    for index in 0..<deletable { places[best.commands[index], default: []].append(index) }
    let surplus = places.values.flatMap { $0.dropFirst($0.count % 2 == 0 ? 2 : 1) }
    return !surplus.isEmpty && accepts(without(Set(surplus)))
  }

  /// Removes pairs of commands of which the second undoes the effect of the first on the model.
  mutating func dropPairs() {
    guard deletable <= 16 else { return }
    var distance = 1
    while distance < deletable {
      var first = 0
      while first + distance < deletable, pairFailures < 6 {
        let before = attempts
        if isUndone(first, by: first + distance), accepts(without([first, first + distance])) {
          continue
        }
        if attempts > before { pairFailures += 1 }
        first += 1
      }
      distance += 1
    }
  }

  /// Removes a command together with what its values contribute to a later value: where a position is the sum of
  /// sizes, a size can only go if the position falls by as much. Only values of wide ranges are tried.
  ///
  /// - Returns: Whether a command is removed.
  mutating func dropContributions() -> Bool {
    guard deletable <= 12 else { return false }
    let length = best.spans.count
    var index = deletable - 1
    while index >= 0, index < deletable, !isOverBudget {
      if !dropContribution(of: index) { index -= 1 } else { index = min(index, deletable - 1) }
    }
    return best.spans.count < length
  }

  private mutating func dropContribution(of index: Int) -> Bool {
    let amounts = best.spans[index].filter { $0.kind == .value }.map(\.rank)
    for amount in Set(amounts).sorted() {
      for position in positions({ $0.kind == .value && $0.limit > 255 })
      where position.command > index {
        guard let rank = choice(at: position)?.rank else { continue }
        for new in Self.without(amount, in: rank) where new <= choice(at: position)?.limit ?? 0 {
          var spans = best.spans
          spans[position.command][position.index].rank = new
          spans.remove(at: index)
          if accepts(spans) { return true }
        }
      }
    }
    return false
  }

  /// What a value may be without an amount: less by it, by half of it or by one, for sums, means and numbers of
  /// commands, or more by it, where it makes up for it. Ranks begin at 0 and numbers often at 1, so the sum of two
  /// numbers may have one more than the ranks.
  private static func without(_ amount: UInt64, in rank: UInt64) -> [UInt64] {
    let half = amount / 2
    var all: [UInt64] = []
    for less in [amount, amount &+ 1, 1, half, half &+ 1] where less > 0 && less <= rank {
      if !all.contains(rank - less) { all.append(rank - less) }
    }
    for more in [amount, amount &+ 1] where more > 0 && !rank.addingReportingOverflow(more).overflow
    {
      all.append(rank + more)
    }
    return all
  }

  /// Removes a command of one kind together with one of another, such as what puts an element into a queue and what
  /// takes one out.
  ///
  /// The model may not know that they belong together. Only the first, the middle and the last of each kind are tried.
  ///
  /// - Returns: Whether two commands are removed.
  mutating func dropCouples() -> Bool {
    // Of fewer commands, all ranges were tried.
    guard deletable > 5 else { return false }
    var places: [String: [Int]] = [:]
    for index in 0..<deletable {
      places[spec.kind(of: best.commands[index]), default: []].append(index)
    }
    let repeated = places.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }.map { all in
      Set([0, all.count / 2, all.count - 1]).sorted().map { all[$0] }
    }
    for (number, some) in repeated.enumerated() {
      for (one, other) in some.flatMap({ one in repeated[(number + 1)...].joined().map { (one, $0) }
      })
      where accepts(without([one, other]), isTrusting: false) {
        return true
      }
    }
    return false
  }

  private func isUndone(_ first: Int, by second: Int) -> Bool {
    let goal = finalState(best.spans.dropLast())
    return finalState(without([first, second]).dropLast()) == goal
      && finalState(without([first]).dropLast()) != goal
      && finalState(without([second]).dropLast()) != goal
  }

  func without(_ commands: some Collection<Int>) -> [[Choice]] {
    best.spans.indices.filter { !commands.contains($0) }.map { best.spans[$0] }
  }

  // MARK: - By position

  /// Removes half, a quarter and an eighth of the commands from the front.
  mutating func dropBeginning() {
    for part in [2, 4, 8] where deletable >= part {
      accepts(Array(best.spans.dropFirst(deletable / part)))
    }
  }

  /// Keeps only the last commands of a long sequence, as few as fail: first one before the last, then two, four and
  /// so on. Other passes would run the whole sequence each time.
  mutating func keepEnd() {
    guard deletable > 60 else { return }
    var count = 1
    while count < deletable * 3 / 4, !isOverBudget {
      if accepts(Array(best.spans.suffix(count + 1))) { return }
      count *= 2
    }
  }

  /// Keeps only the last commands of each run of one kind in a long sequence, as few as fail: one of each, then two,
  /// four and so on up to 16.
  mutating func shortenRuns() {
    guard deletable > 100 else { return }
    let kinds = best.commands.prefix(deletable).map { spec.kind(of: $0) }
    // How many commands of the same kind follow each.
    var following = Array(repeating: 0, count: deletable)
    for index in kinds.indices.dropLast().reversed() where kinds[index] == kinds[index + 1] {
      following[index] = following[index + 1] + 1
    }
    var count = 1
    while count <= min((following.max() ?? 0) / 2, 16), !isOverBudget {
      let surplus = following.indices.filter { following[$0] >= count }
      guard deletable - surplus.count <= 40 else { return }
      if accepts(without(Set(surplus))) { return }
      count *= 2
    }
  }

  /// Removes chunks of commands from the back. The size doubles after a success and halves after a
  /// failure.
  ///
  /// - Parameters:
  ///   - isTrusting: Whether a subsequence of a passing sequence is assumed to pass.
  ///   - patience: The number of commands that cannot be removed after which the pass ends.
  mutating func deleteChunks(isTrusting: Bool = true, patience: Int = .max) {
    var end = deletable
    var size = 1
    var needed = 0
    while end > 0, needed < patience, !isOverBudget {
      let start = max(end - size, 0)
      var spans = best.spans
      spans.removeSubrange(start..<end)
      if accepts(spans, isTrusting: isTrusting) {
        end = min(start, deletable)
        size *= 2
      } else if size > 1 {
        size /= 2
      } else {
        end -= 1
        needed += 1
      }
    }
  }

  /// Removes ranges of commands, the largest first, which cost the fewest calls. It runs what the
  /// other passes only assume: that a part of a passing sequence passes.
  ///
  /// Of an ordinary failure, it tries the ranges of at least half the commands; of an erratic one,
  /// or of a short sequence, all.
  mutating func deleteRanges() {
    var size = deletable
    while size > 1, !isOverBudget {
      if size * 2 < deletable, !isErratic, deletable > 5 { return }
      var start = 0
      while start + size <= deletable {
        if accepts(without(start..<start + size)) {
          size = min(size, deletable)
        } else {
          start += 1
        }
        if size < 2 { return }
        if !isErratic, deletable > 5 { start += max(size / 2, 1) - 1 }
      }
      size = isErratic || deletable <= 5 ? size - 1 : size * 3 / 4
    }
  }

  // MARK: - Out of a local minimum

  /// Removes a command and changes values at the same time, where neither succeeds separately.
  ///
  /// - Returns: Whether the sequence is shorter.
  mutating func escape() -> Bool {
    for group in groups where isUsed(group) && !isNumbered(group) {
      for spans in [maximised(group), distinct(group), unified(group)] {
        let length = best.spans.count
        guard deletable <= 5 || !isBest(spans) && fails(spans) else { continue }
        if best.spans.count < length { return true }
        for index in 0..<deletable {
          var fewer = spans
          fewer.remove(at: deletable - 1 - index)
          if accepts(fewer) { return true }
        }
      }
    }
    return merge() || probe()
  }

  /// Removes a command and adds its values to those of the next command of the same kind.
  private mutating func merge() -> Bool {
    for index in 0..<deletable {
      guard best.spans[index].contains(where: { isAmount($0) && $0.rank > 0 }),
        let next = (index + 1..<deletable).first(where: {
          spec.kind(of: best.commands[$0]) == spec.kind(of: best.commands[index])
            && best.spans[$0].count == best.spans[index].count
        })
      else { continue }
      var spans = best.spans
      for position in spans[next].indices where isAmount(spans[next][position]) {
        let (sum, overflow) = spans[next][position].rank.addingReportingOverflow(
          spans[index][position].rank)
        spans[next][position].rank = overflow ? .max : min(sum, spans[next][position].limit)
      }
      spans.remove(at: index)
      if accepts(spans) { return true }
    }
    return false
  }

  /// Tries to observe the failure after fewer commands, with any kind of last command.
  private mutating func probe() -> Bool {
    guard kind.isOfCommand, (2...6).contains(deletable), let last = best.spans.last,
      let rule = last.firstIndex(where: { $0.kind == .rule })
    else { return false }
    for length in 1..<deletable {
      for rank in 0...min(last[rule].limit, 7) {
        var other = last
        other[rule].rank = rank
        if accepts(best.spans.prefix(length) + [other], isSameCommand: false) { return true }
      }
    }
    return false
  }

  // MARK: - Kinds and order

  /// Replaces the last command by one of a simpler kind.
  mutating func simplifyLastCommand() {
    guard kind.isOfCommand, let last = best.spans.indices.last else { return }
    lowerRules(of: last, isSameCommand: false)
  }

  /// Replaces the other commands by simpler kinds. Of equal commands, only the first is tried.
  mutating func lowerRules() {
    var seen: Set<Spec.Command> = []
    var command = 0
    while command < deletable {
      if seen.insert(best.commands[command]).inserted {
        lowerRules(of: command, isSameCommand: true)
      }
      command += 1
    }
  }

  private mutating func lowerRules(of command: Int, isSameCommand: Bool) {
    for position in positions({ $0.kind == .rule }) where position.command == command {
      var new: UInt64 = 0
      while let rank = choice(at: position)?.rank, new < rank {
        if accepts(replacing([position], by: new), isSameCommand: isSameCommand)
          || accepts(realigned(position, to: new), isSameCommand: isSameCommand)
        {
          break
        }
        new += 1
      }
    }
  }

  /// Swaps neighbouring commands into ascending order, where the sequence still fails.
  mutating func reorder() {
    for end in best.spans.indices {
      var index = end
      while index > 0, index < deletable {
        var spans = best.spans
        spans.swapAt(index - 1, index)
        guard accepts(spans) else { break }
        index -= 1
      }
    }
  }
}
