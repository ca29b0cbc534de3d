/// A matrix as text for a terminal.
public struct TerminalReport: Sendable {
  /// The matrix.
  public var matrix: Matrix

  /// Whether to colour the cells with ANSI escape sequences.
  public var usesColour: Bool

  /// The journal's path, which the last line names.
  public var journal: String?

  /// Whether a long report is not abridged.
  public var showsAll: Bool

  /// The number of lines up to which a report is not abridged: two screens of 24 lines, nearly.
  public static let shortLength = 50

  /// The number of columns of a line unless another is chosen.
  public static let width = 100

  /// The maximum number of columns of a line: another number becomes the nearest from 80 to 200.
  package var width = Self.width {
    didSet { width = min(max(width, 80), 200) }
  }

  /// The maximum number of characters of a reason or message; the journal contains all of it.
  private static let messageLength = 600

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - matrix: The matrix.
  ///   - usesColour: Whether to colour the cells.
  ///   - journal: The journal's path.
  ///   - showsAll: Whether a long report is not abridged.
  public init(
    _ matrix: Matrix, usesColour: Bool = false, journal: String? = nil,
    showsAll: Bool = false
  ) {
    self.matrix = matrix
    self.usesColour = usesColour
    self.journal = journal
    self.showsAll = showsAll
  }

  /// The report, newline-terminated.
  ///
  /// A report of more than ``shortLength`` lines is abridged unless ``showsAll`` is set: agreeing
  /// clauses are counted, and many deviations are listed without their reasons. What fails keeps
  /// every detail.
  public var text: String {
    let whole = lines(isAbridged: false)
    let lines = showsAll || whole.count <= Self.shortLength ? whole : lines(isAbridged: true)
    return lines.map { $0 + "\n" }.joined()
  }

  private func lines(isAbridged: Bool) -> [String] {
    var lines: [String] = []
    if isAbridged {
      appendAbridgedTables(to: &lines)
    } else {
      for table in matrix.tables { append(table, to: &lines) }
    }
    if !matrix.tables.isEmpty {
      lines += legend.flatMap { $0.count > width ? wrapped($0, indent: "") : [$0] }
    }
    appendFailureNames(to: &lines)
    for problem in matrix.problems {
      lines += wrapped(problem.clipped(to: Self.messageLength), first: "✗ ", rest: "  ")
    }
    for line in matrix.summary.text.split(separator: "\n") {
      lines += wrapped(String(line), first: "", rest: "  ")
    }
    for run in matrix.runs { lines += wrapped(run, first: "run: ", rest: "  ") }
    if let journal { lines.append("journal: \(journal)") }
    if isAbridged { lines.append("abridged; every row and reason: contracts report --all") }
    for omission in matrix.omissions { lines += wrapped(omission.sentence, first: "", rest: "  ") }
    return lines
  }

  /// The meaning of the symbols; the second line has those that few runs need.
  private var legend: [String] {
    let hasNotRun = matrix.results.contains { $0.outcome.name == "not-run" }
    return [
      "✓ holds  ✗ fails  ≠ deviates  · not applicable  ? unavailable  ‼ crashed  "
        + "∞ timed out  ~ flaky"
    ] + (hasNotRun ? ["○ not run"] : [])
  }

  /// Lists the failures again in one line each, because log viewers show the end of a log first.
  private func appendFailureNames(to lines: inout [String]) {
    let failures = matrix.cells.filter(\.result.outcome.isFailure).map { cell in
      let outcome = cell.result.outcome
      let why = outcome.reason ?? cell.result.issues.first?.message ?? ""
      return clipped(
        "\(outcome.symbol) \(cell.name)" + (why.isEmpty ? "" : ": \(why)"), to: width)
    }
    let shown = failures.prefix(20)
    lines += shown.map { paint($0, .red) }
    if failures.count > shown.count { lines.append("  and \(failures.count - shown.count) more") }
  }

  private func append(_ table: Matrix.Table, to lines: inout [String]) {
    let ran = table.rows.filter { $0.cells.contains { $0 != nil } }
    guard !ran.isEmpty || !table.saboteurs.isEmpty || !table.contract.dropped.isEmpty else {
      return
    }
    lines.append("")
    let title = "\(clipped(table.contract.title, to: 40)) (\(clipped(table.contract.id, to: 24)))"
    lines.append(paint(title, .bold) + ", \(ran.count) of \(table.contract.clauses.count) clauses")
    for column in table.columns {
      let facts = [column.implementation.version, column.witnessText].compactMap(\.self)
      if facts.isEmpty { continue }
      lines += wrapped(
        "\(column.name): \(facts.joined(separator: ", "))", first: "  ", rest: "      ")
    }
    if !ran.isEmpty { appendRows(ran, of: table, to: &lines) }
    appendFailures(of: table, to: &lines)
    appendReasons(of: table, to: &lines)
    appendGaps(of: table, to: &lines)
    lines.append("")
    lines.append("  strength: \(table.strength)")
    let unversioned = table.columns.filter(\.lacksVersion).map(\.name)
    if !unversioned.isEmpty {
      lines += wrapped(
        "version not recorded: \(unversioned.joined(separator: ", "))", first: "  ", rest: "    ")
    }
    lines.append("")
  }

