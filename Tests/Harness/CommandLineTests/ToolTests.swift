import ContractEvidence
import Foundation
import Testing

/// The tool's exit codes and words, on journals with a fault planted.
@Suite struct ToolTests {
  @Test(arguments: ReportFormat.allCases)
  func `report prints every format and exits with 0`(format: ReportFormat) async throws {
    let text = SampleJournal.text(fake: .failed)
    let run = try await ToolRun(["report", "j", "--format", format.rawValue], files: ["j": text])
    #expect(run.status == 0)
    #expect(run.complaint.isEmpty)
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
    #expect(both.output.contains("fake lies"))
  }

  @Test func `a damaged line is named with its file and number`() async throws {
    let run = try await ToolRun(["report", "j"], files: ["j": SampleJournal.text() + "half a li"])
    #expect(run.status == 0)
    #expect(run.output.contains("j:8: this line is damaged"), "\(run.output)")
    #expect(
      try await ToolRun(["gate", "j"], files: ["j": SampleJournal.text() + "half a li"]).status == 1
    )
  }

  @Test func `the gate opens for sound evidence alone`() async throws {
    let open = try await ToolRun(
      ["gate", "j", "--require", "live", "--max-age", "7d"], files: ["j": SampleJournal.text()])
    #expect(open.status == 0, "\(open.output)")
    let lie = try await ToolRun(["gate", "j"], files: ["j": SampleJournal.text(fake: .failed)])
    #expect(lie.status == 1)
    #expect(lie.output.contains("✗ things/first@fake failed"))
    let old = try await ToolRun(
      ["gate", "--max-age=1h", "j"], files: ["j": SampleJournal.text(time: 1_700_000_000)])
    #expect(old.status == 1)
    #expect(old.output.contains("was last proven by a live implementation"))
    let unproven = ["j": SampleJournal.text(real: .deviates(reason: "known"))]
    #expect(try await ToolRun(["gate", "j"], files: unproven).status == 1)
    #expect(
      try await ToolRun(["gate", "j", "--allow", "unproven=things/first"], files: unproven).status
        == 0)
  }

  @Test func `diff tells by its exit status what got worse`() async throws {
    let files = [
      "good": SampleJournal.text(), "bad": SampleJournal.text(fake: .failed),
      "away": SampleJournal.text(real: .unavailable(reason: "x")),
    ]
    #expect(try await ToolRun(["diff", "good", "good"], files: files).status == 0)
    #expect(try await ToolRun(["diff", "good", "bad"], files: files).status == 1)
    #expect(try await ToolRun(["diff", "bad", "good"], files: files).status == 0)
    #expect(try await ToolRun(["diff", "good", "away"], files: files).status == 2)
  }

  @Test(
    arguments: [
      ([], "a command is missing"), (["dance"], "the command 'dance' is not known"),
      (["report", "--format", "pdf"], "--format 'pdf' is not known: give one of terminal"),
      (["report", "--fromat", "html"], "the option '--fromat' is not known"),
      (["report", "--format"], "the option '--format' needs a value"),
      (["diff", "a"], "diff takes two journals"),
      (["gate", "--max-age", "soon"], "--max-age 'soon' is not understood"),
      (["gate", "--max-age", "-1d"], "--max-age '-1d' is not understood"),
      (["gate", "--require", "all"], "--require 'all' is not known"),
      (["gate", "--allow", "everything"], "--allow 'everything' is not understood"),
      (["run", "now"], "run takes options alone"),
      (["linearizable", "h"], "--model is missing: give one of register"),
      (["linearizable", "h", "--model", "tree"], "--model 'tree' is not known"),
      (
        ["linearizable", "h", "--model", "queue", "--initial", "1"],
        "--initial is not for the model queue, which begins with nothing"
      ),
      (
        ["linearizable", "h", "--model", "cookies", "--initial", "[]"],
        "--initial is not for the model cookies, which begins with nothing"
      ),
      (["run", "--kind", "alive"], "--kind 'alive' is not known"),
    ] as [([String], String)])
  func `a call that is not understood exits with 64 and says why`(
    arguments: [String], sentence: String
  ) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.status == 64)
    #expect(run.complaint.contains(sentence), "\(run.complaint)")
    #expect(run.output.isEmpty)
  }

  @Test func `files that can't be used have exit codes of their own`() async throws {
    #expect(try await ToolRun(["report", "nowhere"]).status == 66)
    let run = try await ToolRun(
      ["report", "j", "--output", "no/such/folder.html"], files: ["j": SampleJournal.text()])
    #expect(run.status == 73)
    #expect(run.complaint.contains("no/such/folder.html"))
  }

  @Test func `linearizable tells by its exit status whether a history can be explained`()
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

  @Test func `linearizable knows cookies, and names each line that is none`() async throws {
    let store =
      #"{"process":0,"f":"store","value":["a=1","https://example.com/"],"call":1,"return":2}"#
    func read(_ header: String) -> String {
      #"{"process":1,"f":"cookies","value":"https://example.com/","call":3,"return":4,"result":\#(header)}"#
    }
    func run(_ lines: String...) async throws -> ToolRun {
      try await ToolRun(
        ["linearizable", "h", "--model", "cookies"], files: ["h": lines.joined(separator: "\n")])
    }
    #expect(try await run(store, read(#""a=1""#)).status == 0)
    let lost = try await run(store, read("null"))
    #expect(lost.status == 1)
    #expect(
      lost.output.contains("line 2: cookies(for: \"https://example.com/\"), expected \"a=1\""))
    let hostile = try await run(store, read("1"), #"{"process":1,"f":"eat","call":5}"#)
    #expect(hostile.status == 65)
    #expect(hostile.complaint.contains("line 2: the result of 'cookies' must be the Cookie header"))
    #expect(hostile.complaint.contains("line 3: the model has no function 'eat'"))
    #expect(hostile.output.isEmpty)
  }

  @Test func `a journal comes from a pipe and from the standard input, too`() async throws {
    let text = SampleJournal.text(fake: .failed)
    let folder = try ToolFolder(files: ["j": text])
    defer { folder.remove() }
    let expected = try await ToolRun(["report", "j"], in: folder).output
    #expect(try await ToolRun(["report", "-"], in: folder, input: text).output == expected)
    let pipe = folder.url.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    // Opening a pipe waits for the other side.
    Thread.detachNewThread { try? Data(text.utf8).write(to: URL(fileURLWithPath: pipe)) }
    #expect(try await ToolRun(["report", "pipe"], in: folder).output == expected)
  }

  @Test func `what is no file is refused with the system's reason`() async throws {
    let folder = try await ToolRun(["report", "."])
    #expect(folder.status == 66)
    #expect(folder.complaint == "contracts: can't read the journal .: Is a directory\n")
    let none = try await ToolRun(["gate", "nowhere"])
    #expect(none.status == 66)
    #expect(
      none.complaint == "contracts: can't read the journal nowhere: No such file or directory\n")
  }

  @Test func `an empty journal is reported, and opens no gate`() async throws {
    let files = ["j": "", "blank": "\n\n"]
    #expect(try await ToolRun(["report", "j", "blank"], files: files).status == 0)
    #expect(try await ToolRun(["gate", "j"], files: files).status == 1)
  }

  @Test func `a full disk is an error, and a device is not replaced`() async throws {
    let files = ["j": SampleJournal.text()]
    let full = try await ToolRun(["report", "j", "--output", "/dev/full"], files: files)
    #expect(full.status == 73)
    #expect(full.complaint == "contracts: can't write /dev/full: No space left on device\n")
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

  @Test func `a report replaces a file in one step and leaves nothing beside it`() async throws {
    let folder = try ToolFolder(files: ["j": SampleJournal.text(), "page": "old"])
    defer { folder.remove() }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    let run = try await ToolRun(["report", "j", "--output", "page"], in: folder)
    #expect(run.status == 0)
    #expect(run.output.isEmpty)
    let page = folder.url.appendingPathComponent("page").path
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("2 cases"))
    let after = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(Set(after).subtracting(before) == [".out", ".err"])
  }

  @Test func `the version names the formats`() async throws {
    let run = try await ToolRun(["--version"])
    #expect(run.status == 0)
    #expect(run.output == "contracts, journal format 1, report format 1\n")
  }

  @Test(arguments: [["help"], ["--help"], ["-h"], ["report", "--help"], ["run", "-h"]])
  func `help shows every command and its exit codes`(arguments: [String]) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.status == 0)
    #expect(run.output.contains("Other exit codes: 64"))
    for command in ["report", "diff", "gate", "run", "linearizable"] {
      #expect(run.output.contains(command))
    }
  }
}
