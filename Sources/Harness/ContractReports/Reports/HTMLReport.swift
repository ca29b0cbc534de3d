public import ContractEvidence

/// A matrix as a self-contained HTML page, in dark and light, for phones and desktops.
///
/// Failures come first. Each cell links to the case's details and to the command that runs it again. The filters work
/// with the keyboard; without JavaScript the page shows the whole matrix. The rows of a page have at most 8 MB:
/// those that agree are left out first, and each table says how many.
public struct HTMLReport: Sendable {
  /// The most bytes of the rows of a page.
  package var greatestLength = 8_000_000

  /// The most entries of a list, such as that of the failures.
  private static let listLength = 200

  /// The matrix.
  public var matrix: Matrix

  /// The changes from an earlier matrix, if there is one.
  public var changes: MatrixDifference?

  /// Creates a report.
  public init(_ matrix: Matrix, changes: MatrixDifference? = nil) {
    self.matrix = matrix
    self.changes = changes
  }

  /// The page.
  public var text: String {
    let rows = Rows(of: matrix, upTo: greatestLength)
    var html = """
      <header>
      <h1>Contract matrix</h1>
      \(summary)
      \(contents)\(filters)
      </header>
      \(Self.legend)
      <main>

      """
    html += Self.section(
      "Problems", "problems", matrix.problems.map { HTMLPage.escaped($0.clipped(to: 2_000)) })
    html += Self.section("Failures", "problems", rows.failures.map(failure))
    appendChanges(to: &html, linkingTo: rows.anchors)
    for (index, table) in matrix.tables.enumerated() {
      append(table, rows.shown[index], to: &html)
    }
    return HTMLPage(title: "Contract matrix", body: html + "</main>\n", script: Self.script).text
  }

  /// A list of at most ``listLength`` entries, or nothing if there are none.
  private static func section(_ title: String, _ kind: String, _ entries: [String]) -> String {
    guard !entries.isEmpty else { return "" }
    let items = entries.prefix(listLength).map { "<li>\($0)</li>\n" }.joined()
    let rest = entries.count - listLength
    return "<section><h2>\(title)</h2><ul class=\"\(kind)\">\n" + items
      + (rest > 0 ? "<li>and \(rest) more</li>\n" : "") + "</ul></section>\n"
  }

  /// Stays in view while the matrix scrolls.
  private static let legend = """
    <p class="legend">✓ holds · ✗ fails · ≠ deviates as declared · <span>·</span> not applicable ·
    ? unavailable · ‼ crashed · ∞ timed out · ~ flaky · ○ not run</p>
    """

  private func failure(_ cell: Matrix.Cell) -> String {
    let result = cell.result
    let why = result.outcome.reason ?? result.issues.first?.text() ?? ""
    return "<a href=\"#\(HTMLPage.escaped(Self.anchor(cell.name)))\">\(result.outcome.symbol) "
      + "\(HTMLPage.escaped(cell.name))</a> \(HTMLPage.escaped(why.clipped(to: 200)))"
  }

  private var summary: String {
    let lines = matrix.summary.text.split(separator: "\n").map(String.init)
    let state = matrix.isFailure ? "bad" : "good"
    let verdict = matrix.isFailure ? "The contracts do not hold." : "The contracts hold."
    return "<p class=\"state \(state)\">\(verdict)</p>\n"
      + (lines + matrix.runs.map { "run: \($0)" }).map {
        "<p class=\"numbers\">\(HTMLPage.escaped($0))</p>"
      }.joined(separator: "\n")
  }

  /// Links to the contracts, if there are several.
  private var contents: String {
    guard matrix.tables.count > 1 else { return "" }
    let links = matrix.tables.map { table in
      let failures = table.rows.count(where: \.fails)
      let flaky = table.rows.count { !$0.fails && $0.isFlaky }
      let marks =
        (failures == 0 ? "" : " <b class=\"bad\">\(failures) ✗</b>")
        + (flaky == 0 ? "" : " <b class=\"odd\">\(flaky) ~</b>")
      return "<li><a href=\"#\(HTMLPage.escaped(table.contract.id))\">"
        + "\(HTMLPage.escaped(table.contract.title))</a>\(marks)</li>"
    }
    return "<nav aria-label=\"Contracts\"><ul>\n\(links.joined(separator: "\n"))\n</ul></nav>\n"
  }

