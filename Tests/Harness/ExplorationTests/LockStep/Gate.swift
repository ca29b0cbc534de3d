import Dispatch

/// A thing to block on.
enum Gate {
  /// Nobody ever opens it: what waits here hangs with its thread.
  static let closed = DispatchSemaphore(value: 0)
}
