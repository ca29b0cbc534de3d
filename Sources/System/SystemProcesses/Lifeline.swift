import CPlatform
import Foundation
import SystemLocks

/// Kills the processes of a program and removes a folder when this process dies, however it ends.
///
/// A shell stands by: the guard. It waits for the end of a connection that only this process holds.
/// When this process dies, even of SIGKILL, the guard kills the group that it knows, every process that
/// descends from it or has the lifeline's mark, and removes the folder. Make the lifeline before the folder, and dismiss
/// it after the folder is removed, so that there is no moment at which the folder would stay.
package final class Lifeline: Sendable {
  /// The value of the variable that the guarded processes inherit.
  package let mark = UUID().uuidString

  private let guardian: pid_t
  private let connection: Connection
  private let isDismissed = Mutex(false)

  /// Waits for lines, of which the last one is the group, or empty for none. A process that was
  /// just killed may still have made a file while the folder was removed, so that is tried twice.
  ///
  /// The processes are stopped before they are killed, until a look at /proc shows no other one: as
  /// ``ProcessTree`` does, which needs this process. Like that, it leaves other guards alone.
  private static let guarding = """
    while read -r line; do group=$line; done
    look() {
      for file in $(grep -l -s "\(ProcessTree.variable)=$2" /proc/[0-9]*/environ); do
        file=${file#/proc/}; add "${file%/environ}"
      done
      for file in /proc/[0-9]*/stat; do
        read -r line 2>/dev/null <"$file" || continue
        rest=${line##*) }
        set -- $rest
        case " $all " in *" $2 "*|*" $3 "*|*" $4 "*) add "${line%% *}";; esac
      done
    }
    add() {
      case " $all " in *" $1 "*) return;; esac
      if grep -q -s "\(ProcessTree.guardVariable)=" "/proc/$1/environ"; then return; fi
      all="$all $1"; kill -s STOP "$1" 2>/dev/null
    }
    if [ -n "$group" ]; then
      all=$group
      kill -s STOP -- "-$group" 2>/dev/null
      known=
      while [ "$all" != "$known" ]; do known=$all; look "$1" "$2"; done
      kill -s KILL -- "-$group" 2>/dev/null
      for process in $all; do kill -s KILL "$process" 2>/dev/null; done
    fi
    rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }
    """

  /// Starts the guard.
  ///
  /// - Parameter folder: A folder to remove, which need not exist.
  /// - Throws: ``ProcessGroup/StartError``.
  package init(removing folder: String) throws(ProcessGroup.StartError) {
    connection = try Connection()
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    do throws(ProcessGroup.StartError) {
      guardian = try ProcessGroup.spawn(
        ["sh", "-c", Self.guarding, "sh", folder, mark],
        ProcessInfo.processInfo.environment.merging([ProcessTree.guardVariable: "1"]) { $1 },
        input: connection.theirs, output: null)
    } catch {
      connection.close()
      throw error
    }
    connection.closeTheirs()
  }

  deinit { dismiss() }

  /// Sets the group to kill, if any.
  package func watch(_ group: pid_t?) { connection.send("\(group.map(String.init) ?? "")\n") }

  /// Ends the guard, which then kills and removes nothing. Calling it again has no effect.
  package func dismiss() {
    let isFirst = isDismissed.withLock { isDismissed in
      defer { isDismissed = true }
      return !isDismissed
    }
    guard isFirst else { return }
    kill(guardian, SIGKILL)
    var signal: Int32 = 0
    _ = platform_exit_of(guardian, &signal)
    connection.closeOurs()
  }
}

/// A connection to a program that is about to start. Other programs don't inherit its ends.
struct Connection: Sendable {
  let ours: Int32
  /// The program's standard input.
  let theirs: Int32

  init() throws(ProcessGroup.StartError) {
    var ends: [Int32] = [-1, -1]
    guard platform_connected_sockets(&ends) == 0 else {
      throw ProcessGroup.StartError(action: "make a connection", code: errno)
    }
    (ours, theirs) = (ends[0], ends[1])
  }

  /// Sends a short text. If the program has ended, nothing happens.
  func send(_ text: String) {
    _ = text.withCString { platform_send(ours, $0, strlen($0)) }
  }

  func closeOurs() { Foundation.close(ours) }

  func closeTheirs() { Foundation.close(theirs) }

  func close() {
    closeOurs()
    closeTheirs()
  }
}
