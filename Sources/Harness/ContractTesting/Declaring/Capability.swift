/// An ability that some implementations of a port have and others lack.
///
/// An implementation has every capability except those that it excludes with
/// ``Implementation/lacking(_:because:)``.
public struct Capability: Hashable, Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// What an implementation with the capability can do, in one sentence.
  public let sentence: String

  /// The capabilities that this one depends on.
  public let implied: [Capability]

  /// Declares a capability.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sentence: What an implementation with the capability can do.
  ///   - implied: The capabilities that this one depends on. An implementation that lacks one of
  ///     them lacks this one too.
  public init(_ id: String, _ sentence: String, implying implied: Capability...) {
    self.id = id
    self.sentence = sentence
    self.implied = implied
  }

  public static func == (a: Capability, b: Capability) -> Bool { a.id == b.id }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Whether the capability is `other` or depends on it.
  func needs(_ other: Capability) -> Bool {
    self == other || implied.contains { $0.needs(other) }
  }
}
