import ContractEvidence
import ContractReports
import Foundation
import SystemProcesses
import Testing

/// Tests of the tool's exit codes and messages.
@Suite struct ToolTests {
  @Test(arguments: ReportFormat.allCases)
  func `report prints every format and exits with 0`(format: ReportFormat) async throws {
    let text = SampleJournal.text(fake: .failed)
    let run = try await ToolRun(["report", "j", "--format", format.rawValue], files: ["j": text])
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(
      run.output == format.text(of: Matrix(Journal(text: text, path: "j"))))
  }

  @Test func `report reads the latest journal, and merges several`() async throws {
    #expect(try await ToolRun(["report"]).status == 66)
    let both = try await ToolRun(
      ["report", "a", "b"],
      files: [
        "a": SampleJournal.text(fake: .passed, real: nil), "b": SampleJournal.text(fake: .failed),
      ])
    #expect(both.output.contains("~ things/first@fake: failed in 1 of 2 runs"))
  }

  @Test func `a journal of format 1 is reported`() async throws {
    let old = SampleJournal.text(fake: .failed).replacing(
      "{\"version\":2,", with: "{\"version\":1,")
    let run = try await ToolRun(["report", "j"], files: ["j": old])
    #expect(run.status == 0)
    #expect(run.output.contains("fake lies"))
    #expect(!run.output.contains("damaged"))
    let next = try await ToolRun(
      ["report", "j"], files: ["j": old.replacing("{\"version\":1,", with: "{\"version\":3,")])
    #expect(next.output.contains("it has format 3, and this tool reads up to 2"))
  }

