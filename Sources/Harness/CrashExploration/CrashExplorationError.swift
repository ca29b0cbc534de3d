/// An exploration of crashes came to no verdict.
public struct CrashExplorationError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  /// Why there is no verdict.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// The recording does not lead to the files that the subject left, so it wrote in a way that
    /// can't be seen: through a shared mapping, with stdio, or by another path.
    case incompleteRecording
    /// The subject did something to its files that can't be replayed.
    case unsupportedCall
    /// Without any crash, the subject failed or its response was not the model's.
    case subjectFailed
    /// The process that runs the subject could not be started, or ended without a crash point.
    case processFailed
  }

  /// Why there is no verdict.
  public var kind: Kind

  /// What happened, to what, and what to do.
  public var description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
