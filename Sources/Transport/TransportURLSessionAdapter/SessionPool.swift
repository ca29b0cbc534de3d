import Foundation
import SystemLocks
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The sessions of one transport and the queue of exchanges that wait for a connection.
final class SessionPool: Sendable {
  private struct State {
    var queue: ExchangeQueue
    var shared: SessionDriver
    var isShutDown = false
  }

  private let state: Mutex<State>
  private let configuration: URLSessionConfiguration

  init(_ limits: ConnectionLimits) {
    configuration = .plain(limits)
    state = Mutex(
      State(queue: ExchangeQueue(limits), shared: SessionDriver(configuration)))
  }

  /// Starts an exchange as soon as the limits allow.
  func submit(_ exchange: URLSessionExchange) {
    let mayStart = state.withLock { state -> Bool? in
      state.isShutDown ? nil : state.queue.add(exchange)
    }
    switch mayStart {
    case true: start(exchange)
    case false: break
    case nil: exchange.end(.shutDown, "the transport was shut down")
    }
    // An exchange that was cancelled just before it was added has released its place too early.
    if exchange.isOver { release(exchange) }
  }

  /// Removes an exchange that has ended and starts a waiting one.
  func release(_ exchange: URLSessionExchange) {
    for next in state.withLock({ $0.queue.remove(exchange) }) { start(next) }
  }

  /// Replaces the session, so that no kept connection is reused because one of them is not trusted.
  ///
  /// A session neither reports the connection of an exchange nor closes a single connection.
  func forgetConnections() {
    let former = state.withLock { state in
      defer { state.shared = SessionDriver(configuration) }
      return state.shared
    }
    former.finish()
  }

  /// Closes the connections once the running exchanges have ended.
  func finish() {
    state.withLock { $0.shared }.finish()
  }

  /// Ends all exchanges and closes the connections.
  func shutDown() {
    let exchanges = state.withLock { state in
      state.isShutDown = true
      return state.queue.removeAll()
    }
    for exchange in exchanges { exchange.end(.shutDown, "the transport was shut down") }
    finish()
  }

  private func start(_ exchange: URLSessionExchange) {
    if exchange.sharesConnections {
      // Under the lock, so that `forgetConnections` cannot finish the driver before it has the
      // exchange.
      state.withLock { exchange.start(on: $0.shared) }
    } else {
      let driver = SessionDriver(configuration)
      exchange.start(on: driver)
      driver.finish()
    }
  }
}

extension URLSessionConfiguration {
  /// Creates a configuration without cookies, cache, credentials and timeouts.
  fileprivate static func plain(_ limits: ConnectionLimits) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = limits.perOrigin
    // The port's policies enforce timeouts; one year means no timeout.
    configuration.timeoutIntervalForRequest = 31_536_000
    configuration.timeoutIntervalForResource = 31_536_000
    return configuration
  }
}
