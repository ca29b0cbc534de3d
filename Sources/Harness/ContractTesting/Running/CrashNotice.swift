import CPlatform
import ContractEvidence
import Foundation
import SystemLocks

/// Says which case ended this process by a signal, in the journal and on standard error.
///
/// The signal handler runs on the thread that crashed and reads the task-local value of that thread's task. If
/// that task runs no case, such as a detached one, the handler names every case that ran. Then the earlier handler
/// gets the signal, such as that of Swift's backtraces.
enum CrashNotice {
  /// The slot of the case that the current task runs.
  @TaskLocal static var current: Int?

  /// Ids in UTF-8, each with a null byte after it, where a signal handler can read them: at most ``slotCount``
  /// cases run at the same time, and the others have no slot.
  nonisolated(unsafe) private static let slots: UnsafeMutablePointer<CChar> = {
    let slots = UnsafeMutablePointer<CChar>.allocate(capacity: slotCount * slotSize)
    slots.initialize(repeating: 0, count: slotCount * slotSize)
    return slots
  }()
  private static let free = Mutex(Array(0..<slotCount))
  private static var slotCount: Int { 64 }
  private static var slotSize: Int { 256 }

  /// The size in bytes of a thread's stack for signal handlers, which a stack overflow needs.
  private static var stackSize: Int { 128 * 1024 }

  // Set once, before the first case runs, because a signal handler must not take locks or allocate.
  nonisolated(unsafe) private static var journal: CInt = -1
  nonisolated(unsafe) private static var run: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var ids: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var text = UnsafeMutableBufferPointer<UInt8>(
    start: nil, count: 0)

  /// Installs the handler for the signals that a process causes itself (signal(7)).
  ///
  /// - Parameters:
  ///   - run: The run's id.
  ///   - journal: The journal's file, or `nil` if there is none.
  static func install(run: String, journal: CInt?) {
    self.journal = journal ?? -1
    self.run = strdup(run)
    ids = slots
    text = .allocate(capacity: 16_384)
    platform_on_crash { CrashNotice.write(signal: $0) }
  }

  /// Begins a case: the handler knows it, and this thread has a stack for the handler.
  ///
  /// - Returns: The case's slot, or `nil` if there is none left.
  static func begin(_ id: CaseID) -> Int? {
    giveSignalStack()
    let text = id.description.utf8
    guard text.count < slotSize, let slot = free.withLock({ $0.popLast() }) else { return nil }
    // The first byte comes last, so that the handler sees no part of an id.
    let start = slots + slot * slotSize
    for (index, byte) in text.enumerated().reversed() { start[index] = CChar(bitPattern: byte) }
    return slot
  }

  /// Ends a case.
  static func end(_ slot: Int?) {
    guard let slot else { return }
    (slots + slot * slotSize).update(repeating: 0, count: slotSize)
    free.withLock { $0.append(slot) }
  }

  /// Gives this thread a stack for signal handlers unless it has one. The memory stays until the process ends.
  private static func giveSignalStack() {
    var stack = stack_t()
    guard sigaltstack(nil, &stack) == 0, stack.ss_flags & Int32(SS_DISABLE) != 0 else { return }
    stack.ss_sp = .allocate(byteCount: stackSize, alignment: 16)
    stack.ss_size = stackSize
    stack.ss_flags = 0
    sigaltstack(&stack, nil)
  }

  /// Writes the notice. It is called by the signal handler.
  private static func write(signal: CInt) {
    guard let run, let ids else { return }
    let slot = current
    if let slot, journal >= 0 {
      var record = SignalSafeText(buffer: text)
      record.append("{\"version\":2,\"case\":\"")
      record.append(ids + slot * slotSize)
      record.append("\",\"event\":\"process-crashed\",\"run\":\"")
      record.append(run)
      record.append("\",\"signal\":")
      record.append(Int(signal))
      record.append(",\"time\":")
      record.append(time(nil))
      record.append("}\n")
      record.write(to: journal)
    }
    var message = SignalSafeText(buffer: text)
    message.append("\n‼ signal ")
    message.append(Int(signal))
    message.append(" ends the test process, and with it every other case. ")
    message.append(slot == nil ? "These cases ran, and one of them is the cause:\n" : "The case:\n")
    for one in 0..<slotCount where slot.map({ $0 == one }) ?? (ids[one * slotSize] != 0) {
      message.append("  ")
      message.append(ids + one * slotSize)
      message.append("\n  to run only this case: CONTRACT='")
      message.append(ids + one * slotSize)
      message.append("' swift test\n")
    }
    message.append(
      "  In the next run these have a process of their own. To give their implementation one in\n")
    message.append(
      "  every run, declare it .inOwnProcess(). The results so far: swift run contracts report\n")
    message.write(to: STDERR_FILENO)
  }
}

/// Text in memory that is allocated beforehand; what has no room is left out.
private struct SignalSafeText {
  var buffer: UnsafeMutableBufferPointer<UInt8>
  private var count = 0

  init(buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  mutating func append(_ byte: UInt8) {
    guard count < buffer.count else { return }
    buffer[count] = byte
    count += 1
  }

  mutating func append(_ text: UnsafePointer<CChar>) {
    var next = text
    while next.pointee != 0 {
      append(UInt8(bitPattern: next.pointee))
      next += 1
    }
  }

  mutating func append(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { append(text.utf8Start[index]) }
  }

  /// Appends a number from 0.
  mutating func append(_ number: Int) {
    var divisor = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }

  func write(to descriptor: CInt) { _ = Foundation.write(descriptor, buffer.baseAddress, count) }
}
