internal import ExplorationEngine
import SeededRandom

// What is tried when no pass makes progress: other sequences, most of them shorter, that keep a
// part of the best one. A sequence of which no command can be removed is not always minimal:
// commands may only be removable together, or after a change of other arguments.

extension Shrinker {
  /// Looks for a simpler sequence that no single change reaches.
  ///
  /// It spends little on a sequence that is probably minimal, and most of the budget on an
  /// *erratic* failure or on a long sequence.
  ///
  /// - Parameter share: The part of the remaining calls that a hard case may take: the whole, a
  ///   half, and so on.
  /// - Returns: Whether the best sequence is simpler.
  mutating func leavePlateau(share: Int) -> Bool {
    guard deletable > 3 else { return false }
    if takeShortcut() || redraw(until: calls + min(80, callsLeft / share)) { return true }
    guard isHard else { return false }
    let end = calls + callsLeft / share
    if dropEqual(until: end) || simplifyKinds() || dropNumbered(until: end) || sample(until: end) {
      return true
    }
    if share == 1, calls >= end { isOverBudget = true }
    return false
  }

  /// Whether more commands than usual may be removable together.
  var isHard: Bool { isErratic && deletable > 8 || deletable > 16 }

  // MARK: - By the model

  /// Replaces the commands before the last one by the fewest that lead the model to the same state.
  ///
  /// The search runs on the model, so it makes no live calls.
  mutating func takeShortcut() -> Bool {
    guard kind.isOfCommand, deletable > 1, let last = best.spans.last else { return false }
    let goal = finalState(best.spans.dropLast())
    guard goal != spec.initialState else { return false }
    var alphabet: [(command: Spec.Command, span: [Choice])] = []
    let parts = Candidate(spec, spans: best.spans.dropLast() + ingredients)
    for (command, span) in zip(parts.commands, parts.spans)
    where !alphabet.contains(where: { $0.command == command }) {
      alphabet.append((command, span))
    }
    var reached: Set<Spec.State> = [spec.initialState]
    var paths: [(state: Spec.State, spans: [[Choice]])] = [(spec.initialState, [])]
    var next = 0
    while next < paths.count, paths.count < 4_000 {
      let (state, spans) = paths[next]
      next += 1
      guard spans.count + 1 < deletable else { return false }
      for (command, span) in alphabet {
        var new = state
        _ = spec.apply(command, to: &new)
        guard reached.insert(new).inserted else { continue }
        if new == goal { return accepts(spans + [span, last]) }
        paths.append((new, spans + [span]))
      }
    }
    return false
  }

  // MARK: - Commands

  /// Removes a command together with the number that it gave: where later commands refer to the
  /// results of earlier ones by their order, as in `write(3)`, the greater numbers fall by one.
  private mutating func dropNumbered(until end: Int) -> Bool {
    for index in 0..<deletable where calls < end {
      let kind = spec.kind(of: best.commands[index])
      let number = UInt64(best.commands[..<index].count { spec.kind(of: $0) == kind })
      // The numbers may be arguments of one kind of command, or of all commands.
      var users: [String?] = [nil]
      for command in best.commands where !users.contains(spec.kind(of: command)) {
        users.append(spec.kind(of: command))
      }
      for user in users {
        var spans = best.spans
        var isChanged = false
        for command in spans.indices.dropFirst(index + 1)
        where user == nil || spec.kind(of: best.commands[command]) == user {
          for place in spans[command].indices
          where spans[command][place].kind == .value && spans[command][place].rank > number {
            spans[command][place].rank -= 1
            isChanged = true
          }
        }
        spans.remove(at: index)
        if isChanged, accepts(spans) { return true }
      }
    }
    return false
  }

  /// Sets the arguments of one kind of command to rank 0, for kinds that share their values with
  /// others.
  mutating func simplifyKinds() -> Bool {
    var kinds: [String] = []
    for command in best.commands where !kinds.contains(spec.kind(of: command)) {
      kinds.append(spec.kind(of: command))
    }
    guard kinds.count > 1 else { return false }
    for kind in kinds {
      let positions = positions { $0.kind == .value && $0.rank > 0 }.filter {
        spec.kind(of: best.commands[$0.command]) == kind
      }
      if !positions.isEmpty, accepts(replacing(positions, by: 0)) { return true }
    }
    return false
  }

