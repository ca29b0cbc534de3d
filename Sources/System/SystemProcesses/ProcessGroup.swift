import CPlatform
import Foundation
import SystemLocks

/// A program and the processes that it starts, which end with this process, however it ends.
///
/// Two shells stand by. One waits for a byte, and then becomes the program, so that the program never
/// runs without a guard. The other is the guard: it waits for the end of a pipe that only this process
/// holds. When this process dies, even of SIGKILL, the guard kills the group and removes the folder.
///
/// A program that leaves its group, such as a daemon, escapes both. Run servers in the foreground.
package final class ProcessGroup: Sendable {
  /// How the program ended.
  package struct Exit: Hashable, Sendable, CustomStringConvertible {
    /// The signal that ended it, or `nil` if it exited.
    package var signal: Int32?
    /// The status with which it exited, 0 after a signal.
    package var status: Int32

    package var description: String {
      signal.map { "was ended by signal \($0)" } ?? "exited with status \(status)"
    }
  }

  /// A process can't be started.
  package struct StartError: Error, CustomStringConvertible {
    var action: String
    /// The system's error number (errno(3)).
    var code: Int32

    package var description: String { "can't \(action): \(String(cString: strerror(code)))" }
  }

  /// The process id of the program and the id of its group.
  package let id: pid_t

  private let guardian: pid_t
  /// The writing end of the guard's pipe.
  private let lifeline: Int32
  /// The thread that waits for the program holds this alone, so that a group which nothing holds any more
  /// ends its program.
  private let ending = ProcessEnding()
  private let isEnded = Mutex(false)

  /// Becomes the program when a byte arrives, and exits if none comes.
  private static let starter =
    "read -r _ || exit 125; cd \"$1\" || exit 126; shift; exec \"$@\" </dev/null"

  /// Learns the group, waits for the end of its input, kills the group and removes the folder.
  private static let guarding =
    "read -r group || exit 0; read -r _; kill -s KILL -- \"-$group\"; rm -rf -- \"$1\""

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program's path or name, and its arguments.
  ///   - folder: The working directory.
  ///   - removed: A folder that the guard removes if this process ends without ``end()``.
  ///   - environment: The variables.
  ///   - output: An open file for the standard output and error.
  /// - Throws: ``StartError``.
  package init(
    _ command: [String], in folder: String, removing removed: String,
    environment: [String: String], output: Int32
  ) throws(StartError) {
    let lifeline = try Pipe()
    defer { lifeline.closeReadingEnd() }
    let start = try Pipe()
    defer { start.close() }
    let variables = environment.map { "\($0)=\($1)" }
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    guardian = try Self.spawn(
      ["sh", "-c", Self.guarding, "sh", removed], variables, input: lifeline.reading, output: null)
    do throws(StartError) {
      id = try Self.spawn(
        ["sh", "-c", Self.starter, "sh", folder] + command, variables, input: start.reading,
        output: output)
    } catch {
      // The guard learns no group, and exits.
      Foundation.close(lifeline.writing)
      var signal: Int32 = 0
      _ = platform_exit_of(guardian, &signal)
      throw error
    }
    self.lifeline = lifeline.writing
    // In this order, so that the guard knows the group before the program runs.
    Self.write("\(id)\n", to: lifeline.writing)
    Self.write("\n", to: start.writing)
    Thread.detachNewThread { [id, ending] in ending.record(exitOf: id) }
  }

  deinit { end() }

  /// Sends a signal to every process of the group, unless ``end()`` was called.
  package func signal(_ signal: Int32) {
    isEnded.withLock { if !$0 { kill(-id, signal) } }
  }

  /// Sends a signal to the program alone, unless ``end()`` was called.
  package func signalLeader(_ signal: Int32) {
    isEnded.withLock { if !$0 { kill(id, signal) } }
  }

  /// How the program ended, or `nil` while it runs.
  package var exit: Exit? { ending.exit }

  /// Waits until the program has ended; returns `nil` if it still runs after the limit.
  package func exit(within limit: Duration) async -> Exit? { await ending.exit(within: limit) }

  /// Kills what is left of the group, and dismisses the guard. Calling it again has no effect.
  package func end() {
    let isFirst = isEnded.withLock { isEnded in
      guard !isEnded else { return false }
      isEnded = true
      // The ended program keeps the group's id from being used again until it is reaped below.
      kill(-id, SIGKILL)
      kill(guardian, SIGKILL)
      return true
    }
    guard isFirst else { return }
    ending.wait()
    var signal: Int32 = 0
    _ = platform_exit_of(id, &signal)
    _ = platform_exit_of(guardian, &signal)
    close(lifeline)
    awaitEmptyGroup()
  }

  /// Waits until the killed processes of the group have released their ports and files, at most 1 s.
  ///
  /// Only the program is a child of this process. The others are waited for by asking whether the group
  /// exists.
  private func awaitEmptyGroup() {
    let deadline = ContinuousClock.now + .seconds(1)
    while kill(-id, 0) == 0, ContinuousClock.now < deadline { usleep(500) }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    _ = text.withCString { Foundation.write(descriptor, $0, strlen($0)) }
  }

  private static func spawn(
    _ arguments: [String], _ variables: [String], input: Int32, output: Int32
  ) throws(StartError) -> pid_t {
    var process: pid_t = 0
    let code = withCStrings(arguments) { arguments in
      withCStrings(variables) { variables in
        platform_spawn_leader(&process, "/bin/sh", arguments, variables, input, output)
      }
    }
    guard code == 0 else { throw StartError(action: "start /bin/sh", code: code) }
    return process
  }
}

/// A pipe whose ends other programs don't inherit.
private struct Pipe {
  var reading: Int32
  var writing: Int32

  init() throws(ProcessGroup.StartError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ProcessGroup.StartError(action: "make a pipe", code: errno)
    }
    // A program that another thread starts between the two calls inherits the ends. It would hold the
    // lifeline, but only until it ends itself.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  func closeReadingEnd() { Foundation.close(reading) }

  func close() {
    Foundation.close(reading)
    Foundation.close(writing)
  }
}

/// Calls a function with C strings and a null pointer after the last.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
