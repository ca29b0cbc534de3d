import ContractEvidence
import ContractReports
import EvidenceSamples
import Foundation
import SystemProcesses
import Testing

/// Opens the HTML pages in Chromium.
///
/// Each page is in a frame of a page that acts on it as a reader would, and prints what it found.
@Suite(
  .enabled(if: Browser.path != nil, "chromium not found in PATH; install chromium"), .serialized)
struct BrowserTests {
  /// A matrix with a failing, a deviating and an unproven clause, and more columns than a phone shows.
  private static let matrix: String = {
    var sample = EvidenceSample(
      clauses: ["first", "second", "third", "fourth"],
      outcomes: [
        "first@fake": .failed, "second@real": .deviates(reason: "slow"),
        "third@real": .unavailable(reason: "no server"),
      ])
    var records = sample.records
    for number in 1...9 {
      for record in sample.records {
        var record = record
        let name = "implementation-with-a-long-name-\(number)"
        switch record.event {
        case .implementation(var one) where one.id == "fake":
          one.id = name
          record.event = .implementation(one)
        case .caseFinished(var result) where result.id.implementation == "fake":
          result.id.implementation = name
          record.event = .caseFinished(result)
        default: continue
        }
        records.append(record)
      }
    }
    return HTMLReport(Matrix(records)).text
  }()

  @Test func `the filters show the clauses that they name, by mouse and by text`() async throws {
    let found = try await Browser.run(
      Self.matrix,
      """
      const shown = () => [...page.querySelectorAll('tr.clause')]
        .filter((row) => row.getClientRects().length > 0)
        .map((row) => row.querySelector('code').textContent).join(' ');
      const choose = (name) => { page.querySelector(`input[value=${name}]`).click(); say(shown()); };
      say(shown());
      for (const name of ['failing', 'deviating', 'unproven', 'all']) choose(name);
      const find = page.querySelector('input[type=search]');
      const type = (text) => { find.value = text; find.dispatchEvent(new Event('input', { bubbles: true })); };
      type('a thing does FOURTH');
      say(shown() + ': ' + page.querySelector('[role=status]').textContent);
      type('no such clause');
      say(shown() + ': ' + page.querySelector('[role=status]').textContent);
      """)
    #expect(
      found == [
        "first second third fourth", "first", "second", "second third", "first second third fourth",
        "fourth: 1 of 4 clauses", ": 0 of 4 clauses",
      ])
  }

  @Test func `a deep link opens its case, and Escape closes it and returns to its cell`()
    async throws
  {
    let found = try await Browser.run(
      Self.matrix, fragment: "things/first@fake",
      """
      const open = () => [...page.querySelectorAll('tr.detail')]
        .filter((row) => row.getClientRects().length > 0).length;
      say(open() + ' ' + page.querySelector(':target').id);
      page.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      await pause();
      say(open() + ' ' + decodeURIComponent(page.activeElement.hash));
      page.activeElement.click();
      await pause();
      say(open() + ' ' + page.querySelector(':target').id);
      """)
    #expect(
      found == ["1 things/first@fake", "0 #things/first@fake", "1 things/first@fake"])
  }

  @Test func `everything that a mouse reaches, the keyboard reaches, and the focus is visible`()
    async throws
  {
    let found = try await Browser.run(
      Self.matrix,
      """
      const targets = [...page.querySelectorAll('a, input')];
      const unreachable = targets.filter((element) => {
        element.focus({ focusVisible: true });
        return page.activeElement !== element;
      });
      say(targets.length > 40 && unreachable.length);
      const link = page.querySelector('td a');
      link.focus({ focusVisible: true });
      say(frame.contentWindow.getComputedStyle(link).outlineStyle);
      const choice = page.querySelector('input[value=failing]');
      choice.focus({ focusVisible: true });
      say(frame.contentWindow.getComputedStyle(choice.nextElementSibling).outlineStyle);
      """)
    #expect(found == ["0", "solid", "solid"])
  }

  @Test(arguments: [0, 1])
  func `a phone shows a page without sideways scrolling, with enough contrast`(scheme: Int)
    async throws
  {
    let found = try await Browser.run(
      Self.matrix, fragment: "things/first@fake", width: 390, scheme: scheme,
      """
      const view = frame.contentWindow;
      say(view.innerWidth + ' ' + (page.documentElement.scrollWidth <= view.innerWidth));
      const details = [...page.querySelectorAll('tr.detail > td > *')]
        .filter((element) => element.getClientRects().length > 0);
      say(details.filter((element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && (box.left < 0 || box.right > view.innerWidth);
      }).length);
      const parts = (colour) => {
        const canvas = page.createElement('canvas').getContext('2d');
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const luminance = (colour) => parts(colour).slice(0, 3).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
      const back = (element) => {
        for (let one = element; one; one = one.parentElement) {
          const colour = view.getComputedStyle(one).backgroundColor;
          if (parts(colour)[3] > 0) return colour;
        }
        return 'white';
      };
      const faint = [...page.querySelectorAll('body *')].filter((element) => {
        const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!isText || element.getClientRects().length === 0 || element.closest('script')) return false;
        const [one, other] = [luminance(view.getComputedStyle(element).color), luminance(back(element))];
        return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5;
      });
      say([...new Set(faint.map((element) => element.outerHTML.slice(0, 80)))].join(' '));
      say(luminance(back(page.body)) < 0.5);
      """)
    #expect(found == ["390 true", "0", "", scheme == 0 ? "true" : "false"])
  }
}

