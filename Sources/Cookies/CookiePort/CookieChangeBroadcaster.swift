import SystemLocks

/// Sends each change to every subscription, in order.
///
/// It may be used from any thread. A store that sends from several threads must send under its own
/// lock; otherwise subscriptions may receive the changes in different orders.
package final class CookieChangeBroadcaster: Sendable {
  private struct Subscriptions {
    var next = 0
    var continuations: [Int: AsyncStream<CookieChange>.Continuation] = [:]
  }

  private let subscriptions = Mutex(Subscriptions())

  /// Creates a broadcaster without subscriptions.
  package init() {}

  deinit { finish() }

  /// Starts a subscription, which receives every change sent from now on.
  ///
  /// It ends when its task is cancelled, the stream is released, or the broadcaster finishes.
  package func stream() -> AsyncStream<CookieChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: CookieChange.self)
    let id = subscriptions.withLock {
      $0.next += 1
      $0.continuations[$0.next] = continuation
      return $0.next
    }
    continuation.onTermination = { [weak self] _ in self?.end(id) }
    return stream
  }

  /// Sends a change to every subscription.
  package func send(_ change: CookieChange) {
    // Outside the lock, because the stream's code may call `onTermination`, which takes the lock.
    let continuations = subscriptions.withLock { $0.continuations }
    for continuation in continuations.values { continuation.yield(change) }
  }

  /// Ends every subscription after the changes already sent.
  package func finish() {
    // `onTermination` removes each subscription.
    let continuations = subscriptions.withLock { $0.continuations }
    for continuation in continuations.values { continuation.finish() }
  }

  /// Whether there is a subscription.
  package var hasSubscriptions: Bool { subscriptions.withLock { !$0.continuations.isEmpty } }

  /// The number of subscriptions.
  package var subscriptionCount: Int { subscriptions.withLock { $0.continuations.count } }

  private func end(_ id: Int) {
    subscriptions.withLock { $0.continuations[id] = nil }
  }
}
