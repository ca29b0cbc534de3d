public import ContractEvidence

/// A matrix as a self-contained HTML page, in dark and light, for phones and desktops.
///
/// Each cell links to the case's details and to the command that runs it again. The filters work
/// with the keyboard; without JavaScript the page shows the whole matrix.
public struct HTMLReport: Sendable {
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
    var html = """
      <header>
      <h1>Contract matrix</h1>
      \(summary)
      \(contents)\(filters)
      </header>
      <main>

      """
    if !matrix.problems.isEmpty {
      html += "<section><h2>Problems</h2><ul class=\"problems\">\n"
      for problem in matrix.problems { html += "<li>\(HTMLPage.escaped(problem))</li>\n" }
      html += "</ul></section>\n"
    }
    appendChanges(to: &html)
    for table in matrix.tables { append(table, to: &html) }
    appendSlowest(to: &html)
    return HTMLPage(title: "Contract matrix", body: html + "</main>\n", script: Self.script).text
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
      let failures = table.rows.count { row in
        row.cells.contains { $0?.result.outcome.isFailure == true }
      }
      let mark = failures == 0 ? "" : " <b class=\"bad\">\(failures) ✗</b>"
      return "<li><a href=\"#\(HTMLPage.escaped(table.contract.id))\">"
        + "\(HTMLPage.escaped(table.contract.title))</a>\(mark)</li>"
    }
    return "<nav aria-label=\"Contracts\"><ul>\n\(links.joined(separator: "\n"))\n</ul></nav>\n"
  }

  private var filters: String {
    let choices = [
      ("all", "All"), ("failing", "Failing"), ("deviating", "Deviating"),
      ("unproven", "Unproven"),
    ]
    let buttons = choices.map { id, name in
      "<label><input type=\"radio\" name=\"show\" value=\"\(id)\""
        + "\(id == "all" ? " checked" : "")><span>\(name)</span></label>"
    }
    return "<form role=\"search\" class=\"filters\">\n<fieldset><legend>Show clauses</legend>"
      + buttons.joined() + "</fieldset>\n"
      + "<label class=\"find\">Find <input type=\"search\" name=\"find\" "
      + "placeholder=\"clause or text\"></label>\n"
      + "<p role=\"status\" class=\"numbers\"></p>\n</form>"
  }

  private func appendChanges(to html: inout String) {
    guard let changes else { return }
    html += "<section><h2>Changes</h2>\n"
    if changes.isEmpty { html += "<p>no difference</p>\n" }
    for (title, entries) in changes.sections {
      html += "<h3>\(title) (\(entries.count))</h3><ul class=\"slow\">\n"
      for entry in entries {
        html += "<li><code>\(HTMLPage.escaped(entry.name))</code>"
        html += entry.detail.map { " \(HTMLPage.escaped($0))" } ?? ""
        html += "</li>\n"
      }
      html += "</ul>\n"
    }
    html += "</section>\n"
  }

  private func append(_ table: Matrix.Table, to html: inout String) {
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
      let implementation = column.implementation
      html += "<th scope=\"col\">\(HTMLPage.escaped(column.name))"
      html += "<small>\(implementation.kind.rawValue)</small>"
      html += implementation.version.map { "<small>\(HTMLPage.escaped($0))</small>" } ?? ""
      html += "</th>"
    }
    html += "<th scope=\"col\">Verdict</th></tr></thead>\n<tbody>\n"
    var group: String?
    for row in table.rows {
      if row.clause.group != group, let title = row.clause.group {
        html += "<tr class=\"group\"><th colspan=\"\(table.columns.count + 2)\">"
        html += "\(HTMLPage.escaped(title))</th></tr>\n"
      }
      group = row.clause.group
      append(row, of: table, to: &html)
    }
    html += "</tbody></table></div>\n"
    for remark in table.remarks { html += "<p>\(HTMLPage.escaped(remark.sentence))</p>\n" }
    appendStrength(of: table, to: &html)
    html += "</section>\n"
  }

  private func append(_ row: Matrix.Row, of table: Matrix.Table, to html: inout String) {
    let contract = table.contract.id
    let outcomes = row.cells.compactMap { $0?.result.outcome }
    var kinds: [String] = []
    if outcomes.contains(where: \.isFailure) { kinds.append("failing") }
    if outcomes.contains(where: { if case .deviates = $0 { true } else { false } }) {
      kinds.append("deviating")
    }
    if row.verdict == .unproven { kinds.append("unproven") }
    html += "<tr class=\"clause \(kinds.joined(separator: " "))\"><th scope=\"row\">"
    html += "<code>\(HTMLPage.escaped(row.clause.id))</code>"
    html += "<span>\(HTMLPage.escaped(row.clause.sentence))</span></th>"
    for (column, cell) in zip(table.columns, row.cells) {
      let id = Self.anchor("\(contract)/\(row.clause.id)@\(column.name)")
      guard let outcome = cell?.result.outcome else {
        html += "<td></td>"
        continue
      }
      html += "<td class=\"\(outcome.name)\"><a href=\"#\(HTMLPage.escaped(id))\" "
      html += "title=\"\(HTMLPage.escaped(Self.description(of: outcome)))\">"
      html += "<span aria-hidden=\"true\">\(outcome.symbol)</span>"
      html +=
        "<span class=\"hidden\">\(HTMLPage.escaped(Self.description(of: outcome)))</span></a></td>"
    }
    let dropped = table.contract.dropped[row.clause.id].map { "not run: \($0)" }
    let verdict = dropped ?? row.verdict?.rawValue ?? ""
    html += "<td class=\"verdict\">\(HTMLPage.escaped(verdict))</td></tr>\n"
    html += "<tr class=\"detail\"><td colspan=\"\(table.columns.count + 2)\">"
    html += "<p class=\"sentence\">\(HTMLPage.escaped(row.clause.sentence))</p>"
    if let source = row.clause.source { html += "<p>from \(HTMLPage.escaped(source))</p>" }
    for (column, cell) in zip(table.columns, row.cells) {
      if let cell { append(cell, of: column, to: &html) }
    }
    html += "</td></tr>\n"
  }

  private func append(_ cell: Matrix.Cell, of column: Matrix.Column, to html: inout String) {
    let result = cell.result
    let id = HTMLPage.escaped(Self.anchor(cell.name))
    html += "<div class=\"case \(result.outcome.name)\" id=\"\(id)\" tabindex=\"-1\">"
    html += "<p><b>\(result.outcome.symbol) \(HTMLPage.escaped(column.name))</b> "
    html += "\(HTMLPage.escaped(Self.description(of: result.outcome)))"
    html += cell.isCurrent ? "" : ", ran another revision of the contract"
    html += "</p>"
    for issue in result.failureIssues {
      html += "<pre>\(HTMLPage.escaped(issue.text(clippedTo: 20_000)))</pre>"
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

  private func appendSlowest(to html: inout String) {
    let slowest = matrix.slowest(10)
    guard !slowest.isEmpty else { return }
    html += "<section><h2>Slowest cases</h2><ol class=\"slow\">\n"
    for cell in slowest {
      let milliseconds = (cell.result.seconds * 10_000).rounded() / 10
      let id = HTMLPage.escaped(Self.anchor(cell.name))
      html += "<li><a href=\"#\(id)\">\(HTMLPage.escaped(cell.name))</a> \(milliseconds) ms</li>\n"
    }
    html += "</ol></section>\n"
  }

  /// A cell's name as the id of an element, which must not contain spaces.
  private static func anchor(_ name: String) -> String {
    name.replacing(" (", with: "@").replacing(", ", with: "+").replacing(")", with: "")
  }

  private static func description(of outcome: Outcome) -> String {
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
