import Synchronization

/// Counts what users do; safe to call from any thread.
///
/// Sound as `@unchecked Sendable`: an open class can't be checked, and its only state is behind a
/// lock.
open class AnalyticsTracker: @unchecked Sendable {
  private let events = Mutex<[Event]>([])

  /// Makes a tracker that has counted nothing.
  public init() {}

  /// Counts one event.
  ///
  /// - Parameters:
  ///   - category: What kind of thing was done.
  ///   - action: What was done.
  open func track(_ category: String, action: String? = nil) {
    events.withLock { $0.append(Event(category: category, action: action)) }
  }

  /// An event as it goes to the vendor's server.
  package struct Event: Sendable {
    package var category: String
    package var action: String?
  }

  /// All that was counted, in order.
  package var sent: [Event] { events.withLock(\.self) }
}
