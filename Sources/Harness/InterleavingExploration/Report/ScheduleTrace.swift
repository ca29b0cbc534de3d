import ExplorationEngine
import SystemPlatform

/// A run as a table with a column for each task. Steps of one task in succession that look the same
/// share a row.
struct ScheduleTrace {
  /// Steps in the column of their task.
  struct Row {
    var task: Int32
    var text: String
    var isPreemption: Bool
    var steps: ClosedRange<Int>
  }

  var columns: [Int32]
  var names: [String]
  var rows: [Row]

  /// Creates a table of a scheduler's last run.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler.
  ///   - steps: The number of steps to show.
  ///   - hasLines: Whether to show the lines of source code, which starts other programs.
  init(_ scheduler: Scheduler, steps: Int, hasLines: Bool) {
    var rows: [Row] = []
    var columns: [Int32] = []
    let places =
      hasLines ? CodePlaces(of: scheduler.steps.prefix(steps).map(\.resumption)) : CodePlaces()
    for (index, step) in scheduler.steps.prefix(steps).enumerated() {
      let notes = scheduler.notes.filter { $0.step == index }
      var text = notes.map(\.text).joined(separator: ", ")
      if text.isEmpty {
        text = scheduler.place(of: step, places)
        if let line = places.line(at: step.resumption) { text += " (\(line))" }
      }
      if step.task >= 0, !columns.contains(step.task) { columns.append(step.task) }
      let number = index + 1
      if let last = rows.last, last.task == step.task, last.text == text, notes.isEmpty,
        !step.isPreemption
      {
        rows[rows.count - 1].steps = last.steps.lowerBound...number
      } else {
        rows.append(
          Row(
            task: step.task, text: text, isPreemption: step.isPreemption, steps: number...number))
      }
    }
    self.columns = columns.sorted()
    self.rows = rows
    names = self.columns.map { scheduler.name(ofTask: $0) }
  }

  /// The table as text; `‖` marks a step that preempts another task.
  var text: String {
    let widths = columns.indices.map { column in
      max(
        names[column].count,
        rows.lazy.filter { $0.task == columns[column] }.map(\.text.count).max() ?? 0)
    }
    let numbers = rows.map(\.steps).map { steps in
      steps.count == 1 ? "\(steps.lowerBound)" : "\(steps.lowerBound)–\(steps.upperBound)"
    }
    let numberWidth = numbers.map(\.count).max() ?? 0
    func line(_ head: String, _ cells: [String], mark: String) -> String {
      var line = String(repeating: " ", count: max(0, numberWidth - head.count)) + head + " " + mark
      for (cell, width) in zip(cells, widths) {
        line += " │ " + cell + String(repeating: " ", count: width - cell.count)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    var lines = [line("", names, mark: " ")]
    for (number, row) in zip(numbers, rows) {
      let cells = columns.map { $0 == row.task ? row.text : "" }
      let text = line(number, cells, mark: row.isPreemption ? "‖" : " ")
      lines.append(columns.contains(row.task) ? text : text + "  " + row.text)
    }
    return lines.joined(separator: "\n")
  }
}
