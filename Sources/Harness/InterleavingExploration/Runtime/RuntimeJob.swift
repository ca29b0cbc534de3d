/// A job of the concurrency runtime, with fields that are read from its memory.
///
/// The search needs to know which task or actor a job runs, and the public interface does not tell.
/// The offsets are those of Swift 6.3 on 64-bit platforms: a job is a heap object (16 bytes)
/// followed by two words for its queue, its flags with the job kind in the low 8 bits, an id, two
/// words, the function to run, and for a task the async frame that the function receives. They are
/// not ABI. ``RuntimeLayout/probed`` therefore compares what is read with known jobs before the
/// first use. If it differs, nothing is read and every job counts as conflicting with every other:
/// the search is slower, never wrong.
///
/// A property may be read only while the job is enqueued, because the runtime frees a job after it
/// has run.
///
/// Source: `swift/ABI/Task.h`, and `JobKind` in `swift/ABI/MetadataValues.h`.
struct RuntimeJob {
  let job: UnownedJob

  /// The kinds of job that the engine distinguishes.
  enum Kind: UInt8 {
    /// A task's next partial function.
    case task = 0
    /// A default actor that runs the tasks waiting for it.
    case actor = 193
    /// The second half of `Task.yield()`: it only makes its task ready again.
    case resumption = 195
    /// Any other job.
    case other = 255
  }

  private var address: UnsafeRawPointer { unsafeBitCast(job, to: UnsafeRawPointer.self) }

  /// The address of the job, and of the task if it is one.
  var pointer: UnsafeRawPointer { address }

  var kind: Kind {
    Kind(rawValue: UInt8(truncatingIfNeeded: word32(at: 32))) ?? .other
  }

  /// The raw value of the job's priority.
  var priority: UInt8 { UInt8(truncatingIfNeeded: word32(at: 32) >> 8) }

  /// A number that identifies a task within a run.
  ///
  /// The address alone does not, because a new task may get the memory of an ended one. The
  /// runtime's id differs between the two.
  var taskKey: UInt { UInt(bitPattern: address) ^ UInt(word32(at: 36)) << 40 }

  /// The address of the partial function that a task runs next.
  var resumption: UInt { address.load(fromByteOffset: 56, as: UInt.self) }

  /// The async frame with which a task resumes.
  var frame: UInt { address.load(fromByteOffset: 64, as: UInt.self) }

  /// The frame that called the one with which a task resumes. A frame's first word points to its
  /// caller.
  var callingFrame: UInt {
    UnsafeRawPointer(bitPattern: frame)?.load(as: UInt.self) ?? 0
  }

  /// The actor that a job of kind ``Kind/actor`` runs.
  var actor: UnsafeRawPointer { address.load(fromByteOffset: 64, as: UnsafeRawPointer.self) }

  /// The job at the head of a default actor's queue.
  ///
  /// Arrivals are pushed at the head without a lock. The actor reverses the list only when its turn
  /// begins, so before that the head is the newest job.
  ///
  /// - Returns: `nil` if the queue is empty.
  static func newestJob(waitingFor actor: UnsafeRawPointer) -> UnownedJob? {
    actor.load(fromByteOffset: 40, as: UInt.self) == 0
      ? nil : actor.load(fromByteOffset: 40, as: UnownedJob.self)
  }

  /// The next job in the actor's queue, which was added before this one.
  ///
  /// The runtime uses the low two bits of the link as flags.
  var olderJob: UnownedJob? {
    address.load(fromByteOffset: 16, as: UInt.self) & ~3 == 0
      ? nil : address.load(fromByteOffset: 16, as: UnownedJob.self)
  }

  private func word32(at offset: Int) -> UInt32 {
    address.load(fromByteOffset: offset, as: UInt32.self)
  }
}
