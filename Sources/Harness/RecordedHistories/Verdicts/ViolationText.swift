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
    explainingWithin time: Duration = .seconds(4)
  ) {
    let lines =
      checker.explanation(of: file.history, violation, within: time)
      .map { Self.lines(of: $0, in: file) } ?? Self.lines(of: violation, in: file)
    text = lines.map { Self.clipped($0) }.joined(separator: "\n")
  }

  // MARK: - An explanation

  private static func lines(
    of explanation: LinearizabilityExplanation<PartlyStated<Model>>,
    in file: LinearizabilityFile<Model>
  ) -> [String] {
    let operation = file.history.operations[explanation.culprit]
    var lines = [
      "Line \(file.lines[explanation.culprit]) cannot be explained: \(label(operation))"
    ]
    let expected = explanation.expected.map { clipped("\($0)", to: 24) }.joined(separator: " or ")
    if !expected.isEmpty { lines.append("  In its place, a correct subject returns \(expected).") }
    let others = explanation.indices.filter { $0 != explanation.culprit }.map { file.lines[$0] }
    if !others.isEmpty {
      let shown = (others.count > most ? ["…"] : []) + others.suffix(most).map(String.init)
      lines.append(
        "It contradicts line\(others.count == 1 ? "" : "s") \(shown.joined(separator: ", ")):")
      lines += drawing(of: explanation.history)
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

  /// A drawing of a history, or a list of its last operations if a line would be too long.
  private static func drawing(of history: History<Stated.Command, Stated.Response>) -> [String] {
    let operations = history.operations
    let lines = history.timeline.split(separator: "\n").map { "  \($0)" }
    if operations.count <= most, lines.allSatisfy({ $0.count <= width }) { return lines }
    return (operations.count > most ? ["  \(operations.count - most) more, and then"] : [])
      + operations.suffix(most).map { "  client \($0.client): \(label($0))" }
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
