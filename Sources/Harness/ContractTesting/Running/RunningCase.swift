import ContractEvidence
import SystemLocks
import Testing

/// The case that the current task runs: a clause on an implementation or on a saboteur.
///
/// It is task-local, so child tasks and the tasks of `Task { }` have it too, and detached tasks don't.
final class RunningCase: Sendable {
  /// The case of the current task, or `nil` outside of cases.
  @TaskLocal static var current: RunningCase?

  /// The case's id in UTF-8, for the signal handler.
  let id: [UInt8]

  private let state = Mutex(State())

  private struct State {
    var expectations = 0
    var isInClause = false
  }

  init(_ id: CaseID) { self.id = Array(id.description.utf8) }

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

  /// Counts an expectation of the current case.
  static func didEvaluateExpectation() {
    current?.state.withLock { if $0.isInClause { $0.expectations += 1 } }
  }

  /// Whether the package's tests call ``Testing/SourceLocation/counted(fileID:filePath:line:column:)``. Every
  /// declaration of a clause does, before the first case runs.
  private static let isLinked = Mutex(false)

  fileprivate static func didEvaluateSourceLocation() {
    if current != nil { didEvaluateExpectation() } else { isLinked.withLock { $0 = true } }
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
    RunningCase.didEvaluateSourceLocation()
    return SourceLocation(__uncheckedFileID: fileID, filePath: filePath, line: line, column: column)
  }
}
