/// A case that says nothing for longer than a case may.
///
/// It gets more time in its own process, while the judge goes on in a new one.
///
/// Belongs to one thread.
final class HangingCase {
  /// The case's id.
  let id: String

  private let server: CaseServerProcess
  /// The process's switches. The mutant stays active in them.
  private let state: SwitchState
  private let patience: Double

  /// Creates a case that hangs.
  ///
  /// - Parameters:
  ///   - server: The process that runs the case. It ends with this object.
  ///   - state: The process's switches.
  ///   - patience: How much longer the case may be silent, in seconds.
  init(_ id: String, on server: CaseServerProcess, _ state: SwitchState, patience: Double) {
    self.id = id
    self.server = server
    self.state = state
    self.patience = patience
  }

  /// What became of the case.
  enum Sequel: Equatable {
    /// It said nothing in that time either.
    case silent
    /// It failed.
    case failed(message: String)
    /// It passed, or its process ended.
    case ended
  }

  /// Waits for the case.
  func sequel() -> Sequel {
    defer { server.end() }
    do throws(CaseServerProcess.Silence) {
      if case .failed(_, let message) = try server.line(within: patience) {
        return .failed(message: message)
      }
      return .ended
    } catch {
      return error == .timedOut ? .silent : .ended
    }
  }
}
