#if os(macOS) || os(Linux) || os(Windows)
  import Dispatch
  package import Foundation
  import SystemLocks
  package import Testing

  /// Another process of the same test program, which runs one test function.
  ///
  /// The process gets its own temporary folder, and prints to a file. It has the environment of
  /// this process, without the variables that select cases and name the journal.
  package final class TestProcess: Sendable {
    /// How a process ended.
    package struct End: Sendable {
      /// The signal that ended it, or `nil` if it exited.
      package var signal: Int32?
      /// The status with which it exited, 0 after a signal.
      package var status: Int32
    }

    private let completion: Completion
    private let id: Int32
    private let outputFile: URL

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - test: The test function to run.
    ///   - folder: An existing folder for the process's output and temporary files.
    ///   - environment: Variables to add.
    ///   - input: The standard input, which this process closes; by default the null device.
    /// - Throws: An error of Foundation if the process cannot be started.
    package init(
      running test: Test, in folder: URL, environment: [String: String], input: FileHandle? = nil
    ) throws {
      outputFile = folder.appendingPathComponent("output.txt")
      _ = FileManager.default.createFile(atPath: outputFile.path, contents: nil)
      let output = try FileHandle(forWritingTo: outputFile)
      defer {
        try? output.close()
        try? input?.close()
      }
      let process = Process()
      process.executableURL = try Self.executable()
      process.arguments = Self.arguments(filter: RerunCommand.filter(for: test))
      var variables = ProcessInfo.processInfo.environment
      for name in ["CONTRACT", "CONTRACT_KIND", "CONTRACT_SHARD", "CONTRACT_JOURNAL"] {
        variables[name] = nil
      }
      variables["SWIFT_BACKTRACE"] = "enable=no"
      // A killed process can't remove its temporary files; they go with the folder.
      variables["TMPDIR"] = folder.path
      process.environment = variables.merging(environment) { $1 }
      process.standardInput = input ?? FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = output
      let completion = Completion()
      self.completion = completion
      process.terminationHandler = { completion.complete($0) }
      try process.run()
      id = process.processIdentifier
    }

    /// Waits until the process has ended.
    ///
    /// - Returns: `false` if it still runs after the time limit.
    func ends(within limit: Duration) async -> Bool {
      await TimeLimit(limit).run { [completion] in
        for await _ in completion.stream {}
      }
    }

    /// Kills the process if it still runs.
    package func kill() {
      completion.ifRunning { [id] in _ = Foundation.kill(id, SIGKILL) }
    }

    /// Blocks the thread until the process has ended.
    package func waitUntilEnd() -> End { completion.wait() }

    /// The last 64 KiB of what the process printed.
    package var output: String {
      guard let data = try? Data(contentsOf: outputFile) else { return "" }
      return String(decoding: data.suffix(65_536), as: UTF8.self)
    }

    private static func executable() throws -> URL {
      #if os(Linux)
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      #else
        guard let url = Bundle.main.executableURL else { throw CocoaError(.fileNoSuchFile) }
        return url
      #endif
    }

    /// This process's arguments with another filter, and without options that write reports.
    private static func arguments(filter: String) -> [String] {
      let dropped: Set = [
        "--filter", "--skip", "--xunit-output", "--event-stream-output-path",
        "--experimental-event-stream-output", "--configuration-path", "--repetitions",
        "--attachments-path", "--experimental-attachments-path", "--testing-library",
        "--event-stream-output",
      ]
      var kept: [String] = []
      var rest = CommandLine.arguments.dropFirst()[...]
      while let argument = rest.popFirst() {
        if dropped.contains(argument) {
          _ = rest.popFirst()
        } else if !dropped.contains(where: { argument.hasPrefix($0 + "=") }) {
          kept.append(argument)
        }
      }
      return kept + ["--testing-library", "swift-testing", "--filter", filter]
    }
  }

  /// The end of a process, for tasks and threads that wait for it.
  private final class Completion: Sendable {
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let semaphore = DispatchSemaphore(value: 0)
    private let end = Mutex<TestProcess.End?>(nil)

    init() { (stream, continuation) = AsyncStream<Void>.makeStream() }

    func complete(_ process: Process) {
      let isSignal = process.terminationReason == .uncaughtSignal
      let status = process.terminationStatus
      end.withLock { $0 = .init(signal: isSignal ? status : nil, status: isSignal ? 0 : status) }
      semaphore.signal()
      continuation.finish()
    }

    func wait() -> TestProcess.End {
      semaphore.wait()
      defer { semaphore.signal() }
      return end.withLock { $0 } ?? .init(status: 0)
    }

    /// The id of an ended process may belong to another one.
    func ifRunning(_ body: () -> Void) {
      end.withLock { if $0 == nil { body() } }
    }
  }
#endif
