import CPlatform
import Foundation
internal import HarnessSupport
import SystemProcesses

/// A process of the test program that runs cases by name, one after the other.
///
/// Use it from one thread.
final class CaseServerProcess {
  /// How to start the processes.
  struct Program: Sendable {
    /// The test program.
    var path: String
    /// The folder to run in: the copy of the package.
    var folder: String
    /// A regular expression of the tests that have cases.
    var filter: String
    /// The value of `CONTRACT`, which selects cases.
    var selection: String
    /// How much address space a process may have, in bytes.
    var memoryLimit: UInt64
    /// The folder in which each process has one for its temporary files, or `nil` for the system's.
    var temporaryFolder: String?
    /// Whether the process runs cases by name; otherwise it runs the tests of the filter once.
    var servesCases = true
    /// More variables, and whether tests run one after the other.
    var request: [String: String] = [:]
  }

  typealias Line = CaseServerLine

  /// Why there is no next line.
  enum Silence: Error, Equatable, CustomStringConvertible {
    /// The process ended: by a signal, or with a status if the signal is `nil`.
    case ended(signal: Int32?, status: Int32)
    /// It said nothing for this long.
    case timedOut

    var description: String {
      switch self {
      case .ended(let signal?, _): "ended with signal \(signal)"
      case .ended(nil, let status): "ended with exit status \(status)"
      case .timedOut: "did not end in time"
      }
    }
  }

  private let socket: CInt
  private var process: pid_t
  private var buffer = LineBuffer()
  private var isEnded = false
  private let outputPath: String

  /// How many bytes of the output ``nextLines()`` has returned.
  private var readOutput: UInt64 = 0

  /// The process's own folder of temporary files, which is removed at its end: a mutant that crashes
  /// or hangs leaves what it has written.
  private let temporaryFolder: String?
  /// Kills the process and its group when this process dies; a process that serves cases ends by itself.
  private let lifeline: Lifeline?
  /// The processes that tests have started, which may be in groups of their own.
  private var tree: ProcessTree?