  /// Adds the table, split into several bands of columns if it is too wide.
  private func appendRows(
    _ rows: [Matrix.Row], of table: Matrix.Table, to lines: inout [String],
    showsGroups: Bool = true
  ) {
    let heads = table.columns.map { clipped($0.name, to: 24) }
    let verdictWidth = Verdict.allCases.map(\.rawValue.count).max() ?? 0
    let idLimit = min(44, width - 54)
    let idWidth = min(idLimit, rows.map(\.clause.id.count).max() ?? 0) + 2
    let bands = bands(of: heads, width: width - idWidth - 2 - verdictWidth)
    for (number, band) in bands.enumerated() {
      if number > 0 { lines.append("") }
      let header = band.map { pad(heads[$0], heads[$0].count + 2) }.joined()
      lines.append(trimmed(pad("", idWidth + 2) + header))
      var group: String?
      for row in rows {
        if showsGroups, row.clause.group != group, let title = row.clause.group {
          lines.append(paint(clipped(title, to: width), .bold))
        }
        group = row.clause.group
        let cells = band.map { index in
          let outcome = row.cells[index]?.result.outcome
          return paint(outcome.map { String($0.symbol) } ?? " ", outcome.map(colour))
            + pad("", heads[index].count + 1)
        }
        let isLast = number == bands.count - 1
        let verdict = isLast && row.verdict != .agree ? row.verdict?.rawValue ?? "" : ""
        let name = pad(clipped(row.clause.id, to: idLimit), idWidth)
        lines.append(trimmed("  " + name + cells.joined() + verdict))
      }
    }
  }

  /// Groups the indices of consecutive columns that fit next to each other.
  private func bands(of heads: [String], width: Int) -> [[Int]] {
    var bands: [[Int]] = [[]]
    var left = width
    for (index, head) in heads.enumerated() {
      if left < head.count + 2, bands != [[]] {
        bands.append([])
        left = width
      }
      bands[bands.count - 1].append(index)
      left -= head.count + 2
    }
    return bands
  }

  private func appendFailures(of table: Matrix.Table, to lines: inout [String]) {
    var shown: Set<String> = []
    for row in table.rows {
      for (index, column) in row.cells.enumerated() {
        guard let column, column.result.outcome.isFailure else { continue }
        let cell = column.result
        // A fixture that can't be made fails every clause with one message.
        if cell.issues.count == 1, let issue = cell.issues.first, issue.isFixture {
          let same = table.rows.filter { $0.cells[index]?.result.issues == cell.issues }
          if same.count > 1 {
            guard shown.insert("\(index) \(issue.message)").inserted else { continue }
            lines.append("")
            let name = "\(table.contract.id)@\(table.columns[index].name)"
            lines.append(
              paint("\(cell.outcome.symbol) \(clipped(name, to: 60)), \(same.count) clauses", .red))
            lines += wrapped(
              issue.text(clippedTo: Self.messageLength), first: "  - ", rest: "    ")
            lines += wrapped(same.map(\.clause.id).joined(separator: ", "), indent: "    ")
            continue
          }
        }
        lines.append("")
        let name = clipped(column.name, to: width - 2)
        lines.append(paint("\(cell.outcome.symbol) \(name)", .red))
        lines += wrapped(row.clause.sentence.clipped(to: Self.messageLength), indent: "  ")
        if let source = row.clause.source { lines += wrapped("from \(source)", indent: "  ") }
        if let reason = cell.outcome.reason {
          lines += wrapped(reason.clipped(to: Self.messageLength), indent: "  ")
        }
        for issue in cell.issues {
          lines += wrapped(
            issue.text(clippedTo: Self.messageLength), first: "  - ", rest: "    ")
        }
      }
    }
  }

  private func appendReasons(of table: Matrix.Table, to lines: inout [String]) {
    var implementations: [String]?
    for note in table.notes {
      if note.implementations != implementations { lines.append("") }
      implementations = note.implementations
      lines += wrapped(reason(of: note), first: "  ", rest: "      ")
      lines += wrapped(note.clauses.joined(separator: ", "), indent: "      ")
    }
  }

  private func reason(of note: Matrix.Table.Note) -> String {
    "\(note.outcome.symbol) \(note.implementations.joined(separator: ", ")): "
      + (note.outcome.reason ?? "").clipped(to: Self.messageLength)
      + (note.link.map { " (\($0))" } ?? "")
  }

