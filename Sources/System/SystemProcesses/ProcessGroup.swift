import CPlatform
import Foundation
import SystemLocks

/// A program and the processes that it starts, which end with this process, however it ends.
///
/// A shell waits for a byte, and then becomes the program, so that the program never runs without its
/// ``Lifeline``.
///
/// A program that leaves its group, such as a daemon, escapes. Run servers in the foreground.
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

  private let lifeline: Lifeline
  /// Whether the lifeline ends with the group.
  private let ownsLifeline: Bool
  /// The thread that waits for the program retains only this object, and not the group. A group that nothing
  /// else retains can then end its program.
  private let ending = ProcessEnding()
  private let isEnded = Mutex(false)

  /// Becomes the program when a byte arrives, and exits if none comes.
  private static let starter =
    "read -r _ || exit 125; cd \"$1\" || exit 126; shift; exec \"$@\" </dev/null"

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program's path or name, and its arguments.
  ///   - folder: The working directory.
  ///   - removed: A folder that is removed if this process ends without ``end()``.
  ///   - environment: The variables.
  ///   - output: An open file for the standard output and error.
  /// - Throws: ``StartError``.
  package convenience init(
    _ command: [String], in folder: String, removing removed: String,
    environment: [String: String], output: Int32
  ) throws(StartError) {
    try self.init(
      command, in: folder, environment: environment, output: output,
      lifeline: try Lifeline(removing: removed), ownsLifeline: true)
  }

  /// Starts a program that a lifeline guards, which must not guard another one.
  package convenience init(
    _ command: [String], in folder: String, guardedBy lifeline: Lifeline,
    environment: [String: String], output: Int32
  ) throws(StartError) {
    try self.init(
      command, in: folder, environment: environment, output: output, lifeline: lifeline,
      ownsLifeline: false)
  }

  private init(
    _ command: [String], in folder: String, environment: [String: String], output: Int32,
    lifeline: Lifeline, ownsLifeline: Bool
  ) throws(StartError) {
    self.lifeline = lifeline
    self.ownsLifeline = ownsLifeline
    let start = try Connection()
    defer { start.close() }
    id = try Self.spawn(
      ["sh", "-c", Self.starter, "sh", folder] + command, environment, input: start.theirs,
      output: output)
    // In this order, so that the guard knows the group before the program runs.
    lifeline.watch(id)
    start.send("\n")
    Thread.detachNewThread { [id, ending] in ending.record(exitOf: id) }
  }

  deinit { end() }

  /// Sends a signal to every process of the group, unless ``end()`` was called.
  package func signal(_ signal: Int32) {
    isEnded.withLock { if !$0 { kill(-id, signal) } }
  }

  /// Sends a signal only to the program, unless ``end()`` was called.
  package func signalLeader(_ signal: Int32) {
    isEnded.withLock { if !$0 { kill(id, signal) } }
  }

  /// How the program ended, or `nil` while it runs.
  package var exit: Exit? { ending.exit }

  /// Waits until the program has ended; returns `nil` if it still runs after the limit.
  package func exit(within limit: Duration) async -> Exit? { await ending.exit(within: limit) }

  /// Kills what is left of the group. Calling it again has no effect.
  package func end() {
    let isFirst = isEnded.withLock { isEnded in
      guard !isEnded else { return false }
      isEnded = true
      // The ended program keeps the group's id from being used again until it is reaped below.
      kill(-id, SIGKILL)
      return true
    }
    guard isFirst else { return }
    ending.wait()
    // The guard must not kill a group that has the id next.
    lifeline.watch(nil)
    var signal: Int32 = 0
    _ = platform_exit_of(id, &signal)
    if ownsLifeline { lifeline.dismiss() }
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

  static func spawn(
    _ arguments: [String], _ environment: [String: String], input: Int32, output: Int32
  ) throws(StartError) -> pid_t {
    let variables = environment.map { "\($0)=\($1)" }
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

/// Calls a function with C strings and a null pointer after the last.
package func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
