import CPlatform
import Foundation

/// What a test process is for. Variables that the process's parent sets decide it, once.
///
/// A variable that somebody else has set changes nothing: the parent of a process with another role than ``run``
/// has connected a socket to its standard input.
enum ProcessRole: Equatable, Sendable {
  /// Runs the selected cases, judges them, and reports.
  case run
  /// Runs the cases that its parent names, and leaves the judgement to the parent, which reads the journal.
  case child(journal: String)
  /// Runs the cases that `contracts mutate` names, without a journal. The limit is of its address space,
  /// in bytes, 0 for none. If it is listing, it only names the tests that have cases.
  case mutationServer(memoryLimit: UInt64, isListing: Bool)

  /// The variable that names a child's journal.
  static let childVariable = "CONTRACT_CHILD_JOURNAL"

  private static let serverVariable = "CONTRACT_CASE_SERVER"

  /// The role of this process. A child whose parent has ended ends, because its results concern nobody.
  static let current: ProcessRole = {
    let environment = ProcessInfo.processInfo.environment
    let peer = SocketPeer(of: STDIN_FILENO)
    let role = ProcessRole(environment: environment, isConnected: peer != .other)
    if role != .run, peer == .ended { _exit(1) }
    return role
  }()

  /// Decides the role.
  ///
  /// - Parameters:
  ///   - environment: The process's variables.
  ///   - isConnected: Whether the parent holds the other end of the standard input.
  init(environment: [String: String], isConnected: Bool) {
    self =
      if !isConnected {
        .run
      } else if let journal = environment[Self.childVariable] {
        .child(journal: journal)
      } else if let limit = environment[Self.serverVariable] {
        .mutationServer(
          memoryLimit: UInt64(limit) ?? 0,
          isListing: environment["CONTRACT_CASE_SERVER_TESTS"] != nil)
      } else {
        .run
      }
  }

  /// The variables that only a parent sets, if this process has no such parent.
  func strays(in environment: [String: String]) -> [String] {
    self == .run
      ? [Self.childVariable, Self.serverVariable, ChildProcess.explorationVariable].filter {
        environment[$0] != nil
      } : []
  }

  var isChild: Bool { if case .child = self { true } else { false } }

  /// Whether the process runs cases that another process names.
  var isServer: Bool { self != .run }
}

/// A process that this package's test processes start.
package enum ChildProcess {
  /// The variable that names the exploration whose subjects the process runs.
  package static let explorationVariable = "CONTRACT_EXPLORATION"

  /// The exploration whose subjects this process runs for its parent, or `nil`.
  package static let exploration =
    ProcessRole.current.isChild ? ProcessInfo.processInfo.environment[explorationVariable] : nil

  /// The variables of a process that leaves the judgement to this one.
  ///
  /// - Parameter journal: The path of the process's journal.
  package static func variables(journal: String) -> [String: String] {
    [ProcessRole.childVariable: journal]
  }
}
