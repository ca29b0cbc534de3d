import SystemLocks

/// Sends each change to every subscription, in order.
///
/// It may be used from any thread. A store that sends from several threads must send under its own
/// lock; otherwise subscriptions may receive the changes in different orders.
package final class CookieChangeBroadcaster: Sendable {
  private final class Subscription: Sendable {
    let continuation: AsyncStream<CookieChange>.Continuation

    init(_ continuation: AsyncStream<CookieChange>.Continuation) {
      self.continuation = continuation
    }
  }

  private let subscriptions = Mutex<[ObjectIdentifier: Subscription]>([:])

  /// Creates a broadcaster without subscriptions.
  package init() {}

  deinit { finish() }

  /// Starts a subscription, which receives every change sent from now on.
  ///
  /// It ends when its task is cancelled, the stream is released, or the broadcaster finishes.
  package func stream() -> AsyncStream<CookieChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: CookieChange.self)
    let subscription = Subscription(continuation)
    let id = ObjectIdentifier(subscription)
    subscriptions.withLock { $0[id] = subscription }
    continuation.onTermination = { [weak self] _ in self?.end(id) }
    return stream
  }

  /// Sends a change to every subscription.
  package func send(_ change: CookieChange) {
    // Outside the lock, because the stream's code may call `onTermination`, which takes the lock.
    let all = subscriptions.withLock { $0 }
    for subscription in all.values { subscription.continuation.yield(change) }
  }

  /// Ends every subscription after the changes already sent.
  package func finish() {
    // `onTermination` removes each subscription.
    let all = subscriptions.withLock { $0 }
    for subscription in all.values { subscription.continuation.finish() }
  }

  /// Whether there is a subscription.
  package var hasSubscriptions: Bool { subscriptions.withLock { !$0.isEmpty } }

  /// The number of subscriptions.
  package var subscriptionCount: Int { subscriptions.withLock { $0.count } }

  private func end(_ id: ObjectIdentifier) {
    subscriptions.withLock { $0[id] = nil }
  }
}
