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
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Contract matrix</title>
      <style>
      \(Self.style)</style>
      </head>
      <body>
      <header>
      <h1>Contract matrix</h1>
      \(summary)
      \(contents)\(filters)
      </header>
      <main>

      """
    if !matrix.problems.isEmpty {
      html += "<section><h2>Problems</h2><ul class=\"problems\">\n"
      for problem in matrix.problems { html += "<li>\(Self.escaped(problem))</li>\n" }
      html += "</ul></section>\n"
    }
    appendChanges(to: &html)
    for table in matrix.tables { append(table, to: &html) }
    appendSlowest(to: &html)
    html += "</main>\n<script>\n\(Self.script)</script>\n</body>\n</html>\n"
    return html
  }

  private var summary: String {
    let lines = matrix.summary.text.split(separator: "\n").map(String.init)
    let state = matrix.isFailure ? "bad" : "good"
    let verdict = matrix.isFailure ? "The contracts do not hold." : "The contracts hold."
    return "<p class=\"state \(state)\">\(verdict)</p>\n"
      + (lines + matrix.runs.map { "run: \($0)" }).map {
        "<p class=\"numbers\">\(Self.escaped($0))</p>"
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
      return "<li><a href=\"#\(Self.escaped(table.contract.id))\">"
        + "\(Self.escaped(table.contract.title))</a>\(mark)</li>"
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
        html += "<li><code>\(Self.escaped(entry.name))</code>"
        html += entry.detail.map { " \(Self.escaped($0))" } ?? ""
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
      <section class="contract" id="\(Self.escaped(contract.id))">
      <h2>\(Self.escaped(contract.title)) <code>\(Self.escaped(contract.id))</code></h2>
      <p class="numbers">\(numbers)</p>
      <div class="scroll"><table>
      <thead><tr><th scope="col">Clause</th>
      """
    for column in table.columns {
      let implementation = column.implementation
      html += "<th scope=\"col\">\(Self.escaped(column.name))"
      html += "<small>\(implementation.kind.rawValue)</small>"
      html += implementation.version.map { "<small>\(Self.escaped($0))</small>" } ?? ""
      html += "</th>"
    }
    html += "<th scope=\"col\">Verdict</th></tr></thead>\n<tbody>\n"
    var group: String?
    for row in table.rows {
      if row.clause.group != group, let title = row.clause.group {
        html += "<tr class=\"group\"><th colspan=\"\(table.columns.count + 2)\">"
        html += "\(Self.escaped(title))</th></tr>\n"
      }
      group = row.clause.group
      append(row, of: table, to: &html)
    }
    html += "</tbody></table></div>\n"
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
    html += "<code>\(Self.escaped(row.clause.id))</code>"
    html += "<span>\(Self.escaped(row.clause.sentence))</span></th>"
    for (column, cell) in zip(table.columns, row.cells) {
      let id = Self.anchor("\(contract)/\(row.clause.id)@\(column.name)")
      guard let outcome = cell?.result.outcome else {
        html += "<td></td>"
        continue
      }
      html += "<td class=\"\(outcome.name)\"><a href=\"#\(Self.escaped(id))\" "
      html += "title=\"\(Self.escaped(Self.description(of: outcome)))\">"
      html += "<span aria-hidden=\"true\">\(outcome.symbol)</span>"
      html +=
        "<span class=\"hidden\">\(Self.escaped(Self.description(of: outcome)))</span></a></td>"
    }
    let dropped = table.contract.dropped[row.clause.id].map { "not run: \($0)" }
    let verdict = dropped ?? row.verdict?.rawValue ?? ""
    html += "<td class=\"verdict\">\(Self.escaped(verdict))</td></tr>\n"
    html += "<tr class=\"detail\"><td colspan=\"\(table.columns.count + 2)\">"
    html += "<p class=\"sentence\">\(Self.escaped(row.clause.sentence))</p>"
    if let source = row.clause.source { html += "<p>from \(Self.escaped(source))</p>" }
    for (column, cell) in zip(table.columns, row.cells) {
      if let cell { append(cell, of: column, to: &html) }
    }
    html += "</td></tr>\n"
  }

  private func append(_ cell: Matrix.Cell, of column: Matrix.Column, to html: inout String) {
    let result = cell.result
    let id = Self.escaped(Self.anchor(cell.name))
    html += "<div class=\"case \(result.outcome.name)\" id=\"\(id)\" tabindex=\"-1\">"
    html += "<p><b>\(result.outcome.symbol) \(Self.escaped(column.name))</b> "
    html += "\(Self.escaped(Self.description(of: result.outcome)))"
    html += cell.isCurrent ? "" : ", ran another revision of the contract"
    html += "</p>"
    for issue in result.failureIssues {
      html += "<pre>\(Self.escaped(issue.text(clippedTo: 20_000)))</pre>"
    }
    html += "<pre class=\"command\">"
    html += "\(Self.escaped(result.id.description.rerunCommand()))</pre></div>"
  }

  private func appendStrength(of table: Matrix.Table, to html: inout String) {
    let escaped = table.saboteurs.filter { !$0.isCaught }
    guard !escaped.isEmpty || !table.contract.unproven.isEmpty && !table.saboteurs.isEmpty else {
      return
    }
    html += "<h3>Strength</h3><ul class=\"problems\">\n"
    for result in escaped {
      html += "<li>saboteur <code>\(Self.escaped(result.saboteur))</code> on "
      html += "<code>\(Self.escaped(result.clause))</code>: \(Self.escaped(result.message))</li>\n"
    }
    for clause in table.contract.unproven {
      html += "<li>nothing shows that <code>\(Self.escaped(clause))</code> can fail</li>\n"
    }
    html += "</ul>\n"
  }

  private func appendSlowest(to html: inout String) {
    let slowest = matrix.slowest(10)
    guard !slowest.isEmpty else { return }
    html += "<section><h2>Slowest cases</h2><ol class=\"slow\">\n"
    for cell in slowest {
      let milliseconds = (cell.result.seconds * 10_000).rounded() / 10
      let id = Self.escaped(Self.anchor(cell.name))
      html += "<li><a href=\"#\(id)\">\(Self.escaped(cell.name))</a> \(milliseconds) ms</li>\n"
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
    case .crashed, .timedOut: outcome.reason ?? outcome.name
    }
  }

  private static func escaped(_ text: String) -> String {
    text.printable.escaping { scalar in
      switch scalar {
      case "<": "&lt;"
      case ">": "&gt;"
      case "&": "&amp;"
      case "\"": "&quot;"
      case "'": "&#39;"
      default: nil
      }
    }
  }

  private static let style = """
    :root { color-scheme: light dark; --line: light-dark(#d8dce2, #363c46);
      --soft: light-dark(#5d6673, #9aa4b2); --back: light-dark(#ffffff, #14171c);
      --band: light-dark(#f3f5f8, #1d2129); --good: light-dark(#12733a, #5fd08a);
      --bad: light-dark(#b3261e, #ff8a80); --odd: light-dark(#8a5a00, #f0c060); }
    body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--back);
      font: 16px/1.45 system-ui, sans-serif; }
    h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2rem 0 0; }
    code, pre { font: .85em/1.4 ui-monospace, monospace; }
    .state { font-size: 1.1rem; font-weight: 600; margin: .5rem 0 0; }
    .good, td.passed a { color: var(--good); }
    .bad, td.failed a, td.crashed a, td.timed-out a, td.flaky a { color: var(--bad); }
    td.deviates a, td.unavailable a { color: var(--odd); }
    td.not-applicable a { color: var(--soft); }
    .numbers, th span, .slow { color: var(--soft); margin: .2rem 0; }
    .filters { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-top: 1rem; }
    fieldset { border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .35rem; }
    legend, .find { color: var(--soft); font-size: .85rem; }
    fieldset label span { display: block; padding: .4rem .8rem; border: 1px solid var(--line);
      border-radius: 1rem; cursor: pointer; }
    fieldset input { position: absolute; opacity: 0; }
    fieldset input:checked + span { background: light-dark(#1b1f27, #e6eaf0); color: var(--back); }
    fieldset input:focus-visible + span, a:focus-visible, .find input:focus-visible {
      outline: 3px solid light-dark(#3b6ef5, #8ab0ff); outline-offset: 2px; }
    .find input { font: inherit; padding: .4rem .6rem; min-width: 14rem; border-radius: .5rem;
      border: 1px solid var(--line); background: var(--back); color: inherit; }
    .scroll { overflow-x: auto; margin-top: .5rem; position: relative; }
    table { border-collapse: collapse; width: 100%; }
    thead th { text-align: center; font-size: .85rem; padding: .4rem .5rem; }
    thead th:first-child, tbody th { text-align: left; }
    thead small { display: block; font-weight: 400; color: var(--soft); }
    tr.clause th { font-weight: 400; min-width: 15rem; padding: .35rem .5rem; }
    tr.clause th code { font-weight: 600; } tr.clause th span { display: block; font-size: .85rem; }
    tr.clause { border-top: 1px solid var(--line); }
    tr.group th { background: var(--band); padding: .35rem .5rem; font-size: .85rem; }
    td { text-align: center; padding: 0; } td.verdict { font-size: .85rem; padding: 0 .5rem;
      color: var(--soft); }
    td a { display: block; padding: .6rem .5rem; text-decoration: none; font-weight: 600; }
    td a:hover { background: var(--band); }
    tr.detail { display: none; } tr.detail:has(:target) { display: table-row; }
    tr.detail td { text-align: left; background: var(--band); padding: .5rem .75rem; }
    .case { scroll-margin-top: 9rem; padding: .25rem .5rem; border-left: 3px solid transparent; }
    .case:target { border-left-color: currentColor; outline: 0; } .case p { margin: .2rem 0; }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; }
    pre.command { user-select: all; color: var(--soft); }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    .problems { color: var(--bad); overflow-wrap: anywhere; } .slow { overflow-wrap: anywhere; }
    a { color: light-dark(#1f4fd1, #9dbcff); } .sentence { display: none; }
    nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1rem; padding: 0; }
    nav ul { margin: .75rem 0 0; } nav a { display: inline-block; padding: .2rem 0; }
    section[hidden] { display: none; }
    tr[hidden] { display: none !important; }
    @media (max-width: 40rem) { body { padding: .75rem; } tr.clause th { min-width: 7rem; }
      tr.clause th span { display: none; } .sentence { display: block; } tr.clause th code { overflow-wrap: anywhere; }
      thead th { font-size: .7rem; padding: .3rem .2rem; } td a { padding: .6rem .2rem; }
      td.verdict { font-size: .7rem; padding: 0 .2rem; } .find input { min-width: 10rem; } }
    @media print { .filters, nav, pre.command { display: none; } .scroll { overflow: visible; }
      thead { display: table-header-group; } tr { break-inside: avoid; } td a { padding: .1rem; } }

    """

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
