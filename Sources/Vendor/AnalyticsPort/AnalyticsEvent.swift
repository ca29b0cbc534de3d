/// An analytics event. Two events are equal if their strings have identical UTF-8 bytes.
public struct AnalyticsEvent: Hashable, Sendable, CustomStringConvertible {
  /// The group of user actions that the event belongs to, such as `song`.
  public var category: String

  /// What the user did, such as `save`, or `nil` if the category says enough.
  public var action: String?

  /// Creates an event.
  public init(_ category: String, action: String? = nil) {
    self.category = category
    self.action = action
  }

  public static func == (a: AnalyticsEvent, b: AnalyticsEvent) -> Bool { a.bytes == b.bytes }

  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// The UTF-8 bytes, because `==` on `String` treats `\u{e9}` and `e\u{301}` as equal.
  private var bytes: [[UInt8]] { [Array(category.utf8)] + (action.map { [Array($0.utf8)] } ?? []) }

  public var description: String { action.map { "\(category)/\($0)" } ?? category }
}
