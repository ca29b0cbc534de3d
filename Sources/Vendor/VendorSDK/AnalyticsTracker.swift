import Foundation

/// Counts what users do; safe to call from any thread.
///
/// Sound as `@unchecked Sendable`: its only state, `events`, is read and written under `lock`.
open class AnalyticsTracker: @unchecked Sendable {
  private let lock = NSLock()
  private var events: [Event] = []

  /// Makes a tracker that has counted nothing.
  public init() {}

  /// Counts one event.
  ///
  /// - Parameters:
  ///   - category: What kind of thing was done.
  ///   - action: What was done.
  open func track(_ category: String, action: String? = nil) {
    lock.withLock { events.append(Event(category: category, action: action)) }
  }

  /// An event as it goes to the vendor's server.
  package struct Event: Sendable {
    package var category: String
    package var action: String?
  }

  /// All that was counted, in order.
  package var sent: [Event] { lock.withLock { events } }
}