  private var filters: String {
    let rows = matrix.tables.flatMap(\.rows)
    let choices =
      [("all", "All", rows.count)]
      + Matrix.Row.kinds.map { kind in
        (kind.id, kind.id.capitalized, rows.count(where: kind.includes))
      }
    let buttons = choices.map { id, name, count in
      "<label><input type=\"radio\" name=\"show\" value=\"\(id)\""
        + "\(id == "all" ? " checked" : "")><span>\(name) (\(count))</span></label>"
    }
    return "<form role=\"search\" class=\"filters\">\n<fieldset><legend>Show clauses</legend>"
      + buttons.joined() + "</fieldset>\n"
      + "<label class=\"find\">Find <input type=\"search\" name=\"find\" "
      + "placeholder=\"clause or text\"></label>\n"
      + "<p role=\"status\" class=\"numbers\"></p>\n</form>"
  }

  private func appendChanges(to html: inout String, linkingTo anchors: Set<String>) {
    guard let changes else { return }
    html += "<section><h2>Changes</h2>\n"
    if changes.isEmpty { html += "<p>no difference</p>\n" }
    for (kind, changes) in changes.sections {
      html += "<h3>\(kind.rawValue) (\(changes.count))</h3><ul class=\"slow\">\n"
      for change in changes.prefix(Self.listLength) {
        let name = "<code>\(HTMLPage.escaped(change.name.clipped(to: 2_000)))</code>"
        let anchor = anchor(of: change).flatMap { anchors.contains($0) ? $0 : nil }
        html += "<li>" + (anchor.map { "<a href=\"#\(HTMLPage.escaped($0))\">\(name)</a>" } ?? name)
        html += change.note.map { " \(HTMLPage.escaped($0.clipped(to: 2_000)))" } ?? ""
        html += "</li>\n"
      }
      let rest = changes.count - Self.listLength
      html += rest > 0 ? "<li>and \(rest) more</li></ul>\n" : "</ul>\n"
    }
    html += "</section>\n"
  }

  /// Where the page shows the subject of a change: its case, clause or contract.
  private func anchor(of change: MatrixDifference.Change) -> String? {
    guard let table = matrix.tables.first(where: { $0.contract.id == change.contract }) else {
      return nil
    }
    guard let clause = change.clause else { return table.contract.id }
    let row = "\(table.contract.id)/\(clause)"
    let column = table.columns.first { column in
      column.implementation.id == change.implementation
        && change.platform.map(column.platforms.contains) != false
    }
    return column.map { Self.anchor("\(row)@\($0.name)") } ?? row
  }

  private func append(_ table: Matrix.Table, _ shown: [Int: String], to html: inout String) {
    let contract = table.contract
    let numbers =
      "\(contract.clauses.count) clauses · revision \(contract.revision) · "
      + "strength: \(table.strength)"
    html += """
      <section class="contract" id="\(HTMLPage.escaped(contract.id))">
      <h2>\(HTMLPage.escaped(contract.title)) <code>\(HTMLPage.escaped(contract.id))</code></h2>
      <p class="numbers">\(numbers)</p>
      <div class="scroll"><table>
      <thead><tr><th scope="col">Clause</th>
      """
    for column in table.columns {
      html += "<th scope=\"col\">\(HTMLPage.escaped(column.name))"
      html += "<small>\(column.implementation.kind.rawValue)</small>"
      for fact in [column.versionText, column.witnessText].compactMap(\.self) {
        html += "<small>\(HTMLPage.escaped(fact))</small>"
      }
      html += "</th>"
    }
    html += "<th scope=\"col\">Verdict</th></tr></thead>\n<tbody>\n"
    var group: String?
    for (index, row) in table.rows.enumerated() {
      guard let text = shown[index] else { continue }
      if row.clause.group != group, let title = row.clause.group {
        html += "<tr class=\"group\"><th colspan=\"\(table.columns.count + 2)\">"
        html += "\(HTMLPage.escaped(title))</th></tr>\n"
      }
      group = row.clause.group
      html += text
    }
    html += "</tbody></table></div>\n"
    let hidden = table.rows.indices.filter { shown[$0] == nil }
    if !hidden.isEmpty {
      let failing = hidden.count { table.rows[$0].fails }
      html += "<p>\(hidden.count) clauses are left out, because the page would be too long"
      html += failing == 0 ? "" : "; <b class=\"bad\">\(failing) of them fail</b>"
      html += ". <code>contracts report --all</code> has all.</p>\n"
    }
    for remark in table.remarks { html += "<p>\(HTMLPage.escaped(remark.sentence))</p>\n" }
    appendStrength(of: table, to: &html)
    html += "</section>\n"
  }

  /// The rows that a page shows, as HTML.
  private struct Rows {
    /// The rows of each table by index.
    var shown: [[Int: String]]
    /// What a link can point to.
    var anchors: Set<String> = []
    /// The cells that fail, then those that are flaky.
    var failures: [Matrix.Cell]

