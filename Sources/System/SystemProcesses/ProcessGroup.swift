import CPlatform
import Foundation
import SystemLocks

/// A program and the processes that it starts, which end with this process, however it ends.
///
/// A shell waits for a byte, and then becomes the program, so that the program never runs without its
/// ``Lifeline``.
///
/// Processes that leave the group, as the sessions of PostgreSQL do and daemons, are found by their parents
/// and their environment on Linux: see ``ProcessTree``. Elsewhere they escape.
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
  private let tree: Mutex<ProcessTree>
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
    let marked = environment.merging([ProcessTree.variable: lifeline.mark]) { $1 }
    id = try Self.spawn(
      ["sh", "-c", Self.starter, "sh", folder] + command, marked, input: start.theirs,
      output: output)
    tree = Mutex(ProcessTree(leader: id, mark: lifeline.mark))
    // In this order, so that the guard knows the group before the program runs.
    lifeline.watch(id)
    start.send("\n")
    Thread.detachNewThread { [id, ending] in ending.record(exitOf: id) }
  }

  deinit { end() }

  /// Sends a signal to every process that the program started, unless ``end()`` was called. With SIGSTOP, it
  /// returns when all have stopped.
  ///
  /// - Returns: The ids of processes that it could not reach, such as those of another user.
  @discardableResult
  package func signal(_ signal: Int32) -> Set<pid_t> {
    isEnded.withLock { isEnded in
      guard !isEnded else { return [] }
      return tree.withLock { tree in
        if signal == SIGKILL { tree.kill() }
        kill(-id, signal)
        return switch signal {
        case SIGKILL: []
        case SIGSTOP: tree.stop()
        default: tree.signal(signal)
        }
      }
    }
  }

  /// Sends a signal only to the program, unless ``end()`` was called.
  package func signalLeader(_ signal: Int32) {
    isEnded.withLock { isEnded in
      guard !isEnded else { return }
      // Once the program has ended, its children have another parent.
      _ = tree.withLock { $0.members() }
      kill(id, signal)
    }
  }

  /// How the program ended, or `nil` while it runs.
  package var exit: Exit? { ending.exit }

  /// Waits until the program has ended; returns `nil` if it still runs after the limit.
  package func exit(within limit: Duration) async -> Exit? { await ending.exit(within: limit) }

  /// Kills what is left of the program's processes. Calling it again has no effect.
  package func end() {
    let isFirst = isEnded.withLock { isEnded in
      guard !isEnded else { return false }
      isEnded = true
      tree.withLock { _ = $0.kill() }
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

  /// Waits until the killed processes have released their ports and files, at most 5 s.
  ///
  /// Only the program is a child of this process. The others are waited for by asking whether they exist.
  private func awaitEmptyGroup() {
    let deadline = ContinuousClock.now + .seconds(5)
    while kill(-id, 0) == 0, ContinuousClock.now < deadline { usleep(500) }
    tree.withLock { tree in
      tree.leader = 0
      while tree.kill(), ContinuousClock.now < deadline { usleep(500) }
    }
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
