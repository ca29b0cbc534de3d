import SystemLocks

/// Hands each change to every subscription, in the order in which they are sent.
///
/// Whoever sends from several threads keeps them in order, by sending under its own lock.
package final class CookieChangeBroadcaster: Sendable {
  private struct Subscriptions {
    var next = 0
    var continuations: [Int: AsyncStream<CookieChange>.Continuation] = [:]
  }

  private let subscriptions = Mutex(Subscriptions())

  /// A broadcaster without subscriptions.
  package init() {}

  deinit { finish() }

  /// Starts a subscription: every change sent from now on, until it is cancelled or dropped, or the
  /// broadcaster goes away.
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
    // Nothing foreign runs while the lock is held.
    let continuations = subscriptions.withLock { $0.continuations }
    for continuation in continuations.values { continuation.yield(change) }
  }

  /// Ends every subscription once its reader has had what was sent.
  package func finish() {
    // Each of them takes itself out.
    let continuations = subscriptions.withLock { $0.continuations }
    for continuation in continuations.values { continuation.finish() }
  }

  /// How many subscriptions there are.
  package var subscriptionCount: Int { subscriptions.withLock { $0.continuations.count } }

  private func end(_ id: Int) {
    subscriptions.withLock { $0.continuations[id] = nil }
  }
}
