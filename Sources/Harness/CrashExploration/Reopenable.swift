public import ContractTesting
public import Foundation

/// A fixture that opens a subject in any folder: a new one, or what a crash has left.
///
///     extension Implementation<Reopenable<NoteStore>> {
///       static let file = live("file") {
///         Reopenable { folder, scope in
///           let store = try NoteStore(in: folder)
///           scope.onTearDown { try await store.close() }
///           return store
///         }
///       }
///     }
public struct Reopenable<Subject>: Sendable {
  private let make: @Sendable (URL, FixtureScope) async throws -> Subject

  /// Creates a fixture.
  ///
  /// - Parameter open: Opens a subject that keeps all its files in the folder, which exists. It
  ///   registers with the scope how to close the subject. The folder's path contains no symbolic
  ///   links; a subject that reaches its files by another path can't be explored.
  public init(open: @escaping @Sendable (URL, FixtureScope) async throws -> Subject) {
    make = open
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
