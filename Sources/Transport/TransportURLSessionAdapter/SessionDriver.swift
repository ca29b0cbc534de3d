import Foundation
import SystemLocks
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One `URLSession` and the exchanges that it carries out.
///
/// Every call to the session is made on its delegate queue, for two reasons. A call waits for the
/// queue that all sessions of the process share, which a cancelled lookup can hold, and no task shall
/// wait with it. And a task that is cancelled on one queue while its end is made known on another
/// ends the process: see swift-corelibs-foundation #5412.
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

  /// Carries an exchange out.
  func start(_ exchange: URLSessionExchange) {
    queue.addOperation { [self] in
      guard let session = state.withLock({ $0.session }), !exchange.isOver else { return }
      let task = exchange.makeTask(in: session)
      state.withLock { $0.exchanges[task.taskIdentifier] = (exchange, task) }
      task.resume()
    }
  }

  /// Ends an exchange and closes its connection; what the session still says of it goes unheard.
  func cancel(_ exchange: URLSessionExchange) {
    let operation = BlockOperation { [self] in
      let task = state.withLock { state in
        state.exchanges.first { $0.value.exchange === exchange }
          .flatMap { state.exchanges.removeValue(forKey: $0.key)?.task }
      }
      task?.cancel()
    }
    // Not behind all the content that came and will not be read.
    operation.queuePriority = .veryHigh
    queue.addOperation(operation)
  }

  /// Takes no more exchanges, and closes the connections when those under way have ended.
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
    // To answer for a cancelled task would end the process.
    if exchange(of: task) != nil { completionHandler(nil) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // The response is complete, and would be lost with whatever is answered: #5457.
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
    exchange(of: task)?.noteConnection()
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

/// Runs operations one at a time on a thread of its own.
///
/// The threads that operations share by default are few, and could all be waiting for a session.
private final class DelegateQueue: OperationQueue, @unchecked Sendable {
  // The superclass doesn't retain it. Nothing else is added, so this is as `Sendable` as that is.
  private let thread = DispatchQueue(label: "SessionDriver")

  override init() {
    super.init()
    maxConcurrentOperationCount = 1
    underlyingQueue = thread
  }
}
