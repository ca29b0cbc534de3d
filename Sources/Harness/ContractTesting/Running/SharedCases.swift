import CPlatform
import Foundation
import SystemLocks

/// Runs the cases that the parent process asks for, one after the other, until it closes the
/// connection that is this process's standard input.
///
/// One case of the test stands for all: whatever order the test would run its cases in, the parent
/// decides.
final class SharedCases: Sendable {
  static let shared = SharedCases()

  /// The variable that makes a child process serve.
  static let variable = "CONTRACT_CHILD_SERVES"

  private let cases = Mutex<[String: @Sendable () async throws -> Void]>([:])

  /// Adds cases that the parent can ask for.
  func add<Fixture>(_ cases: [ContractCase<Fixture>]) {
    self.cases.withLock { known in
      for one in cases { known[one.id] = { try await one.verifyNow() } }
    }
  }

  /// Serves until the connection is closed.
  func serve() async {
    let (requests, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    for await id in requests {
      // An error cancels the test case. The journal has the outcome.
      try? await cases.withLock { $0[id] }?()
      _ = platform_send(STDIN_FILENO, "\n", 1)
    }
  }
}
