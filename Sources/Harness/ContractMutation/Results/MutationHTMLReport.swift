import ContractReports

/// The results of mutation as a self-contained HTML page: the sources, with the mutants that no
/// case noticed below their lines.
struct MutationHTMLReport {
  private let journal: MutationJournal
  private let report: MutationReport
  private let files: SourceFiles

  /// Creates a report.
  ///
  /// - Parameter root: The package's folder, whose sources are shown.
  init(of journal: MutationJournal, root: String) {
    self.journal = journal
    report = MutationReport(of: journal, root: root)
    files = SourceFiles(root: root)
  }

  /// The page.
  var text: String {
    let groups = Dictionary(grouping: report.results, by: \.mutant.file)
      .sorted { $0.key < $1.key }
    var html = "<header>\n<h1>Mutation</h1>\n"
    for line in report.summary.split(separator: "\n") { html += paragraph(line, "numbers") }
    for sentence in report.impostors { html += paragraph(sentence[...], "bad") }
    html += "<p class=\"numbers\">Lines with mutants have a mark: "
    html += "<b class=\"bad\">no case noticed one</b>, <b class=\"odd\">no case reaches one</b>, "
    html += "<b class=\"good\">all were noticed</b>.</p>\n"
    html += "<nav aria-label=\"Files\"><ul>\n"
    for (file, results) in groups { html += link(to: file, results) }
    html += "</ul></nav>\n</header>\n<main>\n"
    for (file, results) in groups { append(file, results, to: &html) }
    return HTMLPage(title: "Mutation", body: html + "</main>\n", style: Self.style).text
  }

  private func paragraph(_ text: Substring, _ kind: String) -> String {
    "<p class=\"\(kind)\">\(HTMLPage.escaped(String(text)))</p>\n"
  }

  private func link(to file: String, _ results: [MutationJournal.Result]) -> String {
    let survivors = results.count { $0.verdict.status == .survived }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return "<li><a href=\"#\(HTMLPage.escaped(file))\">\(HTMLPage.escaped(name))</a>"
      + (survivors == 0 ? "" : " <b class=\"bad\">\(survivors)</b>") + "</li>\n"
  }

  private func append(_ file: String, _ results: [MutationJournal.Result], to html: inout String) {
    let score = MutationScore(results.map(\.verdict))
    html += "<section id=\"\(HTMLPage.escaped(file))\"><h2>\(HTMLPage.escaped(file))</h2>\n"
    html += paragraph(
      "\(score.value.map(MutationReport.percent) ?? "–"): noticed \(score.detected), survived "
        + "\(score.survived), unreached \(score.unreached)", "numbers")
    // A file that has changed since no longer has the lines that the mutants name.
    guard let source = files.source(file), Keys.fingerprint(source.text) == results[0].fileKey
    else {
      html += paragraph("The file has changed since its mutants were judged.", "bad")
      for result in results where result.verdict.status == .survived { append(result, to: &html) }
      html += "</section>\n"
      return
    }
    let byLine = Dictionary(grouping: results, by: \.mutant.start.line)
    html += "<div class=\"source\">\n"
    for (index, text) in source.lines.enumerated() {
      let own = byLine[index + 1] ?? []
      let mark = Self.mark(own.map(\.verdict))
      html += "<code class=\"line \(mark)\"><i>\(index + 1)</i> \(HTMLPage.escaped(text))</code>\n"
      for result in own where result.verdict.status == .survived { append(result, to: &html) }
    }
    html += "</div></section>\n"
  }

  /// The class of a line: what became of the mutant that fared worst.
  private static func mark(_ verdicts: [MutantVerdict]) -> String {
    let score = MutationScore(verdicts)
    if score.survived > 0 { return "bad" }
    if score.unreached > 0 { return "odd" }
    return score.detected > 0 ? "good" : ""
  }

  private func append(_ result: MutationJournal.Result, to html: inout String) {
    let diff = report.diff(of: result.mutant).joined(separator: "\n")
    html += "<details id=\"\(result.mutant.id)\" open><summary class=\"bad\">survived: "
    html += "\(result.mutant.operator.rawValue)</summary>"
    html += "<pre>\(HTMLPage.escaped(diff))</pre>"
    html += paragraph("reached by \(report.reachingCases(of: result))", "slow")
    html += "<pre class=\"command\">\(HTMLPage.escaped(report.command(for: result.mutant)))</pre>"
    html += "</details>\n"
  }

  private static let style = """
    .source { border: 1px solid var(--line); border-radius: .5rem; overflow-x: auto;
      margin-top: .5rem; }
    .odd { color: var(--odd); }
    .line { display: block; white-space: pre; border-left: 4px solid transparent; }
    .line.bad { border-left-color: var(--bad); background: var(--band); }
    .line.odd { border-left-color: var(--odd); }
    .line.good { border-left-color: var(--good); }
    code.line { color: inherit; }
    .line i { display: inline-block; width: 3.5rem; text-align: right; color: var(--soft);
      font-style: normal; user-select: none; padding-right: .75rem; }
    details { background: var(--band); border-left: 4px solid var(--bad); padding: .25rem .75rem; }
    summary { cursor: pointer; font-size: .85rem; }

    """
}