    /// Takes what matters most until the page is full.
    init(of matrix: Matrix, upTo greatestLength: Int) {
      let tables = matrix.tables
      shown = tables.map { _ in [:] }
      let failing = matrix.cells.filter(\.result.outcome.isFailure)
      failures = failing.filter { !$0.isRetried } + failing.filter(\.isRetried)
      var ranked = tables.indices.flatMap { table in
        tables[table].rows.indices.map {
          (table: table, row: $0, rank: tables[table].rows[$0].rank)
        }
      }
      ranked.sort { ($0.rank, $0.table, $0.row) < ($1.rank, $1.table, $1.row) }
      var length = 0
      for place in ranked {
        let table = tables[place.table]
        let text = HTMLReport.html(of: table.rows[place.row], in: table)
        length += text.utf8.count
        if length > greatestLength { break }
        shown[place.table][place.row] = text
        let row = "\(table.contract.id)/\(table.rows[place.row].clause.id)"
        anchors.insert(row)
        for (column, cell) in zip(table.columns, table.rows[place.row].cells) where cell != nil {
          anchors.insert(HTMLReport.anchor("\(row)@\(column.name)"))
        }
      }
      anchors.formUnion(tables.map(\.contract.id))
      failures = failures.filter { [anchors] in anchors.contains(HTMLReport.anchor($0.name)) }
    }
  }

  private static func html(of row: Matrix.Row, in table: Matrix.Table) -> String {
    var html = ""
    let name = "\(table.contract.id)/\(row.clause.id)"
    let kinds = Matrix.Row.kinds.filter { $0.includes(row) }.map(\.id)
    let sentence = HTMLPage.escaped(row.clause.sentence.clipped(to: 2_000))
    html += "<tr class=\"clause \(kinds.joined(separator: " "))\" id=\"\(HTMLPage.escaped(name))\">"
    html += "<th scope=\"row\"><code>\(HTMLPage.escaped(row.clause.id))</code>"
    html += "<span>\(sentence)</span></th>"
    for (column, cell) in zip(table.columns, row.cells) {
      guard let outcome = cell?.result.outcome else {
        html += "<td></td>"
        continue
      }
      let id = HTMLPage.escaped(anchor("\(name)@\(column.name)"))
      let text = HTMLPage.escaped(description(of: outcome))
      html += "<td class=\"\(outcome.name)\"><a href=\"#\(id)\" title=\"\(text)\">"
      html += "<span aria-hidden=\"true\">\(outcome.symbol)</span>"
      html += "<span class=\"hidden\">\(text)</span></a></td>"
    }
    let dropped = table.contract.dropped[row.clause.id].map { "not run: \($0)" }
    let verdict = dropped ?? row.verdict?.rawValue ?? ""
    html +=
      "<td class=\"verdict \(row.verdict?.tone ?? "")\">\(HTMLPage.escaped(verdict))</td></tr>\n"
    html += "<tr class=\"detail\"><td colspan=\"\(table.columns.count + 2)\">"
    html += "<p class=\"sentence\">\(sentence)</p>"
    if let source = row.clause.source { html += "<p>from \(HTMLPage.escaped(source))</p>" }
    for (column, cell) in zip(table.columns, row.cells) {
      if let cell { append(cell, of: column, to: &html) }
    }
    return html + "</td></tr>\n"
  }

  private static func append(_ cell: Matrix.Cell, of column: Matrix.Column, to html: inout String) {
    let result = cell.result
    let id = HTMLPage.escaped(anchor(cell.name))
    html += "<div class=\"case \(result.outcome.name)\" id=\"\(id)\" tabindex=\"-1\">"
    html += "<p><b>\(result.outcome.symbol) \(HTMLPage.escaped(column.name))</b> "
    html += "\(HTMLPage.escaped(description(of: result.outcome)))"
    html += cell.isCurrent ? "" : ", ran another revision of the contract"
    html += "</p>"
    for issue in result.failureIssues {
      html += "<pre>\(HTMLPage.escaped(issue.text(clippedTo: 4_000)))</pre>"
    }
    html += "<pre class=\"command\">"
    html += "\(HTMLPage.escaped(result.id.description.rerunCommand()))</pre></div>"
  }