  @Test func `a damaged line is named with its file and number`() async throws {
    let run = try await ToolRun(["report", "j"], files: ["j": SampleJournal.text() + "half a li"])
    #expect(run.status == 0)
    #expect(run.output.contains("j:9: this line is damaged"), "\(run.output)")
    #expect(
      try await ToolRun(["gate", "j"], files: ["j": SampleJournal.text() + "half a li"]).status == 1
    )
  }

  @Test func `the gate passes only with sound evidence`() async throws {
    let passed = try await ToolRun(
      ["gate", "j", "--require", "live", "--max-age", "7d"], files: ["j": SampleJournal.text()])
    #expect(passed.status == 0, "\(passed.output)")
    let failing = try await ToolRun(["gate", "j"], files: ["j": SampleJournal.text(fake: .failed)])
    #expect(failing.status == 1)
    #expect(failing.output.contains("✗ things/first@fake failed"))
    let old = try await ToolRun(
      ["gate", "--max-age=1h", "j"], files: ["j": SampleJournal.text(time: 1_700_000_000)])
    #expect(old.status == 1)
    #expect(old.output.contains("last held on a live implementation"))
    let unproven = ["j": SampleJournal.text(real: .deviates(reason: "known"))]
    #expect(try await ToolRun(["gate", "j"], files: unproven).status == 1)
    #expect(
      try await ToolRun(["gate", "j", "--allow", "unproven=things/first"], files: unproven).status
        == 0)
    let weak = ["j": SampleJournal.text(hasSaboteur: false)]
    #expect(try await ToolRun(["gate", "j"], files: weak).status == 1)
    #expect(
      try await ToolRun(["gate", "j", "--allow", "strength=things"], files: weak).status == 0)
  }

  @Test(
    arguments: [
      ([], "missing command"), (["dance"], "unknown command 'dance'; give one of report, diff"),
      (["raport"], "unknown command 'raport'; did you mean 'report'?"),
      (["help", "gat"], "unknown command 'gat'; did you mean 'gate'?"),
      (["completions", "zsh"], "'contracts completions bash' completes only for bash"),
      (
        ["gate", "--allow", "change=a"],
        "--allow change=PATTERN needs --base JOURNAL, the journal to compare with"
      ),
      (["report", "--format", "pdf"], "--format 'pdf' is not valid; give one of terminal"),
      (
        ["report", "--fromat", "html"],
        "unknown option '--fromat'; the options are --format, --output, --base"
      ),
      (["report", "--format"], "option '--format' needs a value"),
      (["diff", "a"], "'contracts diff' needs two journals"),
      (["gate", "--max-age", "soon"], "--max-age 'soon' is not valid"),
      (["gate", "--max-age", "-1d"], "--max-age '-1d' is not valid"),
      (
        ["gate", "--require", "all"],
        "--require 'all' is not valid; give one of fake, live, recorded"
      ),
      (
        ["gate", "--allow", "everything"],
        "--allow 'everything' is not valid; give unproven=PATTERN"
      ),
      (
        ["gate", "--forbid", "new-deviations"],
        "--forbid new-deviations needs --base JOURNAL, the journal to compare with"
      ),
      (
        ["gate", "--base", "b", "--forbid", "bugs"],
        "--forbid 'bugs' is not valid; give new-deviations, unversioned or unwitnessed"
      ),
      (["run", "now"], "unexpected argument 'now'; 'contracts run' takes only options"),
      (["linearizable", "h"], "missing option --model; give one of register"),
      (["linearizable", "h", "--model", "tree"], "unknown model 'tree'; give one of register"),
      (
        ["linearizable", "h", "--model", "queue", "--initial", "1"],
        "the model 'queue' has no --initial; it starts empty"
      ),
      (["linearizable", "h", "--model", "cookies"], "unknown model 'cookies'"),
      (["gate", "--allow", "strength="], "--allow 'strength=' is not valid"),
      (["run", "--kind", "alive"], "--kind 'alive' is not valid; give one or more of fake, live"),
    ] as [([String], String)])
  func `invalid arguments exit with 64 and are explained`(
    arguments: [String], sentence: String
  ) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.status == 64)
    #expect(run.errors.contains(sentence), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test func `unreadable and unwritable files have separate exit codes`() async throws {
    #expect(try await ToolRun(["report", "nowhere"]).status == 66)
    let run = try await ToolRun(
      ["report", "j", "--output", "no/such/folder.html"], files: ["j": SampleJournal.text()])
    #expect(run.status == 73)
    #expect(run.errors.contains("no/such/folder.html"))
  }

  @Test func `the exit code of linearizable shows the verdict`()
    async throws
  {
    let write = #"{"process":0,"f":"write","value":1,"call":1,"return":2}"#
    let good = #"{"process":1,"f":"read","call":3,"return":4,"result":1}"#
    let stale = #"{"process":1,"f":"read","call":3,"return":4,"result":null}"#
    func status(_ lines: String..., model: String = "register") async throws -> Int32 {
      try await ToolRun(
        ["linearizable", "h", "--model", model], files: ["h": lines.joined(separator: "\n")]
      ).status
    }
    #expect(try await status(write, good) == 0)
    #expect(try await status(write, stale) == 1)
    #expect(try await status(write, "rubbish") == 65)
    #expect(try await status(write, good, model: "queue") == 65)
    let initial = try await ToolRun(
      ["linearizable", "h", "--model", "register", "--initial", "1"], files: ["h": good])
    #expect(initial.status == 0)
    let piped = try await ToolRun(
      ["linearizable", "-", "--model", "register"], input: write + "\n" + stale)
    #expect(piped.status == 1)
    #expect(try await ToolRun(["linearizable", "nowhere", "--model", "set"]).status == 66)
  }

  @Test(arguments: [
    "::error::planted", "\n::error::planted", "\r \u{A0}::stop-commands::planted",
    "x ##[add-matcher]planted", "\n##vso[task.complete]planted", "##teamcity[buildStop comment='']",
  ])
  func `no line of the output is a command of a CI system`(text: String) async throws {
    let write = #"{"process":0,"f":"write","value":1,"call":1,"return":2}"#
    let value = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    let read = #"{"process":1,"f":"read","call":3,"return":4,"result":\#(value)}"#
    let files = [
      "away": SampleJournal.text(real: .unavailable(reason: text)), "history": write + "\n" + read,
    ]
    for (arguments, status) in [
      (["report", "away"], 0), (["gate", "away", "--require", "live"], 1),
      (["linearizable", "history", "--model", "register"], 1), (["report", text], 66),
      (["report", "away", "--\(text)"], 64),
    ] as [([String], Int32)] {
      let run = try await ToolRun(arguments, files: files)
      #expect(run.status == status, "\(arguments): \(run.errors)")
      let output = run.output + run.errors
      #expect(output.contains(/:error|stop|matcher|task|teamcity/), "\(arguments)")
      for line in output.unicodeScalars.split(separator: "\n") {
        let start = line.drop { $0.properties.isWhitespace }
        let runs = "\(arguments[0]): a CI system would run '\(line)'"
        #expect(!start.starts(with: "::".unicodeScalars), "\(runs)")
        for mark in ["##[", "##vso[", "##teamcity["] {
          #expect(!line.contains(mark.unicodeScalars), "\(runs)")
        }
      }
    }
  }

  @Test func `reads a journal from a named pipe and from standard input`() async throws {
    let text = SampleJournal.text(fake: .failed)
    let folder = try ToolFolder(files: ["j": text])
    defer { folder.remove() }
    let expected = try await ToolRun(["report", "j"], in: folder).output
    #expect(try await ToolRun(["report", "-"], in: folder, input: text).output == expected)
    let pipe = folder.url.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    // Opening a pipe blocks until the other end is opened.
    Thread.detachNewThread { try? Data(text.utf8).write(to: URL(fileURLWithPath: pipe)) }
    #expect(try await ToolRun(["report", "pipe"], in: folder).output == expected)
  }

  @Test func `an unreadable journal is rejected with the system's reason`() async throws {
    let folder = try await ToolRun(["report", "."])
    #expect(folder.status == 66)
    #expect(folder.errors == "contracts: can't read the journal .: Is a directory\n")
    let none = try await ToolRun(["gate", "nowhere"])
    #expect(none.status == 66)
    #expect(
      none.errors == "contracts: can't read the journal nowhere: No such file or directory\n")
  }

  @Test func `an empty journal can be reported, and does not pass the gate`() async throws {
    let files = ["j": "", "blank": "\n\n"]
    #expect(try await ToolRun(["report", "j", "blank"], files: files).status == 0)
    #expect(try await ToolRun(["gate", "j"], files: files).status == 1)
  }

  @Test func `a full disk is an error, and a device or a link is not replaced`() async throws {
    let files = ["j": SampleJournal.text()]
    let full = try await ToolRun(["report", "j", "--output", "/dev/full"], files: files)
    #expect(full.status == 73)
    #expect(full.errors == "contracts: can't write /dev/full: No space left on device\n")
    let folder = try ToolFolder(files: files)
    defer { folder.remove() }
    let link = folder.url.appendingPathComponent("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target")
    try Data().write(to: folder.url.appendingPathComponent("target"))
    let run = try await ToolRun(["report", "j", "--output", "link"], in: folder)
    #expect(run.status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target")
    #expect(try String(contentsOfFile: link, encoding: .utf8).contains("2 cases"))
  }

  @Test func `a report replaces a file and leaves no temporary file`() async throws {
    let folder = try ToolFolder(files: ["j": SampleJournal.text(), "page": "old"])
    defer { folder.remove() }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    let run = try await ToolRun(["report", "j", "--output", "page"], in: folder)
    #expect(run.status == 0)
    #expect(run.output.isEmpty)
    let page = folder.url.appendingPathComponent("page").path
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("2 cases"))
    let after = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(Set(after) == Set(before))
  }

  @Test func `version prints the versions of the formats`() async throws {
    let run = try await ToolRun(["--version"])
    #expect(run.status == 0)
    #expect(run.output == "contracts unreleased, journal format 2\n")
  }

  @Test func `a baseline of a damaged journal says that it may lack something`() async throws {
    let run = try await ToolRun(
      ["baseline", "journal"], files: ["journal": SampleJournal.text() + "half a li\n"])
    #expect(run.status == 0)
    #expect(run.output == "Nothing fails.\n")
    #expect(run.errors.contains(/contracts: journal:[0-9]+: this line is damaged/), "\(run.errors)")
  }

  private static let commands = [
    "report", "diff", "gate", "history", "baseline", "run", "new", "mutate", "mutations",
    "linearizable", "verify-recording", "completions", "help", "version",
  ]

  @Test(arguments: [["help"], ["--help"], ["-h"]])
  func `help describes every command and the exit codes`(arguments: [String]) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.status == 0)
    #expect(run.output.contains("Other exit codes: 64"))
    for command in Self.commands { #expect(run.output.contains("\n  \(command)")) }
  }

  @Test(arguments: commands)
  func `help on one command describes it, and no other`(command: String) async throws {
    let run = try await ToolRun([command, "--help"])
    #expect(run.status == 0)
    #expect(try await ToolRun(["help", command]).output == run.output)
    let heads = run.output.matches(of: /(?m)^  ([a-z-]+)/).map { String($0.1) }
    #expect(Set(heads) == [command], "\(run.output)")
    #expect(run.output.contains("Other exit codes: 64"))
  }

  @Test func `bash completes commands and the options of one`() async throws {
    let script = """
      source <("$0" completions bash)
      complete_words() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _contracts
        echo "${COMPREPLY[@]}"
      }
      complete_words contracts re
      complete_words contracts gate --ma
      complete_words contracts gate journal
      complete_words contracts diff --
      """
    let run = try await ProgramRun(["bash", "-c", script, ToolFolder.tool])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "report\n--max-age\n\n\n")
  }

  @Test func `without a journal of a run, the error names the command that makes one`() async throws
  {
    let run = try await ToolRun(["report"])
    #expect(run.status == 66)
    #expect(run.errors.contains("no contract has run here; run 'swift run contracts run'"))
  }

  @Test(
    arguments: [
      ([:], 100, false), (["COLUMNS": "120"], 120, false), (["COLUMNS": ""], 100, false),
      (["COLUMNS": "3"], 80, false), (["COLUMNS": "9999"], 200, false),
      (["FORCE_COLOR": "1"], 100, true), (["FORCE_COLOR": "0"], 100, false),
      (["FORCE_COLOR": "1", "NO_COLOR": "1"], 100, false),
      (["FORCE_COLOR": "1", "NO_COLOR": ""], 100, true),
    ] as [([String: String], Int, Bool)])
  func `the environment says how wide and how colourful a report is`(
    environment: [String: String], width: Int, hasColour: Bool
  ) async throws {
    let text = SampleJournal.text(
      real: .unavailable(reason: String(repeating: "word ", count: 100)))
    let run = try await ToolRun(["report", "j"], files: ["j": text], environment: environment)
    let lines = run.output.split(separator: "\n").filter { !$0.contains("\u{1B}") }
    let longest = lines.map(\.count).max() ?? 0
    #expect(width - 8...width ~= longest, "\(longest): \(run.output)")
    #expect(run.output.contains("\u{1B}") == hasColour)
  }
}
