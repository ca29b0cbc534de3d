import ManualClocks
import Testing
import TransportPort

/// A body in chunks.
struct Chunks: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<String>

    mutating func next() async -> [UInt8]? { rest.popFirst().map { Array($0.utf8) } }
  }

  let texts: [String]

  init(_ texts: [String]) { self.texts = texts }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: texts[...]) }
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
