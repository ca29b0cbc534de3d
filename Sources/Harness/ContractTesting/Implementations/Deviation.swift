import CPlatform
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
  package let isIntermittent: Bool
  package let reason: String
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
  package func isOver(at time: Double) -> Bool {
    guard let until, let last = Day(until) else { return false }
    return last < Day(at: time)
  }

  /// The declaration in source form, with its location.
  var declaration: String {
    ".deviating(from: \"\(clause)\") at \(sourceLocation.fileID):\(sourceLocation.line)"
  }
}

/// A set of operating systems.
public struct Platform: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Linux.
  public static let linux = Platform(rawValue: 1)
  /// macOS.
  public static let macOS = Platform(rawValue: 2)
  /// iOS, iPadOS, tvOS, watchOS and visionOS.
  public static let appleMobile = Platform(rawValue: 4)
  /// Any other system.
  public static let others = Platform(rawValue: 8)

  /// Apple's systems.
  public static let apple: Platform = [.macOS, .appleMobile]
  /// Every system.
  public static let all: Platform = [.linux, .apple, .others]

  /// The system that this code was built for.
  public static var current: Platform {
    switch OperatingSystem.current {
    case .linux: .linux
    case .macOS: .macOS
    case .appleMobile: .appleMobile
    case .other: .others
    }
  }

  /// The current system's name in journals.
  package static var currentName: String {
    switch current {
    case .linux: "linux"
    case .macOS: "macos"
    case .appleMobile: "apple-mobile"
    default: "other"
    }
  }
}
