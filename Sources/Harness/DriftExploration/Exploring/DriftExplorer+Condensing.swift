import ContractExploration

extension DriftExplorer {
  /// Looks for fewer calls that show a difference, with changes that shrinking does not try: the same
  /// difference without one call and with another one changed, or any difference without one call.
  ///
  /// Another difference after fewer calls is reported first. Exploring finds the one that is given up again, if
  /// its cause is another.
  func condense(_ failure: inout Failure, _ mode: DriftMode) async {
    guard settings.shrinkCalls > 0, !failure.isFlaky else { return }
    let end = ContinuousClock.now + .seconds(2)
    while (2...6).contains(failure.commands.count) {
      let commands = failure.commands
      let category = failure.kind.category
      var isFewer = await replace(&failure, by: shorter(than: commands), mode, until: end) {
        $0.category == category
      }
      if !isFewer {
        isFewer = await replace(&failure, by: otherwise(commands), mode, until: end) {
          !$0.isEndOfProcess
        }
      }
      if !isFewer {
        isFewer = await replace(&failure, by: redrawn(commands), mode, until: end) {
          $0.category == category
        }
      }
      guard isFewer else { return }
    }
  }

  /// Replaces a failure by the first of some calls that fail in a way that will do, and says whether one did.
  private func replace(
    _ failure: inout Failure, by lists: [[Call]], _ mode: DriftMode,
    until end: ContinuousClock.Instant,
    _ isAlike: @escaping @Sendable (LockStepFailureKind<DriftResponse>) -> Bool
  ) async -> Bool {
    let lists = lists.compactMap(drawn)
    for start in stride(from: 0, to: lists.count, by: 40) where ContinuousClock.now < end {
      let part = lists[start..<min(start + 40, lists.count)]
      let results = await lockStep(mode, settings).sendingCommands()
        .run(each: Array(part)) { kind, count in kind.map { (kind: $0, count: count) } }
      for (commands, result) in zip(part, results) {
        guard let result, isAlike(result.kind) else { continue }
        failure.commands = Array(commands.prefix(result.count))
        failure.kind = result.kind
        return true
      }
    }
    return false
  }

  /// The calls without one, and with one choice of another changed.
  private func shorter(than commands: [Call]) -> [[Call]] {
    parts(of: commands).flatMap { [$0] + varied($0) }
  }

  /// The calls without one; of the last, which may only read what an earlier one did, with one choice changed.
  private func otherwise(_ commands: [Call]) -> [[Call]] {
    parts(of: commands) + varied(commands.dropLast())
  }

  /// The calls with one choice changed.
  private func varied(_ commands: [Call]) -> [[Call]] {
    var lists: [[Call]] = []
    for index in commands.indices {
      // The first choice is the operation.
      for place in commands[index].ranks.indices.dropFirst() {
        for rank: UInt64 in 0...3 where rank != commands[index].ranks[place] {
          var ranks = commands[index].ranks
          ranks[place] = rank
          var changed = commands
          changed[index] = Call(operation: commands[index].operation, ranks: ranks, bound: nil)
          lists.append(changed)
        }
      }
    }
    return lists
  }

  /// The calls without one, and with another one drawn anew.
  private func redrawn(_ commands: [Call]) -> [[Call]] {
    guard commands.count > 2 else { return [] }
    let specification = specification
    var choices = Choices(seed: settings.seed, strategy: .uniform)
    return (0..<1_000).map { number in
      var rest = commands
      rest.remove(at: number % (commands.count - 1))
      let index = number / (commands.count - 1) % (rest.count - 1)
      choices.beginCommand()
      // What earlier calls return can be drawn only if there are some.
      let call = specification.command(
        from: &choices, in: DriftState(calls: specification.initialState.calls.map { _ in index }))
      rest[index] = Call(operation: call.operation, ranks: call.ranks, bound: nil)
      return rest
    }
  }

  /// The calls without one that is not the last.
  private func parts(of commands: [Call]) -> [[Call]] {
    commands.indices.dropLast().map { left in
      var rest = commands
      rest.remove(at: left)
      return rest
    }
  }

  /// The calls, drawn again from their choices; `nil` if these are other operations now.
  private func drawn(_ commands: [Call]) -> [Call]? {
    let specification = specification
    var state = specification.initialState
    var calls: [Call] = []
    for command in commands {
      let unbound = Call(operation: command.operation, ranks: command.ranks, bound: nil)
      guard let bound = specification.bound(unbound, calls: state.calls) else { return nil }
      calls.append(Call(operation: command.operation, ranks: command.ranks, bound: bound))
      _ = specification.apply(command, to: &state)
    }
    return calls
  }
}
