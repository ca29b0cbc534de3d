import ContractEvidence
import ContractReports
import Foundation
import Testing

/// A case that ends the test process is named, and has a process of its own in the next run.
@Suite struct CrashNoticeTests {
  @Test(
    arguments: [
      ("crashingInPlace", "trapping", [SIGILL, SIGTRAP]),
      ("overflowing", "overflowing", [SIGSEGV, SIGBUS]),
      ("aborting", "aborting", [SIGABRT]),
    ])
  func `a crash in place names the one case, and what to do`(
    specimen: String, implementation: String, signals: [CInt]
  ) async throws {
    let run = try await SpecimenRun(specimen)
    #expect(signals.contains(-run.status), "\(run.status)")
    let crashed = run.matrix.results.filter { $0.outcome.isFailure }
    #expect(crashed.count == 1)
    let id = try #require(crashed.first?.id)
    #expect(id.implementation == implementation)
    #expect(crashed.first?.outcome == .crashed(signal: -run.status))
    for sentence in [
      "‼ signal \(-run.status) ends the test process, and with it every other case. The case:\n  \(id)\n",
      "to run only this case: CONTRACT='\(id)' swift test",
      "To give their implementation one in\n  every run, declare it .inOwnProcess()",
      "swift run contracts report",
    ] {
      #expect(run.output.contains(sentence), "\(run.output)")
    }
    #expect(run.journal.damage.isEmpty)
  }

  @Test func `a crash in a task of no case names every case that ran`() async throws {
    let run = try await SpecimenRun("crashingDetached")
    #expect([SIGILL, SIGTRAP].contains(-run.status))
    #expect(run.output.contains("These cases ran, and one of them is the cause:\n"))
    #expect(run.output.contains("@detached\n"), "\(run.output)")
  }

  @Test func `the earlier handler gets the signal too`() async throws {
    let run = try await SpecimenRun(
      "crashingInPlace",
      environment: ["SWIFT_BACKTRACE": "enable=yes,symbolicate=off,color=no,interactive=no"])
    #expect([SIGILL, SIGTRAP].contains(-run.status))
    #expect(run.output.contains("to run only this case"))
    #expect(run.output.contains("Program crashed"), "\(run.output)")
  }

  @Test(arguments: ["crashingInPlace", "overflowing", "crashingDetached"])
  func `the next run gives what may have crashed a process of its own`(
    specimen: String
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("crashes-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try await SpecimenRun(specimen, in: folder)
    #expect(first.status < 0)
    // The third run knows it from the outcome in the second.
    for _ in 1...2 {
      let next = try await SpecimenRun(specimen, in: folder)
      #expect(next.status == 1, "\(next.output)")
      #expect(next.output.contains("may have ended the test process of the previous run"))
      let crashed = next.matrix.results.filter {
        if case .crashed = $0.outcome { true } else { false }
      }
      #expect(!crashed.isEmpty)
      #expect(next.outcome("counter/adds@sound") == .passed)
    }
  }
}
