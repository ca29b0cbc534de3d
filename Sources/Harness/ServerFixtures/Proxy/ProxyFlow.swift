import Foundation
import SeededRandom
import SystemPlatform
import SystemThreads

/// The bytes of one direction of a connection.
///
/// One thread reads and stamps each piece with the time at which it may leave; another writes. So a
/// latency does not lower the rate.
///
/// Unchecked, and sound: the state is used with the monitor's lock held, and `random` and `passed` by one
/// thread each.
final class ProxyFlow: @unchecked Sendable {
  private enum Item {
    case bytes([UInt8])
    /// The peer has sent a FIN.
    case end
    /// The connection was reset.
    case failure
  }

  private let source: Int32
  private let sink: Int32
  private let faults: @Sendable () -> ProxyFaults.Flow
  private let cut: @Sendable (ProxyFaults.Ending) -> Void
  private let willPass: @Sendable (Int) -> Void

  private let monitor = Monitor()
  private var queue: [(item: Item, due: ContinuousClock.Instant)] = []
  private var queued = 0
  private var isFinished = false
  /// Whether what is queued is dropped.
  private var isEnded = false

  /// Used by the reading thread.
  private var random: SplitMix64
  private var lastDue = ContinuousClock.now
  /// How many bytes have left. Used by the writing thread.
  private var passed = 0

  /// How many bytes wait at most. More stay in the sockets' buffers, as without a proxy.
  private static let capacity = 1 << 20

  init(
    source: Int32, sink: Int32, seed: UInt64, faults: @escaping @Sendable () -> ProxyFaults.Flow,
    cut: @escaping @Sendable (ProxyFaults.Ending) -> Void,
    willPass: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.source = source
    self.sink = sink
    self.faults = faults
    self.cut = cut
    self.willPass = willPass
    random = SplitMix64(seed: seed)
  }

  /// Drops what has not left, so that no thread waits for its time.
  func end() {
    monitor.withLock {
      isFinished = true
      isEnded = true
      monitor.signal()
    }
  }

  // MARK: - Reading

  /// Reads until the end of the source, on a thread of its own.
  func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(source, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      let item: Item = count > 0 ? .bytes(Array(buffer[..<count])) : count == 0 ? .end : .failure
      // What no writer takes any more is dropped, so that its sender does not block.
      if !faults().isBlackHole { enqueue(item) }
      if count <= 0 {
        // A black hole swallows the end: the sink's side learns nothing, and the writer ends.
        finish()
        return
      }
    }
  }

  /// Adds an item when there is room for it, unless the writer has ended.
  private func enqueue(_ item: Item) {
    let latency = random.draw(faults().latency)
    monitor.withLock {
      while queued >= Self.capacity, !isFinished { monitor.wait(nanoseconds: nil) }
      guard !isFinished else {
        // Both threads may have waited, and a signal wakes one.
        monitor.signal()
        return
      }
      // Bytes keep their order, so none leaves before those ahead of it.
      lastDue = max(lastDue, ContinuousClock.now + latency)
      queue.append((item, lastDue))
      if case .bytes(let bytes) = item { queued += bytes.count }
      monitor.signal()
    }
  }

  private func finish() {
    monitor.withLock {
      isFinished = true
      monitor.signal()
    }
  }

  // MARK: - Writing

  /// Writes until the end of the source or a cut, on a thread of its own.
  func write() {
    while let item = next() {
      switch item {
      case .bytes(let bytes):
        guard send(bytes) else { return finish() }
      case .end:
        shutdown(sink, Int32(SHUT_WR))
        return finish()
      case .failure:
        cut(.reset)
        return finish()
      }
    }
  }

  /// Waits for an item and for its time; returns `nil` if there will be none.
  private func next() -> Item? {
    monitor.withLock {
      while true {
        if isEnded {
          monitor.signal()
          return nil
        }
        if let first = queue.first {
          let left = ContinuousClock.now.duration(to: first.due)
          if left <= .zero {
            queue.removeFirst()
            if case .bytes(let bytes) = first.item { queued -= bytes.count }
            monitor.signal()
            return first.item
          }
          monitor.wait(nanoseconds: Int64(left / .nanoseconds(1)))
        } else if isFinished {
          return nil
        } else {
          monitor.wait(nanoseconds: nil)
        }
      }
    }
  }

  /// Sends bytes at the rate of the faults. Returns whether the flow goes on.
  private func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let faults = faults()
      var piece = rest
      if let rate = faults.bytesPerSecond {
        // About 50 pieces a second.
        piece = rest.prefix(max(1, rate / 50))
        Thread.sleep(forTimeInterval: Double(piece.count) / Double(max(1, rate)))
      }
      if let cut = faults.cut { piece = piece.prefix(max(0, cut.bytes - passed)) }
      // Before it sends, so that whoever has received the bytes finds them counted.
      willPass(piece.count)
      guard sendAll(piece) else { return false }
      passed += piece.count
      rest = rest[piece.endIndex...]
      if let cut = faults.cut, passed >= cut.bytes {
        end(by: cut.ending)
        return false
      }
    }
    return true
  }

  private func end(by ending: ProxyFaults.Ending) {
    if ending == .halfClose {
      shutdown(sink, Int32(SHUT_WR))
    } else {
      cut(ending)
    }
  }

  private func sendAll(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = sendBytes(rest, on: sink)
        if count < 0 {
          if errno == EINTR { continue }
          // The receiver has gone, and the sender must learn it.
          cut(.reset)
          return false
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
  }
}
