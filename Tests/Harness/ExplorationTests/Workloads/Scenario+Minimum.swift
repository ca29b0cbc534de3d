extension Scenario {
  /// The fewest commands for which the subject's response differs from the model's, by a search of
  /// all sequences of a small set of commands.
  var fewestCommands: Int? {
    struct Pair: Hashable {
      var model = World()
      var subject = World()
    }
    let commands = rules.flatMap { rule in
      rule.arguments.reduce([[]]) { lists, argument in
        lists.flatMap { list in samples(of: argument).map { list + [$0] } }
      }.map { Command(name: rule.name, arguments: $0) }
    }
    var reached: Set = [Pair()]
    var frontier = [Pair()]
    for length in 1...20 {
      var next: [Pair] = []
      for pair in frontier {
        for command in commands {
          var new = pair
          if model(command, &new.model) != subject(command, &new.subject) {
            return length
          }
          if reached.insert(new).inserted { next.append(new) }
        }
      }
      frontier = next
    }
    return nil
  }

  /// Values that suffice to show each bug with the fewest commands.
  private func samples(of argument: Argument) -> [Int] {
    let values =
      switch name {
      case "cursor at the start", "nested rollback": [0]
      case "expired while touched": [0, 50, 60, 99]
      case "resized table": Array(0...5)
      case "path of four", "cycle of three", "two writers on one file": Array(0...4)
      default: Array(0...11) + [50, 60, 90, 99, argument.range.upperBound]
      }
    return Set(values.filter(argument.range.contains)).sorted()
  }
}
