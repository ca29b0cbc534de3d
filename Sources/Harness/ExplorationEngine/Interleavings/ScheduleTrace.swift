/// A run as a table: a row a step, a column a task.
struct ScheduleTrace {
  /// A line in the cell of a task.
  struct Row {
    var task: Int32
    var text: String
    var isPreemption: Bool
  }

  var columns: [Int32]
  var names: [String]
  var rows: [Row]

  /// Reads the last run from its scheduler.
  init(_ scheduler: Scheduler, steps: Int) {
    var rows: [Row] = []
    var columns: [Int32] = []
    for (index, step) in scheduler.steps.prefix(steps).enumerated() {
      let notes = scheduler.notes.filter { $0.step == index }
      var text = notes.map(\.text).joined(separator: ", ")
      if text.isEmpty { text = Self.place(of: step, in: scheduler) }
      if step.task >= 0, !columns.contains(step.task) { columns.append(step.task) }
      rows.append(Row(task: step.task, text: text, isPreemption: step.isPreemption))
    }
    self.columns = columns.sorted()
    self.rows = rows
    names = self.columns.map { scheduler.name(ofTask: $0) }
  }

  private static func place(of step: Scheduler.Step, in scheduler: Scheduler) -> String {
    let function = FunctionName.of(step.resumption)
    guard step.actor >= 0 else { return function ?? "runs" }
    let actor = scheduler.actorNames[step.actor] ?? "an actor"
    return function ?? "runs on \(actor)"
  }

  /// The table; `‖` marks a task that interrupts another.
  var text: String {
    let widths = columns.indices.map { column in
      max(
        names[column].count,
        rows.lazy.filter { $0.task == columns[column] }.map(\.text.count).max() ?? 0)
    }
    let number = "\(rows.count)".count
    func line(_ head: String, _ cells: [String], mark: String) -> String {
      var line = String(repeating: " ", count: max(0, number - head.count)) + head + " " + mark
      for (cell, width) in zip(cells, widths) {
        line += " │ " + cell + String(repeating: " ", count: width - cell.count)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    var lines = [line("", names, mark: " ")]
    for (index, row) in rows.enumerated() {
      let cells = columns.map { $0 == row.task ? row.text : "" }
      let text = line("\(index + 1)", cells, mark: row.isPreemption ? "‖" : " ")
      lines.append(columns.contains(row.task) ? text : text + "  " + row.text)
    }
    return lines.joined(separator: "\n")
  }
}

/// The source name of a function, from its address.
enum FunctionName {
  /// Such as `Account.withdraw`, or `nil` where the binary keeps no names.
  static func of(_ address: UInt) -> String? {
    guard address != 0, let symbol = Platform.symbolName(at: address),
      let demangled = demangle(symbol)
    else { return nil }
    return shortened(demangled)
  }

  /// Takes the function's own name out of a demangled symbol.
  static func shortened(_ demangled: String) -> String? {
    var text = Substring(demangled)
    for lead in ["partial function for ", "continuation for "] {
      if let range = text.range(of: lead) { text = text[range.upperBound...] }
    }
    var isClosure = false
    while text.hasPrefix("closure #"), let range = text.range(of: " in ") {
      isClosure = true
      text = text[range.upperBound...]
    }
    if text.hasPrefix("static ") { text = text.dropFirst(7) }
    let name = text.prefix { $0 != "(" && $0 != "<" && $0 != " " }
    let parts = name.split(separator: ".")
    guard let last = parts.last else { return nil }
    // Runtime and standard library functions say nothing about the program.
    if parts.first == "Swift" || name.hasPrefix("swift_") || !demangled.contains(" ") { return nil }
    let own = parts.count > 2 ? "\(parts[parts.count - 2]).\(last)" : String(last)
    return isClosure ? "closure in \(own)" : own
  }

  private static func demangle(_ symbol: String) -> String? {
    typealias Demangle =
      @convention(c) (
        UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
      ) -> UnsafeMutablePointer<CChar>?
    guard let function = Platform.symbol("swift_demangle") else { return nil }
    let demangle = unsafeBitCast(function, to: Demangle.self)
    return symbol.withCString { name in
      guard let result = demangle(name, symbol.utf8.count, nil, nil, 0) else { return nil }
      defer { Platform.release(result) }
      return String(cString: result)
    }
  }
}

extension Substring {
  /// The first place where `other` stands, without Foundation.
  fileprivate func range(of other: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(other) {
        return start..<index(start, offsetBy: other.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