  /// Removes two or three equal commands together, for failures that depend on a number of them.
  private mutating func dropEqual(until end: Int) -> Bool {
    var places: [Spec.Command: [Int]] = [:]
    for index in 0..<deletable { places[best.commands[index], default: []].append(index) }
    for count in [2, 3] {
      for command in best.commands.prefix(deletable) where calls < end {
        guard let equal = places[command], equal.count >= count else { continue }
        if accepts(without(equal.suffix(count))) { return true }
      }
    }
    return false
  }

  /// Removes one or two commands, and draws the amounts again at random from those in use.
  private mutating func redraw(until end: Int) -> Bool {
    // Found once, because the groups of a long sequence take long to examine.
    let groups = Set(groups.filter { !isNumbered($0) })
    let amounts = Set(
      best.spans.joined().filter { $0.kind == .value && groups.contains($0.group) }.map(\.rank)
    ).sorted()
    guard amounts.count > 1, deletable > 3 else { return false }
    var generator = SplitMix64(seed: 0)
    for round in 0..<40 where calls < end {
      var spans = best.spans
      for _ in 0...(round & 1) where spans.count > 2 {
        spans.remove(at: Int(generator.next().scaled(upTo: UInt64(spans.count - 2))))
      }
      for command in spans.indices {
        for index in spans[command].indices
        where spans[command][index].kind == .value && groups.contains(spans[command][index].group) {
          let rank = amounts[Int(generator.next().scaled(upTo: UInt64(amounts.count - 1)))]
          spans[command][index].rank = min(rank, spans[command][index].limit)
        }
      }
      if accepts(spans) { return true }
    }
    return false
  }

  // MARK: - At random

  /// Keeps a random half of the commands, or a quarter, which costs fewer calls, as often as that
  /// succeeds within a few attempts.
  mutating func keepRandomParts() -> Bool {
    var generator = SplitMix64(seed: UInt64(best.spans.count))
    let length = best.spans.count
    var attempt = 0
    while attempt < (isErratic ? 8 : 4), deletable > 4, !isOverBudget {
      var bits = generator.next()
      if attempt > (isErratic ? 3 : 1) { bits &= generator.next() }
      let kept = best.spans.indices.filter { $0 >= deletable || bits >> UInt64($0 % 64) & 1 == 1 }
      attempt = accepts(kept.map { best.spans[$0] }) ? 0 : attempt + 1
    }
    return best.spans.count < length
  }

  /// Tries random parts of the sequence, and random short sequences of its commands.
  private mutating func sample(until end: Int) -> Bool {
    var generator = SplitMix64(seed: UInt64(best.spans.count))
    func number(below count: Int) -> Int { Int(generator.next().scaled(upTo: UInt64(count - 1))) }
    var misses = 0
    while calls < end, !isOverBudget, misses < 400 {
      let before = attempts
      let spans: [[Choice]]
      switch number(below: 4) {
      case 0:
        // Each command stays with a probability of one half.
        let bits = generator.next()
        spans = best.spans.indices.filter { $0 >= deletable || bits >> UInt64($0 % 64) & 1 == 1 }
          .map { best.spans[$0] }
      case 1:
        let pair = [number(below: deletable), number(below: deletable)]
        spans = without(pair)
      default: spans = shortSequence(number)
      }
      if accepts(spans) { return true }
      // Candidates that were tried before cost nothing, so their number is limited separately.
      if attempts == before { misses += 1 }
    }
    return false
  }

  /// A sequence of at most six commands in a random order, with the values of each group as they
  /// are, all equal, or at random among 0, 1, and those in use.
  private func shortSequence(_ number: (Int) -> Int) -> [[Choice]] {
    let count = 1 + number(min(deletable - 1, 5))
    let parts = best.spans.prefix(deletable) + ingredients
    var spans = (0..<count).map { _ in parts[number(parts.count)] }
    spans += best.spans.suffix(best.spans.count - deletable)
    let manner = number(3)
    guard manner > 0 else { return spans }
    for group in groups {
      let used = Array(Set(best.spans.joined().filter { $0.group == group }.map(\.rank)).sorted())
      let values = [0, 1] + used
      let common = values[number(values.count)]
      for command in spans.indices {
        for place in spans[command].indices where spans[command][place].group == group {
          let rank = manner == 1 ? common : values[number(values.count)]
          spans[command][place].rank = min(rank, spans[command][place].limit)
        }
      }
    }
    return spans
  }
}
