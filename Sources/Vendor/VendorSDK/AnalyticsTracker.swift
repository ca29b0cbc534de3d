import Foundation

/// The vendor's analytics client. Its methods may be called from any thread.
///
/// `@unchecked Sendable` is safe because the only state, `events`, is accessed under `lock`.
open class AnalyticsTracker: @unchecked Sendable {
  private let lock = NSLock()
  private var events: [Event] = []

  /// Creates a tracker without events.
  public init() {}

  /// Tracks one event.
  ///
  /// - Parameters:
  ///   - category: The group of user actions that the event belongs to.
  ///   - action: What the user did, or `nil`.
  open func track(_ category: String, action: String? = nil) {
    lock.withLock { events.append(Event(category: category, action: action)) }
  }

  /// An event as the vendor's server receives it.
  package struct Event: Sendable {
    package var category: String
    package var action: String?
  }

  /// The tracked events, in order.
  package var sent: [Event] { lock.withLock { events } }
}
