import ContractEvidence

/// A self-contained HTML page, in dark and light, for phones and desktops.
struct HTMLPage {
  /// The title, without characters that HTML gives a meaning.
  private let title: String
  /// The body in HTML.
  private let body: String
  /// The script.
  private let script: String

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - title: The title, without characters that HTML gives a meaning.
  ///   - body: The body in HTML.
  init(title: String, body: String, script: String) {
    self.title = title
    self.body = body
    self.script = script
  }

  /// The page.
  var text: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
    <style>
    \(Self.style)</style>
    </head>
    <body>
    \(body)<script>
    \(script)</script>
    </body>
    </html>

    """
  }

  /// The text with HTML's special characters escaped.
  static func escaped(_ text: String) -> String {
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
    .bad, td.failed a, td.crashed a, td.timed-out a, td.verdict.bad { color: var(--bad); }
    .odd, td.deviates a, td.unavailable a, td.not-run a, td.flaky a, td.verdict.odd { color: var(--odd); }
    td.verdict.bad { font-weight: 700; }
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
    td { text-align: center; padding: 0; } td.verdict { font-size: .85rem; padding: 0 .5rem; }
    td.verdict.agree { color: var(--soft); }
    .legend { position: sticky; top: 0; z-index: 1; margin: .75rem 0 0; padding: .35rem 0;
      background: var(--back); color: var(--soft); font-size: .8rem; border-bottom: 1px solid var(--line); }
    tr.clause { scroll-margin-top: 5rem; }
    td a { display: block; padding: .6rem .5rem; text-decoration: none; font-weight: 600; }
    td a:hover { background: var(--band); }
    tr.detail { display: none; } tr.detail:has(:target) { display: table-row; }
    tr.detail td { text-align: left; background: var(--band); padding: .5rem .75rem; }
    /* A wide table scrolls sideways; what a cell says stays in view. */
    tr.detail td > * { position: sticky; left: .75rem; box-sizing: border-box;
      max-width: min(68rem, calc(100vw - 3.5rem)); }
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
}
