import Foundation
import SystemProcesses
import Testing

/// What a program links with an exploration.
@Suite(.onObservedRuntime) struct LinkedSymbolTests {
  @Test func `a program that explores in lock-step interposes no function`() async throws {
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let program = tests.deletingLastPathComponent().appending(path: "example-writer")
    #expect(try await interposed(in: program) == [])
    // These tests link the exploration of interleavings.
    let expected: Set = [
      "swift_task_create", "swift_task_switch", "pthread_mutex_lock", "syscall", "dispatch_async",
    ]
    #expect(try await interposed(in: tests).isSuperset(of: expected))
  }

  /// The functions of the runtime and of libraries that a program defines for itself.
  private func interposed(in program: URL) async throws -> Set<String> {
    let run = try await ProgramRun([
      "/usr/bin/env", "nm", "--dynamic", "--defined-only", program.path,
    ])
    let names = run.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
    #expect(!names.isEmpty, "\(run.errors)")
    return Set(
      names.map(String.init).filter { name in
        ["swift_task", "swift_async", "swift_continuation", "pthread_", "dispatch_", "cfibers_"]
          .contains { name.hasPrefix($0) } || name == "syscall"
      })
  }
}
