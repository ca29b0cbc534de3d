/// The stage of a transfer on the driver thread.
///
/// A transfer may skip stages, but never goes back. Only ``CurlLoop`` advances it, so the loop's
/// collections always agree with the stage.
struct TransferState {
  /// A stage in the life of a transfer.
  enum Stage {
    /// The driver thread has not received the transfer.
    case posted
    /// The driver thread has received the transfer and not yet started or queued it.
    case arrived
    /// Waiting for a connection.
    case queued(CurlQueue.Lane, ticket: Int)
    case running(CurlHandle)
    case ended
  }

  private(set) var stage = Stage.posted

  /// Moves the transfer to a later stage.
  mutating func advance(to next: Stage) {
    assert(mayAdvance(to: next), "a transfer can't go from \(stage) to \(next)")
    stage = next
  }

  /// Whether a stage comes after the current one.
  func mayAdvance(to next: Stage) -> Bool { next.order > stage.order }
}

extension TransferState.Stage {
  fileprivate var order: Int {
    switch self {
    case .posted: 0
    case .arrived: 1
    case .queued: 2
    case .running: 3
    case .ended: 4
    }
  }
}
