import Foundation
import SystemLocks
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The state of one exchange that the caller and the session share.
///
/// The session delivers and completes; the caller waits, takes and cancels. Every continuation is
/// removed from the state under the lock by the one who resumes it, so it is resumed exactly once.
final class URLSessionExchange: HTTPResponseBodySource {
  typealias Head = Result<HTTPExchange.Head, TransportError>
  private typealias Part = Result<HTTPResponseBody.Part, TransportError>

  private struct State {
    var driver: SessionDriver?
    var connectTimer: Task<Void, Never>?
    var informational: [HTTPResponse] = []
    var head: Head?
    var headWaiter: CheckedContinuation<Head, Never>?
    /// The number of content bytes that the head declares, if the session delivers as many.
    var length: Int?
    var received = 0
    var chunks = ChunkQueue()
    var ending: Result<Void, TransportError>?
    var bodyWaiter: CheckedContinuation<Part, Never>?
  }

  /// Whether the exchange may use a kept connection.
  let sharesConnections: Bool

  private let wire: WireRequest
  private let request: URLRequest
  private let upload: Upload?
  private let options: TransportOptions
  /// Keeps the transport alive during the exchange.
  private let owner: URLSessionTransport
  private let state = Mutex(State())

  /// Creates an exchange that has not started.
  ///
  /// - Throws: `TransportError` if a session cannot send the request.
  init(
    _ wire: WireRequest, body: HTTPRequestBody, options: TransportOptions,
    owner: URLSessionTransport
  ) throws(TransportError) {
    self.wire = wire
    self.options = options
    self.owner = owner
    sharesConnections =
      options.reusesConnections && body.isNone && wire.method.isIdempotent
      && !wire.headerFields.list(.connection).contains("close")
    request = try URLRequest(wire, body: body)
    upload = body.bytes == nil ? Upload(try body.makeReader(length: wire.contentLength)) : nil
  }

  /// The origin of the request.
  var origin: HTTPOrigin { wire.origin }

  /// Whether the exchange has ended.
  var isOver: Bool { state.withLock { $0.ending != nil } }
}

// The interface for the caller.
extension URLSessionExchange {
  /// Starts the exchange and waits for the head.
  func head() async -> Head {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early = state.withLock { state in
          if state.head == nil { state.headWaiter = continuation }
          return state.head
        }
        if let early { return continuation.resume(returning: early) }
        guard let upload else { return owner.pool.submit(self) }
        upload.start { failure in
          if let failure { self.finish(.failure(failure)) } else { self.owner.pool.submit(self) }
        }
      }
    } onCancel: {
      cancel()
    }
  }

  func readyPart() throws(TransportError) -> HTTPResponseBody.Part? {
    try state.withLock { Self.takePart(&$0) }?.get()
  }

  nonisolated(nonsending) func nextPart() async throws(TransportError) -> HTTPResponseBody.Part {
    try await withCheckedContinuation { continuation in
      let part = state.withLock { state in
        let part = Self.takePart(&state)
        if part == nil { state.bodyWaiter = continuation }
        return part
      }
      if let part { continuation.resume(returning: part) }
    }.get()
  }

  /// Cancels the exchange, unless it has ended, and discards unread content.
  func cancel() {
    end(.cancelled, "the exchange was cancelled")
    state.withLock { $0.chunks = ChunkQueue() }
  }

  private static func takePart(_ state: inout State) -> Part? {
    if !state.chunks.isEmpty { return .success(.bytes(state.chunks.popFirst())) }
    return state.ending.map { $0.map { .end(trailers: [:]) } }
  }
}

// The interface for the pool and the session.
extension URLSessionExchange {
  /// Starts the exchange on a session.
  func start(on driver: SessionDriver) {
    let isOver = state.withLock { state in
      guard state.ending == nil else { return true }
      state.driver = driver
      if let timeout = options.connectTimeout {
        state.connectTimer = Task {
          guard (try? await ContinuousClock().pause(for: timeout)) != nil else { return }
          self.end(.connectTimeout, "the session reported no connection within \(timeout)")
        }
      }
      return false
    }
    if !isOver { driver.start(self) }
  }

  /// Creates the session task of the exchange.
  func makeTask(in session: URLSession) -> URLSessionTask {
    var request = request
    if let upload { request.httpBodyStream = InputStream(url: upload.file) }
    return session.dataTask(with: request)
  }

  /// Stops the connect timeout, because the session has sent or received something.
  func stopConnectTimer() {
    let timer = state.withLock { state in
      defer { state.connectTimer = nil }
      return state.connectTimer
    }
    timer?.cancel()
  }

  /// Handles the head of an interim or final response.
  func receive(_ urlResponse: URLResponse) {
    stopConnectTimer()
    do throws(TransportError) {
      try take(HTTPResponse(urlResponse, limits: options.headLimits))
    } catch {
      finish(.failure(error))
      if sharesConnections { owner.pool.forgetConnections() }
    }
  }

