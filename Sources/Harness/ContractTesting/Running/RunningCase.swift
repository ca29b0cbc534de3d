import ContractEvidence
import SystemLocks
import Testing

/// The case that the current task runs: a clause on an implementation or on a saboteur.
///
/// It is task-local, so child tasks and the tasks of `Task { }` have it too, and detached tasks don't.
package final class RunningCase: Sendable {
  /// The case of the current task, or `nil` outside of cases.
  @TaskLocal package static var current: RunningCase?

  let id: CaseID

  private let state = Mutex(State())

  private struct State {
    var expectations = 0
    var isInClause = false
    var hasEnded = false
    var hasReportedLateExpectation = false
  }

  /// How many cases of each clause run now.
  private static let running = Mutex<[String: Int]>([:])

  init(_ id: CaseID) { self.id = id }

  /// Whether a case of a clause runs now.
  ///
  /// - Parameter clause: The ids of the contract and of the clause, joined by "/".
  static func isRunning(_ clause: String) -> Bool { running.withLock { $0[clause] != nil } }

  /// Runs the case's steps in the current task.
  func run(_ steps: () async -> Void) async {
    let notice = CrashNotice.begin(id)
    let clause = "\(id.contract)/\(id.clause)"
    Self.running.withLock { $0[clause, default: 0] += 1 }
    defer {
      CrashNotice.end(notice)
      Self.running.withLock { $0[clause] = $0[clause].flatMap { $0 > 1 ? $0 - 1 : nil } }
      state.withLock { $0.hasEnded = !Task.isCancelled }
    }
    await Self.$current.withValue(self) {
      await CrashNotice.$current.withValue(notice) { await steps() }
    }
  }

  /// Whether the case's steps have ended, other than by its time limit.
  package var hasEnded: Bool { state.withLock(\.hasEnded) }

  /// How many expectations the clause has evaluated, passing ones included; `nil` if nothing counts them here.
  var expectationCount: Int? {
    Self.isLinked.withLock(\.self) ? state.withLock(\.expectations) : nil
  }

  /// Counts the expectations of a clause's body, and not those of the fixture.
  static func counting(_ clause: () async throws -> Void) async rethrows {
    current?.state.withLock { $0.isInClause = true }
    defer { current?.state.withLock { $0.isInClause = false } }
    try await clause()
  }

  /// Counts an expectation of the current case. One that a task evaluates after its case has ended is a problem of
  /// the run, because nothing judges it.
  static func didEvaluateExpectation(at location: @autoclosure () -> String? = nil) {
    guard let current else { return }
    let isLate = current.state.withLock { state in
      if state.isInClause { state.expectations += 1 }
      guard state.hasEnded, !state.hasReportedLateExpectation else { return false }
      state.hasReportedLateExpectation = true
      return true
    }
    guard isLate else { return }
    RunRecorder.current.record(
      .problem(
        "\(current.id) left a task running, which evaluated an expectation after the case had ended"
          + (location().map { ", at \($0)" } ?? "") + "; let the clause wait for its tasks"))
  }

  /// Whether the package's tests call ``Testing/SourceLocation/counted(fileID:filePath:line:column:)``. Every
  /// declaration of a clause does, before the first case runs.
  private static let isLinked = Mutex(false)

  fileprivate static func didEvaluateSourceLocation(_ fileID: String, _ line: Int) {
    if current != nil {
      didEvaluateExpectation(at: "\(fileID):\(line)")
    } else {
      isLinked.withLock { $0 = true }
      // A task of `Task.detached` runs in no test.
      if Test.current == nil { RunRecorder.current.didExpectInNoTest(fileID, line) }
    }
  }
}

extension SourceLocation {
  /// Takes the place of Swift Testing's `SourceLocation.__here()`, to count expectations that pass.
  ///
  /// Swift Testing reports only expectations that fail. Every `#expect` and `#require` expands to a call of
  /// `__here()` after the evaluation of its operands, and a definition in the test program takes precedence over
  /// the one in the testing library. If a later version has no such function, nothing calls this one, and
  /// expectations are not counted. `#_sourceLocation` is such a call as well, so a clause that passes its
  /// location to a helper counts as one that expects something.
  @_silgen_name("$s7Testing14SourceLocationV6__here6fileID0E4Path4line6columnACSS_SSS2itFZ")
  static func counted(
    fileID: String, filePath: String, line: Int, column: Int
  ) -> SourceLocation {
    RunningCase.didEvaluateSourceLocation(fileID, line)
    return SourceLocation(__uncheckedFileID: fileID, filePath: filePath, line: line, column: column)
  }
}
