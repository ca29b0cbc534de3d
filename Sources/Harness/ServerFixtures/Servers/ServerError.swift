public import ContractTesting

/// A server is not installed, did not start or did not get ready.
///
/// If it is not installed, the case is *unavailable* and not failed.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong.
  public enum Kind: Hashable, Sendable {
    /// The program was not found.
    case notInstalled
    /// The process could not be started.
    case notStarted
    /// The process ended before the server was ready.
    case exited
    /// The server was not ready within the limit.
    case notReady
  }

  /// What went wrong.
  public var kind: Kind
  /// The program's name.
  public var program: String
  /// What happened, with the last lines that the server printed, and what to do.
  public var message: String

  init(_ kind: Kind, _ program: String, _ message: String) {
    self.kind = kind
    self.program = program
    self.message = message
  }

  public var description: String { "\(program) \(message)" }

  /// Whether the server ended because another process uses its port.
  var isPortTaken: Bool {
    kind == .exited
      && ["address already in use", "address in use", "eaddrinuse"]
        .contains { message.lowercased().contains($0) }
  }
}

extension ServerError: UnavailabilityError {
  public var unavailabilityReason: String? { kind == .notInstalled ? description : nil }
}
