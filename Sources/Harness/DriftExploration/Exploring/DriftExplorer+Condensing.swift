import ContractExploration

extension DriftExplorer {
  /// Looks for fewer calls that show the same difference: without one call, and with one value of another
  /// changed, which shrinking does not try together.
  func condense(_ failure: inout Failure, _ mode: DriftMode) async {
    guard settings.shrinkCalls > 0, !failure.isFlaky else { return }
    let end = ContinuousClock.now + .seconds(2)
    let category = failure.kind.category
    while (2...6).contains(failure.commands.count) {
      var rest = shorter(than: failure.commands)[...]
      var found: [Call]?
      while found == nil, !rest.isEmpty, ContinuousClock.now < end {
        let part = Array(rest.prefix(40))
        rest = rest.dropFirst(40)
        let isAlike = await lockStep(mode, settings).sendingCommands()
          .run(each: part) { $0?.category == category }
        found = isAlike.firstIndex(of: true).map { part[$0] }
      }
      guard let found else { return }
      failure.commands = found
    }
  }

  private func shorter(than commands: [Call]) -> [[Call]] {
    var lists: [[Call]] = []
    for left in commands.indices.dropLast() {
      var rest = commands
      rest.remove(at: left)
      lists.append(rest)
      for index in rest.indices {
        // The first choice is the operation.
        for place in rest[index].ranks.indices.dropFirst() {
          for rank: UInt64 in 0...2 where rank != rest[index].ranks[place] {
            var ranks = rest[index].ranks
            ranks[place] = rank
            var changed = rest
            changed[index] = Call(operation: rest[index].operation, ranks: ranks, bound: nil)
            lists.append(changed)
          }
        }
      }
    }
    return lists.compactMap(drawn)
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
