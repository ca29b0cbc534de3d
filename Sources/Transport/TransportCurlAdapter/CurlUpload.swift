import SystemLocks
import TransportPort

/// A bounded buffer between the producer of a streamed request body and the driver thread.
final class CurlUpload: Sendable {
  /// The result of asking for content to send.
  enum Supply {
    /// This many bytes were copied.
    case copied(Int)
    /// No content is available yet; `unpause` is posted when it is.
    case pending
    /// The content has ended.
    case ended
  }

  /// The number of unsent bytes at which the producer is suspended.
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
    reader = try body.makeReader(length: wire.contentLength)
  }

  /// Starts a task that pulls the content from its producer, unless the exchange has ended.
  func start(for transfer: CurlTransfer, driver: CurlDriver) {
    state.withLock { state in
      // The driver thread may have ended an exchange that its caller cancelled at once.
      guard !state.isStopped else { return }
      state.producer = Task { [reader] in
        do throws(TransportError) {
          while let chunk = try await reader.next() {
            guard await self.offer(chunk, for: transfer, driver: driver) else { return }
          }
          self.end(trailers: try await reader.trailerFields(), for: transfer, driver: driver)
        } catch {
          driver.post(.abort(transfer, error))
        }
      }
    }
  }

  /// Cancels the producer.
  func stop() {
    let (producer, waiter) = state.withLock { state in
      state.isStopped = true
      defer { state.producerWaiter = nil }
      return (state.producer, state.producerWaiter)
    }
    producer?.cancel()
    waiter?.resume()
  }

  /// The fields to send after the content; empty before the content has ended.
  var trailers: HTTPFields { state.withLock { $0.trailers } }

  /// Copies buffered content. The driver thread calls this.
  func copy(into destination: UnsafeMutableRawBufferPointer) -> Supply {
    let (supply, waiter) = state.withLock { state in
      var count = 0
      while count < destination.count, let chunk = state.chunks.first {
        let piece = min(destination.count - count, chunk.count - state.offset)
        chunk.withUnsafeBytes {
          UnsafeMutableRawBufferPointer(rebasing: destination[count...])
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

  /// Buffers a chunk and suspends the producer while the buffer is full.
  ///
  /// - Returns: Whether the producer should continue.
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
