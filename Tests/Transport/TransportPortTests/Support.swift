import ManualClocks
import Testing
import TransportPort

/// A body in chunks, which may end with an error.
struct Chunks: AsyncSequence, Sendable {
  struct Failed: Error {}

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>
    let fails: Bool

    mutating func next() async throws -> [UInt8]? {
      if let chunk = rest.popFirst() { return chunk }
      if fails { throw Failed() }
      return nil
    }
  }

  var chunks: [[UInt8]]
  var fails = false

  init(_ texts: [String], fails: Bool = false) {
    self.chunks = texts.map { Array($0.utf8) }
    self.fails = fails
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(rest: chunks[...], fails: fails)
  }
}

extension [UInt8] {
  /// The bytes split into pieces of random sizes.
  func split(using generator: inout some RandomNumberGenerator) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = self[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...Swift.max(1, count / 3), using: &generator))
      pieces.append([UInt8](piece))
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }

  /// The bytes as text.
  var text: String { String(decoding: self, as: UTF8.self) }
}

/// The result of an exchange: the status, the content received, and the error that ended it.
struct Outcome: Sendable {
  var status: Int?
  var body: [UInt8] = []
  var error: TransportError?

  /// Sends a request and reads the response until it ends or fails.
  init(
    of transport: any HTTPTransport, _ request: HTTPRequest, body: HTTPRequestBody = .none,
    options: TransportOptions = TransportOptions()
  ) async {
    do throws(TransportError) {
      let exchange = try await transport.send(request, body: body, options: options)
      status = exchange.response.status.code
      var iterator = exchange.body.makeAsyncIterator()
      while let chunk = try await iterator.next() { self.body += chunk }
    } catch {
      self.error = error
    }
  }
}

/// A transport that returns the exchange of a closure, to observe how a policy uses its base.
struct StubTransport: HTTPTransport {
  let answer: @Sendable (HTTPRequest) -> HTTPExchange

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    answer(request)
  }
}

/// Advances a clock in steps, each as soon as enough tasks sleep on it, until a task has ended.
func advance<Value: Sendable>(
  _ clock: ManualClock, by step: Duration, sleepers: Int = 1, until task: Task<Value, Never>
) async -> Value {
  let driver = Task {
    while !Task.isCancelled {
      await clock.waitForSleepers(sleepers)
      if Task.isCancelled { return }
      clock.advance(by: step)
    }
  }
  let value = await task.value
  driver.cancel()
  return value
}