  /// Adds what no evidence covers: remarks, clauses that were left out, and saboteurs that escaped.
  private func appendGaps(of table: Matrix.Table, to lines: inout [String]) {
    for remark in table.remarks {
      lines += wrapped(remark.sentence, first: "  ", rest: "      ")
    }
    for (clause, reason) in table.contract.dropped.sorted(by: { $0.key < $1.key }) {
      lines += wrapped(
        "not run: \(clause), \(reason.clipped(to: Self.messageLength))", first: "  ",
        rest: "      ")
    }
    for result in table.saboteurs where !result.isCaught {
      let message = result.message.clipped(to: Self.messageLength)
      lines += wrapped(
        "✗ saboteur \(result.saboteur) on \(result.clause): \(message)", first: "  ", rest: "    ")
    }
    let unnamed = table.contract.clausesWithoutSaboteur
    if !unnamed.isEmpty, !table.saboteurs.isEmpty {
      let list = unnamed.joined(separator: ", ")
      lines += wrapped("✗ no saboteur names \(list)", first: "  ", rest: "    ")
    }
  }

  // MARK: - Abridged tables

  /// The number of deviations' reasons that an abridged table lists.
  private static let reasonCount = 5

  /// Adds the tables, those in which everything agrees as one paragraph.
  private func appendAbridgedTables(to lines: inout [String]) {
    var agreeing: [String] = []
    var details: [String] = []
    for table in matrix.tables {
      let rows = table.rows.filter { $0.cells.contains { $0 != nil } }
      var gaps: [String] = []
      appendGaps(of: table, to: &gaps)
      let isIncomplete = table.notes.contains { $0.outcome.isNotOfThisRun }
      if rows.allSatisfy(\.agrees), gaps.isEmpty, !isIncomplete {
        let count = rows.count { $0.verdict == .agree }
        let others = count < rows.count ? ", \(rows.count - count) not applicable" : ""
        if !rows.isEmpty { agreeing.append("\(table.contract.id) (\(count)\(others))") }
      } else {
        append(abridged: table, rows, to: &details)
        details += gaps
      }
    }
    if !agreeing.isEmpty {
      lines += wrapped(
        "✓ every clause agrees: \(agreeing.joined(separator: ", "))", first: "", rest: "  ")
    }
    lines += details
    lines += wrapped("strength: \(strength)", first: "", rest: "  ")
    let unversioned = matrix.unversioned
    for (title, list) in [("versions", matrix.versions), ("version not recorded", unversioned)]
    where !list.isEmpty {
      lines += wrapped("\(title): \(list.joined(separator: ", "))", first: "", rest: "  ")
    }
  }

  /// How many clauses of all contracts are known to fail on broken implementations.
  private var strength: String {
    let tables = matrix.tables
    let mutants = tables.map(\.contract.leftToMutants.count).reduce(0, +)
    let weak = tables.filter {
      $0.shownClauses + $0.contract.leftToMutants.count < $0.contract.clauses.count
    }.map { table in
      "\(table.contract.id) \(table.shownClauses) of \(table.contract.clauses.count)"
    }
    let count = tables.map(\.contract.clauses.count).reduce(0, +)
    let shown = tables.map(\.shownClauses).reduce(0, +)
    return tables.allSatisfy(\.saboteurs.isEmpty)
      ? "not shown, no saboteur ran"
      : "\(shown) of \(count) clauses seen to fail"
        + (mutants == 0 ? "" : ", \(mutants) left to mutants")
        + (weak.isEmpty ? "" : ": " + weak.joined(separator: ", "))
  }

  private func append(
    abridged table: Matrix.Table, _ rows: [Matrix.Row], to lines: inout [String]
  ) {
    let title = "\(clipped(table.contract.title, to: 40)) (\(clipped(table.contract.id, to: 24)))"
    let deviations = table.notes.filter {
      if case .deviates = $0.outcome { true } else { false }
    }
    let hasManyReasons = deviations.count > Self.reasonCount
    lines.append(
      paint(title, .bold)
        + ", \(rows.count { $0.verdict == .agree }) of \(rows.count) clauses agree"
        + (hasManyReasons ? ", \(deviations.count) reasons for ≠" : ""))
    let notable = rows.filter { $0.isUnexpected || $0.verdict == .unproven }
    if !notable.isEmpty { appendRows(notable, of: table, to: &lines, showsGroups: false) }
    appendFailures(of: table, to: &lines)
    for note in table.notes where note.outcome.isNotOfThisRun {
      let count = "\(note.clauses.count) clause\(note.clauses.count == 1 ? "" : "s")"
      lines += wrapped("\(reason(of: note)): \(count)", first: "  ", rest: "      ")
    }
    if hasManyReasons {
      appendGroups(of: rows, columns: table.columns, to: &lines)
    } else {
      for note in deviations {
        let text = "\(reason(of: note)): \(note.clauses.joined(separator: ", "))"
        lines += wrapped(text, first: "  ", rest: "      ")
      }
    }
  }

