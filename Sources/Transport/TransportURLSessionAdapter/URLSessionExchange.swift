import Foundation
import SystemLocks
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the caller of one exchange and its session share.
///
/// The session delivers and completes; the caller waits, takes and cancels. Every continuation is
/// taken out of the state under the lock, so that it is resumed once.
final class URLSessionExchange: HTTPResponseBodySource {
  /// A complete head with what came before it.
  struct Head: Sendable {
    var response: HTTPResponse
    var informationalResponses: [HTTPResponse]
  }

  private typealias Part = Result<HTTPResponseBody.Part, TransportError>

  private struct State {
    var driver: SessionDriver?
    var connectTimer: Task<Void, Never>?
    var informational: [HTTPResponse] = []
    var head: Result<Head, TransportError>?
    var headWaiter: CheckedContinuation<Result<Head, TransportError>, Never>?
    /// How many bytes of content the head announces, where it does.
    var length: Int?
    var received = 0
    var chunks = ChunkQueue()
    var ending: Result<Void, TransportError>?
    var bodyWaiter: CheckedContinuation<Part, Never>?
  }

  /// Whether the exchange may use a connection that others used before.
  let sharesConnections: Bool

  private let wire: WireRequest
  private let request: URLRequest
  private let upload: Upload?
  private let options: TransportOptions
  /// The transport, which is to live as long as the exchange.
  private let owner: URLSessionTransport
  private let state = Mutex(State())

  /// An exchange that is still to be carried out.
  ///
  /// - Throws: ``TransportError`` where the session can't send the request.
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
    upload = body.bytes == nil ? Upload(try body.makeReader(length: wire.length)) : nil
  }

  /// Whom the exchange is with.
  var origin: HTTPOrigin { wire.origin }

  /// Whether the exchange has ended.
  var isOver: Bool { state.withLock { $0.ending != nil } }
}

// The caller's side.
extension URLSessionExchange {
  /// Begins the exchange and waits for the head.
  func head() async -> Result<Head, TransportError> {
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

  /// Ends the exchange, unless it has ended, and forgets what nobody will read.
  func cancel() {
    end(.cancelled, "the exchange was cancelled")
    state.withLock { $0.chunks = ChunkQueue() }
  }

  private static func takePart(_ state: inout State) -> Part? {
    if !state.chunks.isEmpty { return .success(.bytes(state.chunks.popFirst())) }
    return state.ending.map { $0.map { .end(trailers: [:]) } }
  }
}

// The pool's and the session's side.
extension URLSessionExchange {
  /// Hands the exchange to a session.
  func start(on driver: SessionDriver) {
    let isOver = state.withLock { state in
      guard state.ending == nil else { return true }
      state.driver = driver
      if let timeout = options.connectTimeout {
        state.connectTimer = Task {
          guard (try? await Task.sleep(for: timeout)) != nil else { return }
          self.end(.connectTimeout, "there is no sign of a connection after \(timeout)")
        }
      }
      return false
    }
    if !isOver { driver.start(self) }
  }

  /// The task that carries the exchange out.
  func makeTask(in session: URLSession) -> URLSessionTask {
    var request = request
    if let upload { request.httpBodyStream = InputStream(url: upload.file) }
    return session.dataTask(with: request)
  }

  /// Takes note that the peer can be reached.
  func noteConnection() {
    let timer = state.withLock { state in
      defer { state.connectTimer = nil }
      return state.connectTimer
    }
    timer?.cancel()
  }

  /// Takes the head of an interim or the final response.
  func receive(_ urlResponse: URLResponse) {
    noteConnection()
    do throws(TransportError) {
      try take(HTTPResponse(urlResponse, limits: options.headLimits))
    } catch {
      finish(.failure(error))
      if sharesConnections { owner.pool.forgetConnections() }
    }
  }

  /// Takes content.
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

  /// Takes note that the session is done with the exchange.
  ///
  /// - Parameters:
  ///   - error: What the session says went wrong.
  ///   - response: The response, which FoundationNetworking doesn't hand out before where it is one
  ///     from 301 to 308 without a Location.
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
          detail: "\(received) of \(length) bytes came before the connection ended"))
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
          detail: "more than \(options.headLimits.informational) interim responses came")
      }
      return
    }
    let framing = try HTTPBodyFraming(of: response, to: wire.method)
    let fields = response.headerFields
    if sharesConnections, fields.contains(.contentLength), fields.contains(.transferEncoding) {
      // Whoever frames content in two ways must not be trusted with another request.
      owner.pool.forgetConnections()
    }
    var response = response
    let isDecoded = framing != .none && response.isDecoded
    if isDecoded {
      response.headerFields[.contentEncoding] = nil
      response.headerFields[.contentLength] = nil
    }
    let waiter = state.withLock { state -> (() -> Void)? in
      guard state.ending == nil, state.head == nil else { return nil }
      if case .length(let length) = framing, !isDecoded { state.length = length }
      let head = Head(response: response, informationalResponses: state.informational)
      state.head = .success(head)
      defer { state.headWaiter = nil }
      return state.headWaiter.map { waiter in { waiter.resume(returning: .success(head)) } }
    }
    waiter?()
  }

  /// Ends the exchange, unless it has ended, and wakes whoever waits.
  ///
  /// - Parameter isCancelling: Whether the session is still at it.
  private func finish(_ ending: Result<Void, TransportError>, isCancelling: Bool = true) {
    let resume = state.withLock { state -> (() -> Void)? in
      guard state.ending == nil else { return nil }
      state.ending = ending
      if state.head == nil {
        state.head = .failure(
          ending.error
            ?? wire.error(
              .truncatedHead, phase: .awaitingHead, bytesSent: true,
              detail: "the session ended the exchange without a response"))
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
  /// The error, where it is one.
  fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension WireRequest {
  /// The length of the content, where it is marked by that.
  fileprivate var length: Int? { if case .length(let length) = framing { length } else { nil } }
}
