import CPlatform
import Dispatch
package import Foundation
import SystemLocks
package import Testing

/// Another process of the same test program, which runs one test function.
///
/// The process gets its own temporary folder, and prints to a file. It has the environment of this
/// process, without the variables that select cases and name the journal.
package final class TestProcess: Sendable {
  /// How a process ended.
  package struct End: Sendable {
    /// The signal that ended it, or `nil` if it exited.
    package var signal: Int32?
    /// The status with which it exited, 0 after a signal.
    package var status: Int32
  }

  private let completion: Completion
  private let id: pid_t
  private let outputFile: URL

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - test: The test function to run.
  ///   - folder: An existing folder for the process's output and temporary files.
  ///   - environment: Variables to add.
  ///   - input: The standard input, which this process closes; by default an empty one.
  /// - Throws: ``StartError``.
  package init(
    running test: Test, in folder: URL, environment: [String: String], input: FileHandle? = nil
  ) throws {
    defer { try? input?.close() }
    outputFile = folder.appendingPathComponent("output.txt")
    // What a test prints can be private, so only this user may read it.
    let output = open(outputFile.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw StartError(action: "create \(outputFile.path)", code: errno) }
    defer { close(output) }
    guard let executable = Bundle.main.executablePath else {
      throw StartError(action: "find this process's program", code: ENOENT)
    }
    var process: pid_t = 0
    let code = withCStrings(Self.arguments(filter: RerunCommand.filter(for: test))) { arguments in
      withCStrings(Self.variables(adding: environment, in: folder)) { variables in
        platform_spawn(
          &process, executable, arguments, variables, input?.fileDescriptor ?? -1, output)
      }
    }
    guard code == 0 else { throw StartError(action: "start \(executable)", code: code) }
    id = process
    completion = Completion(of: process)
  }

  /// The process cannot be started.
  package struct StartError: Error, CustomStringConvertible {
    var action: String
    /// The system's error number (errno(3)).
    var code: Int32

    package var description: String { "can't \(action): \(String(cString: strerror(code)))" }
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
    completion.ifRunning { _ = Foundation.kill(id, SIGKILL) }
  }

  /// Blocks the thread until the process has ended.
  package func waitUntilEnd() -> End { completion.wait() }

  /// The last 64 KiB of what the process printed.
  package var output: String {
    guard let data = try? Data(contentsOf: outputFile) else { return "" }
    return String(decoding: data.suffix(65_536), as: UTF8.self)
  }

  /// This process's variables as `NAME=value`, without those that select cases and name the journal.
  private static func variables(adding added: [String: String], in folder: URL) -> [String] {
    var variables = ProcessInfo.processInfo.environment
    for name in ["CONTRACT", "CONTRACT_KIND", "CONTRACT_SHARD", "CONTRACT_JOURNAL"] {
      variables[name] = nil
    }
    variables["SWIFT_BACKTRACE"] = "enable=no"
    // A killed process can't remove its temporary files; they go with the folder.
    variables["TMPDIR"] = folder.path
    return variables.merging(added) { $1 }.map { "\($0)=\($1)" }
  }

  /// This process's arguments with another filter, and without options that write reports.
  private static func arguments(filter: String) -> [String] {
    let dropped: Set = [
      "--filter", "--skip", "--xunit-output", "--event-stream-output-path",
      "--experimental-event-stream-output", "--configuration-path", "--repetitions",
      "--attachments-path", "--experimental-attachments-path", "--testing-library",
      "--event-stream-output",
    ]
    var kept: [String] = [CommandLine.arguments[0]]
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

  init(of process: pid_t) {
    (stream, continuation) = AsyncStream<Void>.makeStream()
    Thread.detachNewThread { self.complete(process) }
  }

  private func complete(_ process: pid_t) {
    _ = platform_wait_for_exit(process)
    end.withLock {
      var signal: Int32 = 0
      let status = platform_exit_of(process, &signal)
      $0 = .init(signal: signal == 0 ? nil : signal, status: status)
    }
    semaphore.signal()
    continuation.finish()
  }

  func wait() -> TestProcess.End {
    semaphore.wait()
    defer { semaphore.signal() }
    return end.withLock { $0 } ?? .init(status: 0)
  }

  /// Calls a function while the process's id can't belong to another one.
  func ifRunning(_ body: () -> Void) {
    end.withLock { if $0 == nil { body() } }
  }
}

/// Calls a function with C strings and a null pointer after the last.
func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
