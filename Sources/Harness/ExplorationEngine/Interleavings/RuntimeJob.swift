/// What the concurrency runtime keeps in a job, read from its memory.
///
/// The layout is not official, so it is read only after ``RuntimeJob/isReadable`` has compared it
/// with what a few jobs are known to hold. Where it cannot be read, every job counts as
/// conflicting with every other: slower, never wrong.
struct RuntimeJob {
  let job: UnownedJob

  /// The kinds of job that the engine tells apart.
  enum Kind: UInt8 {
    /// A task's next partial function.
    case task = 0
    /// A default actor that runs the tasks waiting for it.
    case actor = 193
    /// The second half of `Task.yield()`: it only makes its task ready again.
    case resumption = 195
    /// Anything else.
    case other = 255
  }

  private var address: UnsafeRawPointer { unsafeBitCast(job, to: UnsafeRawPointer.self) }

  var kind: Kind {
    Kind(rawValue: UInt8(truncatingIfNeeded: word32(at: 32))) ?? .other
  }

  /// Distinguishes tasks, also when the memory of an ended task is used again.
  var taskKey: UInt { UInt(bitPattern: address) ^ UInt(word32(at: 36)) << 40 }

  /// The address of the partial function that a task runs next.
  var resumption: UInt { address.load(fromByteOffset: 56, as: UInt.self) }

  /// The frame with which a task goes on.
  var frame: UInt { address.load(fromByteOffset: 64, as: UInt.self) }

  /// The frame that called the one with which a task goes on.
  var callingFrame: UInt {
    UnsafeRawPointer(bitPattern: frame)?.load(as: UInt.self) ?? 0
  }

  /// The actor that an actor job runs.
  var actor: UnsafeRawPointer { address.load(fromByteOffset: 64, as: UnsafeRawPointer.self) }

  /// The task that was added last to an actor's queue, as a job, or `nil` for an empty queue.
  static func newestJob(waitingFor actor: UnsafeRawPointer) -> UnownedJob? {
    actor.load(fromByteOffset: 40, as: UInt.self) == 0
      ? nil : actor.load(fromByteOffset: 40, as: UnownedJob.self)
  }

  /// The job that was added to the actor's queue just before this one.
  var olderJob: UnownedJob? {
    address.load(fromByteOffset: 16, as: UInt.self) & ~3 == 0
      ? nil : address.load(fromByteOffset: 16, as: UnownedJob.self)
  }

  private func word32(at offset: Int) -> UInt32 {
    address.load(fromByteOffset: offset, as: UInt32.self)
  }
}
