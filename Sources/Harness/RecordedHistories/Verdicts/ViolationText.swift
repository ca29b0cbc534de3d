/// The reason why a recorded history is not linearizable, for a terminal of 100 columns.
struct ViolationText<Model: RecordedModel> {
  private typealias Stated = PartlyStated<Model>
  private typealias Operation = History<Stated.Command, Stated.Response>.Operation

  /// The maximum number of columns of a line.
  private static var width: Int { 100 }

  /// The maximum number of operations to show.
  private static var most: Int { 12 }

  let text: String

  init(
    _ file: LinearizabilityFile<Model>, _ checker: LinearizabilityChecker<PartlyStated<Model>>,
    _ violation: LinearizabilityViolation<PartlyStated<Model>.Response>,
    explainingWithin time: Duration = .seconds(2)
  ) {
    var lines: [String]
    if let explanation = checker.explanation(of: file.history, violation, within: time) {
      lines = Self.lines(of: explanation, in: file)
    } else {
      lines = Self.lines(of: violation, in: file)
      if let part = checker.minimized(file.history, within: .seconds(2)) {
        lines.append("The smallest part found that is not linearizable:")
        lines += Self.drawing(of: part)
      }
    }
    text = lines.map { Self.clipped($0) }.joined(separator: "\n")
  }

  // MARK: - An explanation

  private static func lines(
    of explanation: LinearizabilityExplanation<PartlyStated<Model>>,
    in file: LinearizabilityFile<Model>
  ) -> [String] {
    let operations = file.history.operations
    let operation = operations[explanation.operation]
    var lines = [
      "Line \(file.lines[explanation.operation]) cannot be explained: \(label(operation))"
    ]
    let expected = explanation.expected.map { clipped("\($0)", to: 24) }.joined(separator: " or ")
    if !expected.isEmpty { lines.append("  In its place, a correct subject returns \(expected).") }
    let states = explanation.states.map { start in
      let origin = start.latest.map {
        ", since line \(file.lines[$0]): \(label(operations[$0]))"
      }
      return "  " + clipped(Model.text(of: start.state), to: 40)
        + (origin ?? ", as at the beginning")
    }
    lines.append(
      explanation.settled == 0
        ? "Nothing had returned when it was called. The state before it:"
        : "\(explanation.settled) operation\(explanation.settled == 1 ? "" : "s") had returned when "
          + "it was called. The state that they leave"
          + (explanation.stateCount > 1 ? ", one of \(explanation.stateCount):" : ":"))
    lines += states
    if explanation.stateCount > states.count {
      lines.append("  and \(explanation.stateCount - states.count) more")
    }
    let shown = explanation.overlapping.prefix(most)
    if explanation.overlapping.count > 1 {
      lines.append("The operations that overlap it, none of which explains it:")
      lines += drawing(of: History(checked: shown.map { operations[$0] }))
    }
    let others = explanation.others + explanation.overlapping.count - shown.count
    if others > 0 {
      lines.append(
        others == 1
          ? "1 other operation overlaps it and makes no difference."
          : "\(others) other operations overlap it and make no difference.")
    }
    return lines
  }

  // MARK: - Without an explanation

  private static func lines(
    of violation: LinearizabilityViolation<PartlyStated<Model>.Response>,
    in file: LinearizabilityFile<Model>
  ) -> [String] {
    let operations = file.history.operations
    return ["No operation can follow the first \(violation.prefix.count):"]
      + violation.blocked.prefix(most).map { blocked in
        "  line \(file.lines[blocked.operation]): \(label(operations[blocked.operation])), "
          + "expected \(blocked.expected)"
      }
  }

  // MARK: - Text

  /// A drawing of a history, or a list if a line would be too long.
  private static func drawing(of history: History<Stated.Command, Stated.Response>) -> [String] {
    let operations = history.operations
    let lines = history.timeline.split(separator: "\n").map { "  \($0)" }
    if operations.count <= most, lines.allSatisfy({ $0.count <= width }) { return lines }
    return operations.prefix(most).map { "  client \($0.client): \(label($0))" }
      + (operations.count > most ? ["  and \(operations.count - most) more"] : [])
  }

  private static func label(_ operation: Operation) -> String {
    let command = clipped("\(operation.command)", to: 48)
    guard case .returned(let response, _) = operation.outcome else { return command }
    return "\(command) → " + clipped("\(response)", to: 24)
  }

  private static func clipped(_ text: String, to length: Int = width) -> String {
    let line = text.replacing("\n", with: " ")
    return line.count > length ? line.prefix(length - 1) + "…" : line
  }
}
