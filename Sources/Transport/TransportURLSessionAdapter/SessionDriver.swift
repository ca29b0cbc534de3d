import Foundation
import SystemLocks
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A `URLSession` and the exchanges that it performs.
///
/// Every call of the session runs on its delegate queue, for two reasons. A call can block on a
/// queue that all sessions of the process share, for example while a lookup is cancelled, and must
/// not block a task. And FoundationNetworking traps if a task is cancelled on one queue while its
/// completion is reported on another (swift-corelibs-foundation #5412).
final class SessionDriver: NSObject, Sendable {
  private struct State {
    var session: URLSession?
    var exchanges: [Int: (exchange: URLSessionExchange, task: URLSessionTask)] = [:]
  }

  private let queue = DelegateQueue()
  private let state = Mutex(State())

  init(_ configuration: URLSessionConfiguration) {
    super.init()
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    state.withLock { $0.session = session }
  }

  /// Starts an exchange.
  func start(_ exchange: URLSessionExchange) {
    queue.addOperation { [self] in
      guard let session = state.withLock({ $0.session }), !exchange.isOver else { return }
      let task = exchange.makeTask(in: session)
      state.withLock { $0.exchanges[task.taskIdentifier] = (exchange, task) }
      task.resume()
    }
  }

  /// Cancels an exchange and closes its connection; later delegate calls for it are ignored.
  func cancel(_ exchange: URLSessionExchange) {
    let operation = BlockOperation { [self] in
      let task = state.withLock { state in
        state.exchanges.first { $0.value.exchange === exchange }
          .flatMap { state.exchanges.removeValue(forKey: $0.key)?.task }
      }
      task?.cancel()
    }
    // Ahead of queued delegate calls with content that will not be read.
    operation.queuePriority = .veryHigh
    queue.addOperation(operation)
  }

  /// Accepts no more exchanges, and closes the connections once the running ones have ended.
  func finish() {
    queue.addOperation { [self] in
      let session = state.withLock { state in
        defer { state.session = nil }
        return state.session
      }
      session?.finishTasksAndInvalidate()
    }
  }

  private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
    state.withLock { $0.exchanges[task.taskIdentifier]?.exchange }
  }
}

extension SessionDriver: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    // FoundationNetworking traps if the handler is called for a cancelled task.
    if exchange(of: task) != nil { completionHandler(nil) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // The response is complete, but every disposition discards it
      // (swift-corelibs-foundation #5457).
      let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
      exchange?.exchange.complete(nil, response: nil)
      completionHandler(.rejectProtectionSpace, nil)
    #else
      let isTrust =
        challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
      completionHandler(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
    #endif
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.stopConnectTimer()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(of: dataTask)?.receive(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
    exchange?.exchange.complete(error, response: task.response)
  }
}

/// A serial operation queue on a separate dispatch queue.
///
/// The default threads of operation queues are few, and all of them could block on a session.
private final class DelegateQueue: OperationQueue, @unchecked Sendable {
  // `underlyingQueue` is not retained. This constant is the only addition to the superclass, which
  // is `Sendable`, so this class is too.
  private let queue = DispatchQueue(label: "SessionDriver")

  override init() {
    super.init()
    maxConcurrentOperationCount = 1
    underlyingQueue = queue
  }
}
