import SystemLocks
import TransportPort

/// The body of one request on its way from its producer to the driver, unless it is in memory.
final class CurlUpload: Sendable {
  /// What there is to send at the moment.
  enum Supply {
    /// So many bytes were copied.
    case copied(Int)
    /// The producer is not so far; the driver will be told when it is.
    case pending
    /// Everything was sent.
    case ended
  }

  /// From this many unsent bytes on, the producer waits.
  private static let highWater = 256 * 1024

  private struct State {
    var chunks: [[UInt8]] = []
    var offset = 0
    var unsentBytes = 0
    var isEnded = false
    var isStopped = false
    var isDriverWaiting = false
    var trailers: HTTPFields = [:]
    var producer: Task<Void, Never>?
    var producerWaiter: CheckedContinuation<Void, Never>?
  }

  private let reader: HTTPRequestBody.Reader
  private let state = Mutex(State())

  init(_ wire: WireRequest, body: HTTPRequestBody) throws(TransportError) {
    var length: Int?
    if case .length(let count) = wire.framing { length = count }
    reader = try body.makeReader(length: length)
  }

  /// Begins to pull the content.
  func start(for transfer: CurlTransfer, driver: CurlDriver) {
    let producer = Task { [reader] in
      do throws(TransportError) {
        while let chunk = try await reader.next() {
          guard await self.offer(chunk, for: transfer, driver: driver) else { return }
        }
        self.end(trailers: try await reader.trailerFields(), for: transfer, driver: driver)
      } catch {
        driver.post(.abort(transfer, error))
      }
    }
    let isStopped = state.withLock { state in
      state.producer = producer
      return state.isStopped
    }
    if isStopped { producer.cancel() }
  }

  /// Ends the producer.
  func stop() {
    let (producer, waiter) = state.withLock { state in
      state.isStopped = true
      state.chunks = []
      defer {
        state.producer = nil
        state.producerWaiter = nil
      }
      return (state.producer, state.producerWaiter)
    }
    producer?.cancel()
    waiter?.resume()
  }

  /// The fields to send after the content.
  var trailers: HTTPFields { state.withLock { $0.trailers } }

  /// Copies what there is to send; called by the driver.
  func copy(into space: UnsafeMutableRawBufferPointer) -> Supply {
    let (supply, waiter) = state.withLock { state in
      var count = 0
      while count < space.count, let chunk = state.chunks.first {
        let piece = min(space.count - count, chunk.count - state.offset)
        chunk.withUnsafeBytes {
          UnsafeMutableRawBufferPointer(rebasing: space[count...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[state.offset...].prefix(piece)))
        }
        count += piece
        state.offset += piece
        if state.offset == chunk.count {
          state.chunks.removeFirst()
          state.offset = 0
        }
      }
      state.unsentBytes -= count
      let waiter = state.unsentBytes < Self.highWater ? state.producerWaiter : nil
      if waiter != nil { state.producerWaiter = nil }
      if count > 0 { return (Supply.copied(count), waiter) }
      if state.isEnded { return (.ended, waiter) }
      state.isDriverWaiting = true
      return (.pending, waiter)
    }
    waiter?.resume()
    return supply
  }

  /// Takes a chunk, and waits while too much is unsent.
  ///
  /// - Returns: Whether more is wanted.
  private func offer(
    _ chunk: [UInt8], for transfer: CurlTransfer, driver: CurlDriver
  ) async -> Bool {
    let wakesDriver = state.withLock { state in
      state.chunks.append(chunk)
      state.unsentBytes += chunk.count
      defer { state.isDriverWaiting = false }
      return state.isDriverWaiting
    }
    if wakesDriver { driver.post(.unpause(transfer)) }
    await withCheckedContinuation { continuation in
      let waits = state.withLock { state in
        guard state.unsentBytes >= Self.highWater, !state.isStopped else { return false }
        state.producerWaiter = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
    return state.withLock { !$0.isStopped }
  }

  private func end(trailers: HTTPFields, for transfer: CurlTransfer, driver: CurlDriver) {
    let wakesDriver = state.withLock { state in
      state.isEnded = true
      state.trailers = trailers
      defer { state.isDriverWaiting = false }
      return state.isDriverWaiting
    }
    if wakesDriver { driver.post(.unpause(transfer)) }
  }
}
