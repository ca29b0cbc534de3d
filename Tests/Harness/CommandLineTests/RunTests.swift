import Foundation
import Testing

/// Tests of `contracts run` with a substitute for `swift` that runs cases of the harness's tests.
@Suite struct RunTests {
  /// A substitute for `swift` that runs one of the harness's specimens, as `swift test` would.
  private func specimen(_ name: String) -> [String: String] {
    [
      "bin/swift": """
      #!/bin/sh
      [ "$*" = 'test --filter Contract' ] || exit 99
      CONTRACT_SPECIMEN=1 SPECIMENS='\(name)' SWIFT_BACKTRACE=enable=no exec '\(ToolFolder.product("harness-specimens"))' \
        --testing-library swift-testing --filter 'harness_specimens\\.Specimens/(cases|\(name))\\('
      """
    ]
  }

  @Test func `a successful run prints its report and exits with 0`() async throws {
    let folder = try ToolFolder(files: specimen("sound"))
    defer { folder.remove() }
    let run = try await ToolRun(["run"], in: folder)
    #expect(run.status == 0, "\(run.errors)\(run.output)")
    #expect(run.output.contains("6 cases · 4 passed · 0 failed"), "\(run.output)")
    #expect(
      run.output.contains(/\njournal: .build\/contracts\/[0-9]{8}T[0-9]{6}Z-[0-9a-z]+\.jsonl/))
    #expect(run.output.contains(/\nlog: .build\/contracts\/[0-9]{8}T[0-9]{6}Z-[0-9a-z]+\.log/))
    #expect(!run.output.contains("\u{1B}"))
    #expect(!run.output.contains("other failures"))
    #expect(run.errors.isEmpty, "nothing failed, and a few cases are not worth a line")
    let report = try await ToolRun(["report"], in: folder)
    #expect(report.output.contains("6 cases · 4 passed"), "the run's journal is the latest")
  }

  @Test(
    arguments: [
      ("failing", "✗ counter/adds@stuck"),
      ("starved", "blocks every thread of the cooperative pool"),
      ("crashing", "‼ counter/adds@trapping"),
    ])
  func `a failed run prints its report and exits with 1`(
    name: String, sentence: String
  ) async throws {
    let run = try await ToolRun(["run"], files: specimen(name))
    #expect(run.status == 1)
    #expect(run.output.contains(sentence), "\(run.output)")
  }

  @Test func `failures of other tests are printed too, and those of cases once`() async throws {
    let run = try await ToolRun(["run"], files: specimen("plainFailure|failing"))
    #expect(run.status == 1)
    let parts = run.output.components(separatedBy: "\nother failures, from the log:\n")
    try #require(parts.count == 2, "\(run.output)")
    #expect(parts[1].contains("no case says this"))
    #expect(!parts[1].contains("the sum is too small"))
    #expect(parts[0].contains("the sum is too small"))
  }

  @Test func `a failed run that nothing explains prints the end of the log`() async throws {
    let script = """
      #!/bin/sh
      \(SampleJournal.commandsEndingACase)
      echo 'error: the test program could not be closed'
      exit 3
      """
    let run = try await ToolRun(["run"], files: ["bin/swift": script])
    #expect(run.status == 3)
    #expect(
      run.output.hasSuffix(
        "\nthe end of the log:\nerror: the test program could not be closed\n"), "\(run.output)")
  }

  @Test func `without a terminal, cases that fail or hang have a line`() async throws {
    let failing = try await ToolRun(["run"], files: specimen("failing"))
    #expect(failing.errors == "✗ counter/adds@stuck\n")
    let hanging = try await ToolRun(["run"], files: specimen("timingOut"))
    #expect(
      hanging.errors
        == "… counter/adds@stalling still runs after 0 s\n∞ counter/adds@stalling\n")
  }

  @Test func `without a terminal, there is a line for every 500 cases`() async throws {
    let script = """
      #!/bin/sh
      \(SampleJournal.commandsEndingACase)
      for i in 1 2 3 4 5 6 7 8 9; do cat "$CONTRACT_JOURNAL" > copy
        cat copy >> "$CONTRACT_JOURNAL"; done
      """
    let run = try await ToolRun(["run"], files: ["bin/swift": script])
    #expect(run.errors == "500 cases, 0 failed\n")
  }

  @Test func `the journal is the one that CONTRACT_JOURNAL names`() async throws {
    let folder = try ToolFolder(files: specimen("sound"))
    defer { folder.remove() }
    for _ in 1...2 {
      let run = try await ToolRun(["run"], in: folder, environment: ["CONTRACT_JOURNAL": "mine"])
      #expect(run.output.contains("\njournal: mine\n"), "\(run.output)")
    }
    #expect(try await ToolRun(["report"], in: folder).status == 66, "there is no latest journal")
    #expect(try await ToolRun(["report", "mine"], in: folder).status == 0)
  }

  @Test func `runs the selected cases only`() async throws {
    let run = try await ToolRun(
      ["run", "--only", "counter/adds", "--only", "!@sound", "--kind", "live"],
      files: specimen("sound"))
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("1 case · 1 passed · 0 failed"), "\(run.output)")
    let nothing = try await ToolRun(["run", "--only", "counter/nothing"], files: specimen("sound"))
    #expect(nothing.status == 1)
    #expect(nothing.output.contains("CONTRACT='counter/nothing' matches no case"))
  }

  @Test(
    arguments: [
      ("echo 'F.swift:1: error: no such thing'; exit 1", 1, "F.swift:1: error: no such thing"),
      ("echo 'no tests match'", 1, "no tests match"),
      ("kill -KILL $$", 137, ""),
      ("exit 42", 42, ""),
    ] as [(String, Int32, String)])
  func `a run without cases prints the output of swift test`(
    script: String, status: Int32, output: String
  ) async throws {
    let run = try await ToolRun(["run"], files: ["bin/swift": "#!/bin/sh\n\(script)\n"])
    #expect(run.status == status)
    #expect(run.output.hasPrefix(output))
    #expect(run.errors.contains("no case ran; see the log .build/contracts/20"))
  }

  @Test func `reports that swift is missing`() async throws {
    let run = try await ToolRun(["run"], environment: ["PATH": "/nowhere"])
    #expect(run.status == 127)
    #expect(run.output.contains("swift"))
  }

  @Test func `does not start a run if the log can't be written`() async throws {
    let run = try await ToolRun(["run"], files: [".build": "no folder"])
    #expect(run.status == 73)
    #expect(run.errors.contains("can't write the log .build/contracts/20"))
  }

  @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)] as [(String, Int32)])
  func `an interrupted run ends its child, prints the report and exits with the signal`(
    name: String, status: Int32
  ) async throws {
    let script = """
      #!/bin/sh
      trap 'echo ended > ended; exit 1' \(name)
      \(SampleJournal.commandsStartingACase)
      kill -\(name) $PPID
      while :; do sleep 0.05; done
      """
    let folder = try ToolFolder(files: ["bin/swift": script])
    defer { folder.remove() }
    let run = try await ToolRun(["run"], in: folder)
    #expect(run.status == status)
    #expect(run.errors.contains("interrupted by SIG\(name)"))
    #expect(run.output.contains("‼ things/first@fake"), "\(run.output)")
    #expect(
      FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("ended").path))
  }

  @Test func `a forwarded signal ends a child that does not handle it`() async throws {
    let script = "#!/bin/sh\nmkfifo gate\nkill -TERM $PPID\nread line < gate\n"
    let run = try await ToolRun(["run"], files: ["bin/swift": script])
    #expect(run.status == 143)
  }

  @Test func `prints a progress line and colours on a terminal`() async throws {
    let script = """
      #!/bin/sh
      \(SampleJournal.commandsStartingACase)
      read line < gate
      """
    let folder = try ToolFolder(files: ["bin/swift": script])
    defer { folder.remove() }
    let gate = folder.url.appendingPathComponent("gate").path
    #expect(mkfifo(gate, 0o600) == 0)
    let terminal = try Terminal()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ToolFolder.tool)
    process.arguments = ["run"]
    process.currentDirectoryURL = folder.url
    process.environment = folder.variables()
    process.standardOutput = terminal.side
    process.standardError = terminal.side
    let end = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in end.continuation.finish() }
    try process.run()
    try terminal.side.close()
    var shown = ""
    var isOpen = false
    for await text in terminal.output {
      shown += text
      if !isOpen, shown.contains("0 cases, 0 failed · "), shown.contains("things/first@fake") {
        isOpen = true
        try Data("go\n".utf8).write(to: URL(fileURLWithPath: gate))
      }
    }
    for await _ in end.stream {}
    #expect(isOpen, "\(shown)")
    #expect(shown.hasPrefix("\r\u{1B}[K"))
    #expect(shown.contains("\u{1B}[31m‼\u{1B}[0m"), "\(shown)")
    #expect(process.terminationStatus == 1)
  }
}

/// A pseudo-terminal (pty(7)).
private struct Terminal {
  /// The side that a program uses.
  let side: FileHandle

  /// The program's output, until it exits.
  let output: AsyncStream<String>

  init() throws {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var lock: CInt = 0
    var number: CInt = 0
    // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)): the Glibc module does not export the constants.
    guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0,
      ioctl(master, 0x8004_5430, &number) == 0
    else { throw CocoaError(.fileReadUnknown) }
    let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw CocoaError(.fileReadUnknown) }
    side = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    let (output, continuation) = AsyncStream<String>.makeStream()
    self.output = output
    Thread.detachNewThread {
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(master, &chunk, chunk.count)
        if count <= 0 { break }
        continuation.yield(String(decoding: chunk[..<count], as: UTF8.self))
      }
      close(master)
      continuation.finish()
    }
  }
}
