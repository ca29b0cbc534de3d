import Foundation
import SystemLocks
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The sessions of one transport, and the line of exchanges that wait for one.
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

  /// Carries an exchange out as soon as its turn comes.
  func submit(_ exchange: URLSessionExchange) {
    let mayStart = state.withLock { state -> Bool? in
      state.isShutDown ? nil : state.queue.add(exchange)
    }
    switch mayStart {
    case true: start(exchange)
    case false: break
    case nil: exchange.end(.shutDown, "the transport was shut down")
    }
  }

  /// Takes an exchange out that has ended, so that others may start.
  func release(_ exchange: URLSessionExchange) {
    for next in state.withLock({ $0.queue.remove(exchange) }) { start(next) }
  }

  /// Uses none of the kept connections again, because one of them can't be trusted.
  ///
  /// A session doesn't tell which connection an exchange is on, and closes none on demand.
  func forgetConnections() {
    let former = state.withLock { state in
      defer { state.shared = SessionDriver(configuration) }
      return state.shared
    }
    former.finish()
  }

  /// Lets what is under way go on, and closes the connections after it.
  func finish() {
    state.withLock { $0.shared }.finish()
  }

  /// Ends everything.
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
      // Under the lock, so that the driver isn't finished before it has the exchange.
      state.withLock { exchange.start(on: $0.shared) }
    } else {
      let driver = SessionDriver(configuration)
      exchange.start(on: driver)
      driver.finish()
    }
  }
}

extension URLSessionConfiguration {
  /// A session that keeps nothing and does nothing of its own accord.
  fileprivate static func plain(_ limits: ConnectionLimits) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = limits.perOrigin
    // Time is the business of the port's policies; a year stands for no limit.
    configuration.timeoutIntervalForRequest = 31_536_000
    configuration.timeoutIntervalForResource = 31_536_000
    return configuration
  }
}
