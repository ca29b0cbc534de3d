public import ExplorationEngine
public import Testing

/// A way in which the recorded implementation is known to answer otherwise than the model and the
/// fakes.
///
/// A deviation of a contract names a clause, which is a body of code; a trace has only commands and
/// answers. So a deviation of traces says to which of them it applies:
///
///     TraceDeviation(because: "Secure cookies are set from http") { step in
///       step.answer == .rejected(.insecureOrigin)
///     }
///
/// It is strict: where no answer differs for this reason, the verification fails until the entry is
/// removed. The steps of a trace after a difference are not compared, because the model and the
/// recorded implementation are then in different states; only after a command that is read-only the
/// comparison goes on.
public struct TraceDeviation<Spec: Specification>: Sendable {
  /// A command to which the answer differs from the recorded one.
  public struct Step: Sendable {
    /// The command.
    public let command: Spec.Command
    /// The answer of the recorded implementation.
    public let recorded: Spec.Response
    /// The answer of the model or of the fake.
    public let answer: Spec.Response
  }

  let reason: String
  let sourceLocation: SourceLocation
  let covers: @Sendable (Step) -> Bool

  /// Declares a deviation.
  ///
  /// - Parameters:
  ///   - reason: Why the answers differ.
  ///   - sourceLocation: Where the deviation is declared.
  ///   - covers: Whether the deviation explains a difference. It must accept no other one.
  public init(
    because reason: String, sourceLocation: SourceLocation = #_sourceLocation,
    where covers: @escaping @Sendable (Step) -> Bool
  ) {
    self.reason = reason
    self.sourceLocation = sourceLocation
    self.covers = covers
  }
}
