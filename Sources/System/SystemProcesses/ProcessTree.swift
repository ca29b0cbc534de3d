import Foundation

/// The processes that a program started, also those that left its group or session.
///
/// A process belongs to the tree if its parent, group or session does, or if it inherited the tree's mark,
/// a variable of the environment: that is how a daemon is found whose parent has ended. Those that were
/// found once stay members. The guards of trees inside this one are no members: when their tree's owner has died,
/// each ends its own tree, whose processes may have overwritten what marks them. It needs /proc; elsewhere the tree
/// has no members.
///
/// Source: proc(5), the files stat and environ.
package struct ProcessTree {
  /// The name of the variable that every process of a tree inherits.
  package static let variable = "CONTRACT_PROCESS_TREE"
  /// The variable of a guard and of the programs that it starts: see ``Lifeline``.
  static let guardVariable = "CONTRACT_PROCESS_GUARD"

  /// The program; 0 once it is reaped, because its id may then be another process's.
  var leader: pid_t
  let mark: String
  /// The members found so far, with the times at which they started: an id may be used again.
  private var known: [pid_t: UInt64] = [:]

  package init(leader: pid_t, mark: String) {
    self.leader = leader
    self.mark = mark
  }

  private struct Line {
    var id: pid_t
    var isRunning: Bool
    var isStopped: Bool
    /// The ids of parent, group and session.
    var others: [pid_t]
    /// The time after the system's start, in ticks of the clock.
    var started: UInt64

    init?(_ process: pid_t) { self.init(process, of: "/proc/\(process)/stat") }

    /// Reads the file of a process or of one of its threads.
    init?(_ process: pid_t, of file: String) {
      guard let data = FileManager.default.contents(atPath: file) else { return nil }
      // The program's name, in brackets, may contain anything. A number may be negative, such as a group's id.
      let fields = data.withUnsafeBytes { bytes -> [(first: UInt8, value: Int64)] in
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return [] }
        var fields: [(first: UInt8, value: Int64)] = []
        var isNew = true
        // Every process is read whenever a server ends, so this is byte by byte: without optimization, splitting
        // strings takes several times as long as reading the file.
        for index in (end + 1)..<bytes.count where fields.count < 21 {
          let byte = bytes[index]
          if byte == UInt8(ascii: " ") {
            isNew = true
          } else if isNew {
            isNew = false
            fields.append((byte, 0))
          }
          if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            let last = fields.count - 1
            fields[last].value = fields[last].value &* 10 &+ Int64(byte - UInt8(ascii: "0"))
          }
        }
        return fields
      }
      guard fields.count > 19 else { return nil }
      id = process
      let state = fields[0].first
      isRunning = state != UInt8(ascii: "Z") && state != UInt8(ascii: "X")
      isStopped = state == UInt8(ascii: "T") || state == UInt8(ascii: "t")
      others = fields[1...3].map {
        $0.first == UInt8(ascii: "-") ? -1 : pid_t(truncatingIfNeeded: $0.value)
      }
      started = UInt64(bitPattern: fields[19].value)
    }
  }

  /// Finds the ids of the running processes, the leader among them.
  mutating func members() -> Set<pid_t> {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else {
      return []
    }
    let lines = names.compactMap { pid_t($0).flatMap { Line($0) } }
    let entry = Data("\(Self.variable)=\(mark)".utf8)
    let guardEntry = Data("\(Self.guardVariable)=".utf8)
    var found = Set(lines.filter { known[$0.id] == $0.started || $0.id == leader }.map(\.id))
    var guards: Set<pid_t> = []
    for line in lines where !found.contains(line.id) {
      // Those of another user can't be read, and are found by their parents.
      let variables = FileManager.default.contents(atPath: "/proc/\(line.id)/environ")
      if variables?.range(of: guardEntry) != nil {
        guards.insert(line.id)
      } else if variables?.range(of: entry) != nil {
        found.insert(line.id)
      }
    }
    var count = 0
    while count < found.count {
      count = found.count
      for line in lines
      where !guards.contains(line.id) && line.others.contains(where: { found.contains($0) }) {
        found.insert(line.id)
      }
    }
    for line in lines where found.contains(line.id) { known[line.id] = line.started }
    return Set(lines.lazy.filter { $0.isRunning && found.contains($0.id) }.map(\.id))
  }

  /// Sends a signal to every member, and to those that were started meanwhile, until there is no other.
  ///
  /// - Returns: The members that could not be reached, such as those of another user.
  @discardableResult
  mutating func signal(_ signal: Int32) -> Set<pid_t> {
    var done: Set<pid_t> = []
    var refused: Set<pid_t> = []
    while true {
      let new = members().subtracting(done)
      guard !new.isEmpty else { return refused }
      for process in new where Foundation.kill(process, signal) != 0 && errno == EPERM {
        refused.insert(process)
      }
      done.formUnion(new)
    }
  }

  /// Stops every member, and waits until all of its threads have stopped, at most 5 s: a signal takes effect when
  /// the thread runs the next time, and until then it may answer somebody.
  ///
  /// - Returns: The members that did not stop, such as those of another user.
  mutating func stop() -> Set<pid_t> {
    let refused = signal(SIGSTOP)
    let deadline = ContinuousClock.now + .seconds(5)
    var running = members().subtracting(refused)
    while true {
      running = running.filter { !Self.isStopped($0) }
      if running.isEmpty { return refused }
      if ContinuousClock.now >= deadline { return refused.union(running) }
      // The kernel reports a stop only to the parent.
      usleep(500)
    }
  }

  /// Whether every thread of a process has stopped or ended.
  private static func isStopped(_ process: pid_t) -> Bool {
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
    return (threads ?? []).allSatisfy { thread in
      let line = Line(process, of: "/proc/\(process)/task/\(thread)/stat")
      return line.map { $0.isStopped || !$0.isRunning } ?? true
    }
  }

  /// Kills every member. All are stopped first, so that none starts another or loses its parent.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package mutating func kill() -> Bool {
    signal(SIGSTOP)
    let all = members()
    for process in all { Foundation.kill(process, SIGKILL) }
    return !all.isEmpty
  }
}