/// Chromium without a window.
private enum Browser {
  /// The program, or `nil` if it is not installed.
  static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(
    separator: ":"
  )
  .flatMap { ["\($0)/chromium", "\($0)/chromium-browser", "\($0)/google-chrome"] }
  .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Opens a page, runs a script on it, and returns what the script said.
  ///
  /// The script has `frame`, the page's document `page`, `say(text)` and `pause()`. An error on the page
  /// or in the script is said too.
  ///
  /// - Parameters:
  ///   - html: The page.
  ///   - fragment: The fragment of its address.
  ///   - width: The width of its window in pixels.
  ///   - scheme: 0 if the reader prefers dark pages, 1 for light.
  ///   - script: The script.
  static func run(
    _ html: String, fragment: String = "", width: Int = 1200, scheme: Int = 1, _ script: String
  ) async throws -> [String] {
    let folder = try ToolFolder(files: [
      "page.html": html.replacing(
        "<head>",
        with: """
          <head><script>
          window.errors = [];
          addEventListener('error', (event) => errors.push(event.message));
          </script>
          """),
      "index.html": """
      <!DOCTYPE html><meta charset="utf-8"><pre id="said"></pre>
      <iframe id="frame" style="border:0;width:\(width)px;height:844px" src="page.html#\(fragment)"></iframe>
      <script>
      const frame = document.getElementById('frame');
      const said = [];
      const say = (text) => said.push(String(text));
      // A task of its own, after which navigation to a fragment is done.
      const pause = () => new Promise((resolve) => setTimeout(resolve));
      addEventListener('load', async () => {
        const page = frame.contentDocument;
        try {
      \(script)
        } catch (error) { say('the script failed: ' + error); }
        for (const error of frame.contentWindow.errors) say('error on the page: ' + error);
        document.getElementById('said').textContent = JSON.stringify(said);
        document.title = 'done';
      });
      </script>
      """,
    ])
    defer { folder.remove() }
    let browser = try await ProgramRun([
      try #require(path), "--headless", "--no-sandbox", "--disable-gpu",
      "--allow-file-access-from-files", "--window-size=1400,1000",
      "--blink-settings=preferredColorScheme=\(scheme)",
      "--user-data-dir=\(folder.url.path)/profile", "--virtual-time-budget=5000", "--dump-dom",
      folder.url.appendingPathComponent("index.html").absoluteString,
    ])
    let dom = browser.output
    let text = try #require(dom.firstMatch(of: /<pre id="said">(.*?)<\/pre>/), "\(dom)").1
    let json = text.replacing("&lt;", with: "<").replacing("&gt;", with: ">")
      .replacing("&amp;", with: "&")
    return try JSONDecoder().decode([String].self, from: Data(json.utf8))
  }
}
