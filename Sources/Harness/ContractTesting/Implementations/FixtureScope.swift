public import Foundation
import SystemLocks

/// The life of one fixture: what must be undone when its case has ended.
public final class FixtureScope: Sendable {
  private let actions = Mutex<[@Sendable () async throws -> Void]>([])

  package init() {}

  /// Registers something to undo; the latest registered goes first, and each runs whatever the
  /// others throw.
  ///
  /// An error fails the case, as a failure of the fixture and not of the clause.
  public func onTearDown(_ action: @escaping @Sendable () async throws -> Void) {
    actions.withLock { $0.append(action) }
  }

  /// Makes an empty folder for this case alone and removes it in the tear-down.
  ///
  /// That of a case in a process of its own is removed even where the process crashes or is killed.
  /// - Returns: The folder, inside the system's temporary folder, with mode 0700.
  /// - Throws: Foundation's error when the folder can't be made.
  public func temporaryDirectory() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("contract-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    onTearDown { try FileManager.default.removeItem(at: folder) }
    return folder
  }

  /// Undoes everything, latest first, and gives back what went wrong.
  package func tearDown() async -> [any Error] {
    var errors: [any Error] = []
    while let action = actions.withLock({ $0.popLast() }) {
      do { try await action() } catch { errors.append(error) }
    }
    return errors
  }
}
