import Foundation

/// Waits for cases that hang while their judges go on, and bounds how many processes do so at once.
final class WaitingRoom: Sendable {
  private let seats: DispatchSemaphore
  private let waiting = DispatchGroup()

  /// Creates a room.
  ///
  /// - Parameter seats: How many cases may wait at once. A judge that finds no seat for its case
  ///   waits itself.
  init(seats: Int) { self.seats = DispatchSemaphore(value: seats) }

  /// Waits for a case, on a thread of its own if a seat is free.
  ///
  /// - Parameter finish: Takes what became of the case, on any thread.
  func wait(
    for hanging: HangingCase, _ finish: @escaping @Sendable (HangingCase.Sequel) -> Void
  ) {
    guard seats.wait(timeout: .now()) == .success else { return finish(hanging.sequel()) }
    // The judge has given it up: only the new thread uses it.
    nonisolated(unsafe) let hanging = hanging
    waiting.enter()
    Thread.detachNewThread {
      finish(hanging.sequel())
      self.seats.signal()
      self.waiting.leave()
    }
  }

  /// Returns when no case waits on a thread of its own.
  func waitForAll() { waiting.wait() }
}