  /// Handles content.
  func receive(_ data: Data) {
    guard !data.isEmpty else { return }
    let (waiter, part) = state.withLock { state in
      guard state.ending == nil else {
        return (nil as CheckedContinuation<Part, Never>?, nil as Part?)
      }
      state.received += data.count
      state.chunks.append([UInt8](data))
      guard let waiter = state.bodyWaiter else { return (nil, nil) }
      state.bodyWaiter = nil
      return (waiter, Self.takePart(&state))
    }
    if let waiter, let part { waiter.resume(returning: part) }
  }

  /// Handles the completion of the session task.
  ///
  /// - Parameters:
  ///   - error: The session's error, if the task failed.
  ///   - response: The response. FoundationNetworking delivers a 3xx response without Location only
  ///     here.
  func complete(_ error: (any Error)?, response: URLResponse?) {
    if error == nil, let response, state.withLock({ $0.head == nil }) { receive(response) }
    let (hasHead, length, received) = state.withLock {
      ($0.head != nil, $0.length, $0.received)
    }
    var ending = Result<Void, TransportError>.success(())
    if let error {
      ending = .failure(wire.error(from: error, hasHead: hasHead))
    } else if let length, length != received {
      ending = .failure(
        wire.error(
          .truncatedBody, phase: .receivingBody, bytesSent: true,
          detail: "the connection ended after \(received) of \(length) content bytes"))
    }
    finish(ending, isCancelling: false)
  }

  /// Ends the exchange with an error, unless it has ended.
  func end(_ kind: TransportError.Kind, _ detail: String) {
    let (isStarted, hasHead) = state.withLock { ($0.driver != nil, $0.head != nil) }
    let phase: TransportError.Phase =
      kind == .connectTimeout
      ? .connecting : !isStarted ? .preparing : hasHead ? .receivingBody : .awaitingHead
    finish(
      .failure(wire.error(kind, phase: phase, bytesSent: isStarted, detail: detail)))
  }

  private func take(_ response: HTTPResponse) throws(TransportError) {
    if response.status.isInformational {
      let count = state.withLock { state in
        state.informational.append(response)
        return state.informational.count
      }
      guard count <= options.headLimits.informational else {
        throw wire.error(
          .tooManyInformational, phase: .awaitingHead, bytesSent: true,
          detail: "the server sent more than \(options.headLimits.informational) interim responses")
      }
      return
    }
    let framing = try HTTPBodyFraming(of: response, to: wire.method)
    let fields = response.headerFields
    if sharesConnections, fields.contains(.contentLength), fields.contains(.transferEncoding) {
      // Two framings are a sign of request smuggling (RFC 9112 §6.3), so the connection is not
      // reused.
      owner.pool.forgetConnections()
    }
    var response = response
    let isDecoded = framing != .none && response.isDecoded
    let mayBeDecoded = framing != .none && response.isEncoded
    if isDecoded {
      response.headerFields[.contentEncoding] = nil
      response.headerFields[.contentLength] = nil
    }
    let waiter = state.withLock { state -> (() -> Void)? in
      guard state.ending == nil, state.head == nil else { return nil }
      if case .length(let length) = framing, !mayBeDecoded { state.length = length }
      let head = HTTPExchange.Head(
        response: response, informationalResponses: state.informational)
      state.head = .success(head)
      defer { state.headWaiter = nil }
      return state.headWaiter.map { waiter in { waiter.resume(returning: .success(head)) } }
    }
    waiter?()
  }

  /// Ends the exchange, unless it has ended, and resumes the caller.
  ///
  /// - Parameter isCancelling: Whether the session task is still running and must be cancelled.
  private func finish(_ ending: Result<Void, TransportError>, isCancelling: Bool = true) {
    let resume = state.withLock { state -> (() -> Void)? in
      guard state.ending == nil else { return nil }
      state.ending = ending
      if state.head == nil {
        state.head = .failure(
          ending.error
            ?? wire.error(
              .truncatedHead, phase: .awaitingHead, bytesSent: true,
              detail: "the session completed the task without a response"))
      }
      let (headWaiter, head) = (state.headWaiter, state.head)
      let (bodyWaiter, timer, driver) = (state.bodyWaiter, state.connectTimer, state.driver)
      let part = bodyWaiter == nil ? nil : Self.takePart(&state)
      state.headWaiter = nil
      state.bodyWaiter = nil
      state.connectTimer = nil
      state.driver = nil
      return {
        timer?.cancel()
        if let head { headWaiter?.resume(returning: head) }
        if let part { bodyWaiter?.resume(returning: part) }
        if isCancelling { driver?.cancel(self) }
      }
    }
    guard let resume else { return }
    upload?.stop()
    resume()
    owner.pool.release(self)
  }
}

extension Result {
  /// The error of a failure.
  fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
