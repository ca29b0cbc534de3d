/// Something that a user did; two are equal when they agree octet for octet.
public struct AnalyticsEvent: Hashable, Sendable, CustomStringConvertible {
  /// What kind of thing was done.
  public var category: String

  /// What was done.
  public var action: String?

  /// Makes an event.
  public init(_ category: String, action: String? = nil) {
    self.category = category
    self.action = action
  }

  public static func == (a: AnalyticsEvent, b: AnalyticsEvent) -> Bool { a.octets == b.octets }

  public func hash(into hasher: inout Hasher) { hasher.combine(octets) }

  /// The strings as they are stored: `==` on `String` takes é and e + ´ for the same.
  private var octets: [[UInt8]] { [Array(category.utf8)] + (action.map { [Array($0.utf8)] } ?? []) }

  public var description: String { action.map { "\(category)/\($0)" } ?? category }
}
