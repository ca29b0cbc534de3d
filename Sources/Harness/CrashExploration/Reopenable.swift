public import ContractTesting
public import Foundation

/// A fixture that opens a subject in any folder: a new one, or what a crash has left.
///
///     extension Implementation<Reopenable<NoteStore>> {
///       static let file = live("file") { _ in
///         Reopenable { folder, scope in
///           let store = try NoteStore(in: folder)
///           scope.onTearDown { try await store.close() }
///           return store
///         }
///       }
///     }
public struct Reopenable<Subject>: Sendable {
  private let make: @Sendable (URL, FixtureScope) async throws -> Subject
  private(set) var exemptions = CrashExemption.always
  private(set) var deviations: [CrashDeviation] = []

  /// Creates a fixture.
  ///
  /// - Parameter open: Opens a subject that keeps all its files in the folder, which exists. It
  ///   registers with the scope how to close the subject. The folder's path contains no symbolic
  ///   links; a subject that reaches its files by another path can't be explored.
  public init(open: @escaping @Sendable (URL, FixtureScope) async throws -> Subject) {
    make = open
  }

  /// Exempts files that the subject needs nothing of after a crash, such as those of locks.
  ///
  /// They may be written in any way, and no image of a crash has them. The report repeats the reason.
  ///
  /// - Parameters:
  ///   - names: The names of files or folders, in which `*` stands for any characters: `LOCK`, `*.tmp`.
  ///   - reason: Why the subject needs nothing of them.
  public func exempting(_ names: String..., because reason: String) -> Reopenable {
    var copy = self
    copy.exemptions += names.map { CrashExemption(name: $0, reason: reason) }
    return copy
  }

  /// Declares a known finding, so that the exploration goes on to others.
  ///
  /// The report counts the crashes that have it. An exploration that does not find it fails, so that the
  /// declaration is removed; one of given commands, one with a limit of time, and clauses do not. After a
  /// finding that ends the subject's process, or hangs, another process goes on; clauses, which run in the
  /// case's process, end with it.
  ///
  /// - Parameters:
  ///   - event: A part of what the report says after 'crash after': `write of 8192 bytes at 0 to data.mdb`.
  ///   - mode: The mode of the crash, or `nil` for any.
  ///   - found: A part of what the report says after 'found'.
  ///   - reason: Why the subject has the finding.
  public func deviating(
    after event: String = "", in mode: CrashMode? = nil, found: String, because reason: String
  ) -> Reopenable {
    var copy = self
    copy.deviations.append(
      CrashDeviation(event: event, found: found, mode: mode, reason: reason))
    return copy
  }

  /// Opens a subject, calls a closure with it and closes it.
  func withSubject<Value: Sendable>(
    in folder: URL, _ body: (Subject) async throws -> Value
  ) async throws -> Value {
    let scope = FixtureScope()
    let result: Result<Value, any Error>
    do { result = .success(try await body(make(folder, scope))) } catch { result = .failure(error) }
    let errors = await scope.tearDown()
    let value = try result.get()
    if let error = errors.first { throw error }
    return value
  }
}
