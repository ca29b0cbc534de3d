/// Something that some implementations of a port can do and others can't.
///
/// An implementation has every capability unless it says ``Implementation/lacking(_:because:)``.
public struct Capability: Hashable, Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// What an implementation with the capability can do, in a sentence.
  public let sentence: String

  /// The capabilities that this one can't be had without.
  public let implied: [Capability]

  /// Declares a capability.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sentence: What an implementation with it can do.
  ///   - implied: The capabilities that it can't be had without: whoever lacks one of them lacks
  ///     this one too.
  public init(_ id: String, _ sentence: String, implying implied: Capability...) {
    self.id = id
    self.sentence = sentence
    self.implied = implied
  }

  public static func == (a: Capability, b: Capability) -> Bool { a.id == b.id }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Whether the capability is `other`, or can't be had without it.
  func needs(_ other: Capability) -> Bool {
    self == other || implied.contains { $0.needs(other) }
  }
}
