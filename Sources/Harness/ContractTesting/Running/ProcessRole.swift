import Foundation

/// What a test process is for. Variables that the process's parent sets decide it, once.
enum ProcessRole: Equatable, Sendable {
  /// Runs the selected cases, judges them, and reports.
  case run
  /// Is an exit test of Swift Testing, which leaves no journal and prints no report.
  case exitTest
  /// Runs the cases that its parent names, and leaves the judgement to the parent, which reads the journal.
  case child(journal: String)
  /// Runs the cases that `contracts mutate` names, without a journal. The limit is of its address space,
  /// in bytes, 0 for none. If it is listing, it only names the tests that have cases.
  case mutationServer(memoryLimit: UInt64, isListing: Bool)

  /// The variable that names a child's journal.
  static let childVariable = "CONTRACT_CHILD_JOURNAL"

  /// The role of this process.
  static let current = ProcessRole(environment: ProcessInfo.processInfo.environment)

  init(environment: [String: String]) {
    self =
      if environment["SWT_EXIT_TEST_ID"] != nil {
        .exitTest
      } else if let journal = environment[Self.childVariable] {
        .child(journal: journal)
      } else if let limit = environment["CONTRACT_CASE_SERVER"] {
        .mutationServer(
          memoryLimit: UInt64(limit) ?? 0,
          isListing: environment["CONTRACT_CASE_SERVER_TESTS"] != nil)
      } else {
        .run
      }
  }

  var isChild: Bool { if case .child = self { true } else { false } }

  /// Whether the process runs cases that another process names.
  var isServer: Bool {
    switch self {
    case .run, .exitTest: false
    case .child, .mutationServer: true
    }
  }
}
