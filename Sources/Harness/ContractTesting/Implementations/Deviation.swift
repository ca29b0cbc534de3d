import ContractEvidence
import Testing

/// A clause that an implementation is known to break, with the reason.
///
/// ``Implementation/deviating(from:kind:by:intermittently:because:link:on:until:sourceLocation:)`` declares
/// one. A deviation is strict: when the clause holds, the case fails until the entry is removed.
public struct Deviation: Sendable {
  let clause: String
  let kind: Kind
  let manner: Manner
  let isIntermittent: Bool
  let reason: String
  let link: String?
  let platforms: Platform
  let until: String?
  let sourceLocation: SourceLocation

  /// Why an implementation deviates.
  public enum Kind: String, Sendable, CaseIterable {
    /// A defect of the implementation, or of the code that it adapts.
    case bug
    /// Something that the implementation will not support.
    case unsupported
    /// Something that the implementation does not support yet.
    case planned
  }

  /// How a clause fails.
  public enum Manner: Hashable, Sendable {
    /// The clause records an issue or throws an error.
    case failing
    /// The clause ends the process.
    case crashing
    /// The clause does not end within this time.
    case timingOut(after: Duration)
  }

  var summary: DeviationSummary {
    DeviationSummary(
      clause: clause, kind: kind.rawValue, reason: reason, link: link,
      isIntermittent: isIntermittent, until: until)
  }

  /// Whether the deviation's last day is over.
  ///
  /// - Parameter time: The time in seconds since 1970-01-01 00:00 UTC.
  func isOver(at time: Double) -> Bool {
    guard let until, let last = Day(until) else { return false }
    return last < Day(at: time)
  }

  /// The declaration in source form, with its location.
  var declaration: String {
    ".deviating(from: \"\(clause)\") at \(sourceLocation.fileID):\(sourceLocation.line)"
  }
}