  private func appendStrength(of table: Matrix.Table, to html: inout String) {
    let escaped = table.saboteurs.filter { !$0.isCaught }
    guard
      !escaped.isEmpty || !table.contract.clausesWithoutSaboteur.isEmpty && !table.saboteurs.isEmpty
    else {
      return
    }
    html += "<h3>Strength</h3><ul class=\"problems\">\n"
    for result in escaped {
      html += "<li>saboteur <code>\(HTMLPage.escaped(result.saboteur))</code> on "
      html +=
        "<code>\(HTMLPage.escaped(result.clause))</code>: \(HTMLPage.escaped(result.message))</li>\n"
    }
    for clause in table.contract.clausesWithoutSaboteur {
      html += "<li>nothing shows that <code>\(HTMLPage.escaped(clause))</code> can fail</li>\n"
    }
    html += "</ul>\n"
  }

  /// A cell's name as the id of an element, which must not contain spaces.
  private static func anchor(_ name: String) -> String {
    name.replacing(" (", with: "@").replacing(", ", with: "+").replacing(")", with: "")
  }

  private static func description(of outcome: Outcome) -> String {
    let text =
      switch outcome {
      case .passed: "holds"
      case .failed: "fails"
      case .deviates(let reason): "deviates as declared: \(reason)"
      case .notApplicable(_, let reason): "does not apply: \(reason)"
      case .unavailable(let reason): "unavailable: \(reason)"
      case .flaky(let reason): "flaky: \(reason)"
      case .notRun(let reason): "not run: \(reason)"
      case .crashed, .timedOut: outcome.reason ?? outcome.name
      }
    return text.clipped(to: 2_000)
  }

  private static let script = """
    const form = document.querySelector('.filters');
    const rows = [...document.querySelectorAll('tr.clause')];
    function filter() {
      const show = form.elements.show.value;
      const text = form.elements.find.value.trim().toLowerCase();
      let count = 0;
      for (const row of rows) {
        const isShown = (show === 'all' || row.classList.contains(show))
          && row.textContent.toLowerCase().includes(text);
        row.hidden = !isShown;
        row.nextElementSibling.hidden = !isShown;
        if (isShown) count += 1;
      }
      for (const group of document.querySelectorAll('tr.group')) {
        let row = group.nextElementSibling;
        let isEmpty = true;
        while (row && !row.classList.contains('group')) {
          if (row.classList.contains('clause') && !row.hidden) isEmpty = false;
          row = row.nextElementSibling;
        }
        group.hidden = isEmpty;
      }
      for (const section of document.querySelectorAll('section.contract')) {
        section.hidden = !section.querySelector('tr.clause:not([hidden])');
      }
      form.querySelector('[role=status]').textContent =
        count === rows.length ? '' : count + ' of ' + rows.length + ' clauses';
    }
    // An open case is closed by its link or by Escape; then the link gets the focus.
    function close(event) {
      const open = document.querySelector('.case:target');
      if (!open) return;
      event.preventDefault();
      const link = [...document.querySelectorAll('td a')].find((a) => a.hash === location.hash);
      location.hash = 'none';
      if (link) link.focus({ preventScroll: true });
    }
    document.addEventListener('click', (event) => {
      const link = event.target.closest('td a');
      if (link && link.hash === location.hash) close(event);
    });
    document.addEventListener('keydown', (event) => { if (event.key === 'Escape') close(event); });
    form.addEventListener('input', filter);
    form.addEventListener('submit', (event) => event.preventDefault());
    // When a page is reloaded, the browser keeps the state of the form.
    filter();

    """
}

extension Matrix.Row {
  /// A choice of rows that the page offers, by the class of their elements.
  fileprivate struct Kind: Sendable {
    var id: String
    var includes: @Sendable (Matrix.Row) -> Bool
  }

  /// In the order of what matters most.
  fileprivate static let kinds = [
    Kind(id: "failing") { $0.fails }, Kind(id: "flaky") { $0.isFlaky },
    Kind(id: "unproven") { $0.verdict == .unproven },
    Kind(id: "deviating") { row in
      row.cells.contains { if case .deviates = $0?.result.outcome { true } else { false } }
    },
  ]

  /// The place of the row's first kind; rows without one come last.
  fileprivate var rank: Int {
    Self.kinds.firstIndex { $0.includes(self) } ?? Self.kinds.count
  }

  fileprivate var isFlaky: Bool { cells.contains { $0?.isRetried == true } }

  /// Whether a case fails, and not only now and then.
  fileprivate var fails: Bool {
    cells.contains { $0.map { $0.result.outcome.isFailure && !$0.isRetried } ?? false }
  }
}

extension Verdict {
  /// The class of an element that shows the verdict.
  fileprivate var tone: String {
    switch self {
    case .agree: "agree"
    case .deviates, .unproven: "odd"
    case .fakeLies, .recordingStale, .realityMoved, .contractWrong, .fails: "bad"
    }
  }
}