  /// Adds a line for each group: how many clauses agree, and which implementations deviate.
  private func appendGroups(
    of rows: [Matrix.Row], columns: [Matrix.Column], to lines: inout [String]
  ) {
    var groups: [(title: String, rows: [Matrix.Row])] = []
    for row in rows {
      let title = clipped(row.clause.group ?? "clauses", to: 30)
      if groups.last?.title == title {
        groups[groups.count - 1].rows.append(row)
      } else {
        groups.append((title, [row]))
      }
    }
    let titleWidth = (groups.map(\.title.count).max() ?? 0) + 2
    for group in groups {
      let deviating = group.rows.filter(\.deviates)
      let counts = columns.indices.compactMap { index -> String? in
        let count = group.rows.count { $0.deviates(in: index) }
        return count == 0 ? nil : "\(columns[index].name) \(count)"
      }
      let agreement = "\(group.rows.count(where: \.agrees)) of \(group.rows.count) agree"
      var text = "  " + pad(group.title, titleWidth) + pad(agreement, 16)
      if !counts.isEmpty { text += "≠ \(counts.joined(separator: ", "))" }
      let ids = ": " + deviating.map(\.clause.id).joined(separator: ", ")
      if !deviating.isEmpty, text.count + ids.count <= width { text += ids }
      lines.append(clipped(trimmed(text), to: width))
    }
  }

  // MARK: - Text

  private enum Style: String {
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case grey = "90"
  }

  private func colour(_ outcome: Outcome) -> Style {
    switch outcome {
    case .passed: .green
    case .failed, .crashed, .timedOut: .red
    case .deviates, .unavailable, .notRun, .flaky: .yellow
    case .notApplicable: .grey
    }
  }

  private func paint(_ text: String, _ style: Style?) -> String {
    guard usesColour, let style else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text.count < width ? text + String(repeating: " ", count: width - text.count) : text
  }

  /// The text on one line, truncated to `width` characters.
  private func clipped(_ text: String, to width: Int) -> String {
    text.printable.replacing("\n", with: " ").inert.clipped(to: width)
  }

  private func trimmed(_ line: String) -> String {
    var line = line
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  private func wrapped(_ text: String, indent: String) -> [String] {
    wrapped(text, first: indent, rest: indent)
  }

  /// Breaks text into lines at spaces, and breaks words that are wider than a line.
  ///
  /// - Parameters:
  ///   - text: The text; each of its lines begins a new line.
  ///   - first: The indentation of the first line.
  ///   - rest: The indentation of the other lines.
  private func wrapped(_ text: String, first: String, rest: String) -> [String] {
    var lines: [String] = []
    var line = first
    var width = first.count
    var isFresh = true
    func end() {
      lines.append(line)
      line = rest
      width = rest.count
      isFresh = true
    }
    func append(_ word: Substring) {
      var rest = word
      while let character = rest.first {
        if width == self.width { end() }
        // The break has made a new line, which GitHub Actions could take for a command.
        if isFresh, rest.hasPrefix("::") {
          line.append("\\")
          width += 1
        }
        line.append(character)
        width += 1
        if !character.isWhitespace { isFresh = false }
        rest.removeFirst()
      }
    }
    for paragraph in text.printable.inert.split(separator: "\n") {
      if !isFresh { end() }
      for word in paragraph.split(separator: " ") {
        if !isFresh, width + 1 + word.count > self.width { end() }
        if !isFresh { append(" ") }
        append(word)
      }
    }
    if !isFresh { end() }
    return lines
  }
}

extension Matrix.Row {
  /// Whether the clause fails somewhere, or its verdict is one that nobody declared.
  fileprivate var isUnexpected: Bool {
    cells.contains { $0?.result.outcome.isFailure == true }
      || verdict.map { ![.agree, .deviates, .unproven].contains($0) } ?? false
  }

  /// Whether the clause deviates in a column.
  fileprivate func deviates(in column: Int) -> Bool {
    if case .deviates = cells[column]?.result.outcome { true } else { false }
  }

  fileprivate var deviates: Bool { cells.indices.contains(where: deviates) }

  /// Whether the clause holds wherever it applies, or applies nowhere.
  fileprivate var agrees: Bool { !isUnexpected && verdict != .unproven && !deviates }
}

extension Outcome {
  /// Whether the run that reports the case did not run it to an end.
  fileprivate var isNotOfThisRun: Bool {
    switch self {
    case .unavailable, .notRun: true
    default: false
    }
  }
}
