import CPlatform
import ContractEvidence
import Foundation

/// Says which case ended this process by a signal, in the journal and on standard error.
///
/// Without this notice the journal shows only which of the concurrent cases had not ended. The signal handler
/// runs on the thread that crashed and reads the task-local value of that thread's task. It replaces the handler
/// of Swift's backtraces; `CONTRACT_BACKTRACE` keeps that one.
enum CrashNotice {
  // Set once, before the first case runs, because a signal handler must not take locks or allocate.
  nonisolated(unsafe) private static var journal: CInt = -1
  nonisolated(unsafe) private static var run: [UInt8] = []
  nonisolated(unsafe) private static var text = UnsafeMutableBufferPointer<UInt8>(
    start: nil, count: 0)

  /// The handlers that were installed before, by signal.
  nonisolated(unsafe) private static let earlier = UnsafeMutablePointer<sigaction>.allocate(
    capacity: 64)

  /// Installs the handler for the signals that a process causes itself (signal(7)).
  ///
  /// - Parameters:
  ///   - run: The run's id.
  ///   - journal: The journal's file, or `nil` if there is none.
  static func install(run: String, journal: CInt?) {
    guard getenv("CONTRACT_BACKTRACE") == nil else { return }
    Self.journal = journal ?? -1
    Self.run = Array(run.utf8)
    text = .allocate(capacity: 4096)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      earlier[Int(number)] = sigaction()
      var action = sigaction()
      platform_set_handler(&action) { CrashNotice.handle($0) }
      action.sa_flags = Int32(SA_ONSTACK)
      sigaction(number, &action, earlier + Int(number))
    }
  }

  /// Handles a signal. One that no case caused is the earlier handler's: when this function returns,
  /// the instruction is repeated and crashes again.
  private static func handle(_ number: CInt) {
    guard let id = RunningCase.current?.id else {
      sigaction(number, earlier + Int(number), nil)
      return
    }
    Foundation.signal(number, SIG_DFL)
    write(id, signal: number)
    // Blocked until this function returns, and then it ends the process.
    raise(number)
  }

  private static func write(_ id: [UInt8], signal: CInt) {
    var record = SignalSafeText(buffer: text)
    record.append("{\"version\":2,\"case\":\"")
    record.append(id)
    record.append("\",\"event\":\"process-crashed\",\"run\":\"")
    record.append(run)
    record.append("\",\"signal\":")
    record.append(Int(signal))
    record.append(",\"time\":")
    record.append(time(nil))
    record.append("}\n")
    if journal >= 0 { record.write(to: journal) }
    var message = SignalSafeText(buffer: text)
    message.append("\n‼ ")
    message.append(id)
    message.append(" crashed, which ended the test process and with it every other case.\n")
    message.append("  To keep the others running, declare its implementation .inOwnProcess().\n")
    message.append("  The results so far: swift run contracts report\n")
    message.append("  This case with a backtrace: CONTRACT_BACKTRACE=1 CONTRACT='")
    message.append(id)
    message.append("' swift test\n")
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

  mutating func append(_ bytes: [UInt8]) {
    for byte in bytes { append(byte) }
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
