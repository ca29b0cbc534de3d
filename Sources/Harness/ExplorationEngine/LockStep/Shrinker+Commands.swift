// Taking commands away, replacing and sorting them.

extension Shrinker {
  // MARK: - By what they are about

  /// Keeps the commands that share an argument with the last one, first without and then with
  /// those that have no arguments.
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

  /// Deletes at once the commands without which the model ends in the same state, taken from the
  /// back or from the front.
  mutating func dropIdle() {
    let places = Array(best.spans.indices.dropLast())
    if accepts(withoutIdle(best, places.reversed())) { return }
    accepts(withoutIdle(best, places))
  }

  /// Deletes at once the commands that changed nothing in the model when they ran.
  mutating func dropUnchanging() {
    var state = spec.initialState
    accepts(
      best.spans.indices.filter { index in
        let before = state
        _ = spec.apply(best.commands[index], to: &state)
        return state != before || index == best.spans.count - 1
      }.map { best.spans[$0] })
  }

  /// Changes values so that more commands are idle, and deletes these at once if that works.
  mutating func accepts(withoutIdle spans: [[Choice]]) -> Bool {
    let candidate = Candidate(spec, spans: spans)
    return accepts(withoutIdle(candidate, spans.indices.dropLast().reversed())) || accepts(spans)
  }

  /// The commands left when those are deleted, in the given order, that the final state allows.
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

  /// Deletes all commands of a kind, the last command apart.
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

  /// Deletes two commands at once, one of which undoes the other in the eyes of the model.
  mutating func dropPairs() {
    guard deletable <= 16 else { return }
    var distance = 1
    while distance < deletable {
      var first = 0
      while first + distance < deletable, pairFailures < 6 {
        let before = attempts
        if undo(first, first + distance), accepts(without([first, first + distance])) { continue }
        if attempts > before { pairFailures += 1 }
        first += 1
      }
      distance += 1
    }
  }

  private func undo(_ first: Int, _ second: Int) -> Bool {
    let goal = finalState(best.spans.dropLast())
    return finalState(without([first, second]).dropLast()) == goal
      && finalState(without([first]).dropLast()) != goal
      && finalState(without([second]).dropLast()) != goal
  }

  private func without(_ commands: [Int]) -> [[Choice]] {
    best.spans.indices.filter { !commands.contains($0) }.map { best.spans[$0] }
  }

  // MARK: - By where they stand

  /// Deletes half of the commands, a quarter or an eighth, from the front.
  mutating func dropBeginning() {
    for part in [2, 4, 8] where deletable >= part {
      accepts(Array(best.spans.dropFirst(deletable / part)))
    }
  }

  /// Deletes chunks from the back, larger ones while that works, smaller ones when it does not.
  ///
  /// - Parameters:
  ///   - isTrusting: Whether parts of what passed are taken to pass too.
  ///   - patience: After how many single commands that are needed to stop.
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

  // MARK: - Out of a dead end

  /// Deletes a command while changing values, where neither would do alone.
  ///
  /// - Returns: Whether the sequence has become shorter.
  mutating func escape() -> Bool {
    for group in groups where isUsed(group) && !isNumbered(group) {
      for spans in [raised(group), told(apart: group), unified(group)] {
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

  /// Deletes a command and adds its values to those of the next one like it.
  private mutating func merge() -> Bool {
    for index in 0..<deletable {
      guard best.spans[index].contains(where: { isAmount($0) && $0.rank > 0 }),
        let next = (index + 1..<deletable).first(where: {
          spec.kind(of: best.commands[$0]) == spec.kind(of: best.commands[index])
            && best.spans[$0].count == best.spans[index].count
        })
      else { continue }
      var spans = best.spans
      for place in spans[next].indices where isAmount(spans[next][place]) {
        let (sum, overflow) = spans[next][place].rank.addingReportingOverflow(
          spans[index][place].rank)
        spans[next][place].rank = overflow ? .max : min(sum, spans[next][place].limit)
      }
      spans.remove(at: index)
      if accepts(spans) { return true }
    }
    return false
  }

  /// Looks for the damage earlier, with any kind of last command.
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

  /// Deletes one or two commands and draws the amounts again from those in use.
  mutating func redraw() -> Bool {
    let amounts = Set(best.spans.joined().filter(isAmount).map(\.rank)).sorted()
    guard amounts.count > 1, deletable > 3 else { return false }
    var generator = SplitMix64(seed: 0)
    let end = calls + 80
    for round in 0..<40 where calls < end {
      var spans = best.spans
      for _ in 0...(round & 1) where spans.count > 2 {
        spans.remove(at: Int(generator.next().scaled(upTo: UInt64(spans.count - 2))))
      }
      for command in spans.indices {
        for index in spans[command].indices where isAmount(spans[command][index]) {
          let rank = amounts[Int(generator.next().scaled(upTo: UInt64(amounts.count - 1)))]
          spans[command][index].rank = min(rank, spans[command][index].limit)
        }
      }
      if accepts(spans) { return true }
    }
    return false
  }

  // MARK: - Kinds and order

  /// Replaces the last command by a simpler kind that shows the same failure.
  mutating func simplifyLastCommand() {
    guard kind.isOfCommand, let last = best.spans.indices.last else { return }
    lowerRules(of: last, isSameCommand: false)
  }

  /// Replaces the other commands by simpler kinds; of equal ones, the first stands for all.
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
    for place in places({ $0.kind == .rule }) where place.command == command {
      var new: UInt64 = 0
      while let rank = choice(at: place)?.rank, new < rank {
        if accepts(replacing([place], by: new), isSameCommand: isSameCommand) { break }
        new += 1
      }
    }
  }

  /// Sorts neighbouring commands where their order does not matter to the failure.
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