  /// The longest file that a process writes, in blocks of 512 bytes: 256 MiB. A mutant that writes
  /// without end would fill the disk, or the memory.
  private static let longestFile = 1 << 19

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - state: The mutants' switches, or `nil` to name the tests that have cases.
  ///   - name: A name for its files.
  /// - Throws: ``MutationError`` if it can't be started.
  init(_ program: Program, state: SwitchState?, folder: String, name: String)
    throws(MutationError)
  {
    var sockets: [CInt] = [0, 0]
    guard platform_connected_sockets(&sockets) == 0 else {
      throw MutationError("can't create sockets: \(String(cString: strerror(errno)))")
    }
    socket = sockets[0]
    outputPath = "\(folder)/\(name).log"
    temporaryFolder = program.temporaryFolder.map { "\($0)/\(name)" }
    do throws(ProcessGroup.StartError) {
      lifeline = program.servesCases ? nil : try Lifeline(removing: temporaryFolder ?? "")
    } catch {
      close(sockets[0])
      close(sockets[1])
      throw MutationError("can't guard \(program.path): \(error)")
    }
    let output = open(outputPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer {
      close(sockets[1])
      close(output)
    }
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CONTRACT") }
    variables["SWIFT_BACKTRACE"] = "enable=no"
    // Swift Testing records the stack of each thrown error, which takes a third of the time of the
    // cases. The judge needs only the messages.
    variables["SWT_SWIFT_ERROR_BACKTRACING_ENABLED"] = "0"
    if program.servesCases {
      variables["CONTRACT"] = program.selection
      variables["CONTRACT_CASE_SERVER"] = String(program.memoryLimit)
    }
    if let temporaryFolder {
      try? FileManager.default.createDirectory(
        atPath: temporaryFolder, withIntermediateDirectories: true)
      variables["TMPDIR"] = temporaryFolder
    }
    variables.merge(program.request) { $1 }
    if let lifeline { variables[ProcessTree.variable] = lifeline.mark }
    if let state {
      variables[SwitchSource.variable] = state.path
    } else {
      variables["CONTRACT_CASE_SERVER_TESTS"] = "1"
    }
    // The program's own folder: tests look for files relative to it.
    let arguments =
      [
        "/bin/sh", "-c", "ulimit -f \(Self.longestFile); cd \"$0\" && exec \"$@\"", program.folder,
        program.path,
        "--testing-library", "swift-testing", "--filter", program.filter,
      ]
      + (program.request.isEmpty ? [] : ["--no-parallel"])
    process = 0
    let code = withCStrings(arguments) { arguments in
      withCStrings(variables.map { "\($0)=\($1)" }) { variables in
        let spawn = lifeline == nil ? platform_spawn : platform_spawn_leader
        return spawn(&process, "/bin/sh", arguments, variables, sockets[1], output)
      }
    }
    guard code == 0 else {
      // Otherwise the deinitializer would kill the group 0, which is this process's own.
      isEnded = true
      throw MutationError("can't start \(program.path): \(String(cString: strerror(code)))")
    }
    lifeline?.watch(process)
    tree = lifeline.map { ProcessTree(leader: process, mark: $0.mark) }
  }

  deinit {
    end()
    close(socket)
  }

  /// Sends a command.
  func send(_ cases: [String]) {
    // A process that has ended is found by the next call of `line(within:)`.
    let bytes = Array((cases.joined(separator: " ") + "\n").utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// The next line.
  ///
  /// - Parameter limit: How long the process may be silent, in seconds. Time in which it only waits
  ///   for a processor does not count: a busy machine must not turn a slow case into one that hangs.
  func line(within limit: Double) throws(Silence) -> Line {
    var rest = limit
    var clock = SilenceClock(of: process)
    while true {
      if let text = buffer.next() {
        if let line = Line(text) { return line }
        continue
      }
      guard rest > 0 else { throw .timedOut }
      var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      let slice = min(rest, SilenceClock.slice)
      // A process that the case left behind may hold the socket open after the server's end.
      if Foundation.poll(&poll, 1, Int32((1_000 * slice).rounded(.up))) > 0 {
        try readMore()
      } else if hasEnded() {
        throw waitForEnd()
      } else {
        rest -= clock.advance()
      }
    }
  }

  private func readMore() throws(Silence) {
    guard buffer.fill(from: socket) else { throw waitForEnd() }
  }

  private func hasEnded() -> Bool {
    var info = siginfo_t()
    let flags = WEXITED | WNOHANG | WNOWAIT
    return waitid(P_PID, id_t(process), &info, flags) == 0 && info.si_signo != 0
  }

  private func waitForEnd() -> Silence {
    guard !isEnded else { return .ended(signal: nil, status: 0) }
    isEnded = true
    var signal: Int32 = 0
    _ = platform_wait_for_exit(process)
    // A program of a mutant may compute without end.
    tree?.kill()
    let status = platform_exit_of(process, &signal)
    if let temporaryFolder { try? FileManager.default.removeItem(atPath: temporaryFolder) }
    lifeline?.dismiss()
    return .ended(signal: signal == 0 ? nil : signal, status: status)
  }

  /// Ends the connection in this direction, as the end of this process would.
  func hangUp() { shutdown(socket, CInt(SHUT_WR)) }

  /// Kills the process.
  func end() {
    guard !isEnded else { return }
    tree?.kill()
    tree = nil
    kill(lifeline == nil ? process : -process, SIGKILL)
    _ = waitForEnd()
  }

  /// Waits until the process closes its socket, and returns all its lines.
  func allLines(within limit: Double) throws(Silence) -> [Line] {
    var lines: [Line] = []
    while true {
      do throws(Silence) {
        lines.append(try line(within: limit))
      } catch {
        if case .ended(nil, _) = error { return lines }
        throw error
      }
    }
  }

  /// The end of what the process printed.
  var output: String {
    let data = FileManager.default.contents(atPath: outputPath) ?? Data()
    return String(decoding: data.suffix(4_000), as: UTF8.self)
  }

  /// The next complete lines of what the process prints, of at most 1 MiB: a mutant may print without end.
  func nextLines() -> String {
    guard let file = FileHandle(forReadingAtPath: outputPath),
      (try? file.seek(toOffset: readOutput)) != nil,
      let data = try? file.read(upToCount: 1 << 20),
      let end = data.lastIndex(of: UInt8(ascii: "\n"))
    else { return "" }
    readOutput += UInt64(end - data.startIndex + 1)
    return String(decoding: data[...end], as: UTF8.self)
  }
}
