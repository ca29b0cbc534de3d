import ContractEvidence
import Testing

/// A clause that an implementation is known to break, with the reason.
///
/// A deviation is strict: once the clause holds, the case fails until the entry is removed.
public struct Deviation: Sendable {
  /// The clause's id.
  public let clause: String

  /// What the deviation is.
  public let kind: Kind

  /// How the clause fails.
  public let manner: Manner

  /// Whether the clause sometimes holds.
  public let isIntermittent: Bool

  /// Why the clause fails.
  public let reason: String

  /// Where the bug is tracked.
  public let link: String?

  /// Where the deviation is.
  public let platforms: Platform

  /// The place of the declaration.
  let sourceLocation: SourceLocation

  /// What a deviation is.
  public enum Kind: String, Sendable, CaseIterable {
    /// A defect of the implementation, or of what it adapts.
    case bug
    /// Something that the implementation is not meant to do.
    case unsupported
    /// Something that the implementation will do one day.
    case planned
  }

  /// How a clause fails.
  public enum Manner: Hashable, Sendable {
    /// It records an issue or throws.
    case failing
    /// It ends the process.
    case crashing
    /// It does not end within this time.
    case hanging(within: Duration)
  }

  var summary: DeviationSummary {
    DeviationSummary(
      clause: clause, kind: kind.rawValue, reason: reason, link: link,
      isIntermittent: isIntermittent)
  }

  var place: String { "\(sourceLocation.fileID):\(sourceLocation.line)" }
}
