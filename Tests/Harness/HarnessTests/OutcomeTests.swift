import ContractEvidence
import ContractReports
import Foundation
import SystemProcesses
import Testing

/// Each outcome, on a specimen that produces it.
@Suite struct OutcomeTests {
  @Test func `correct implementations pass`() async throws {
    let run = try await SpecimenRun("sound")
    #expect(run.status == 0)
    #expect(run.outcome("counter/adds@sound") == .passed)
    #expect(run.outcome("counter/remembers@sound-live") == .passed)
    #expect(
      run.outcome("counter/lacks-memory@sound")
        == .notApplicable(capability: "memory", reason: "has memory"))
    #expect(run.matrix.tables.first?.rows.map(\.verdict) == [.agree, .agree, nil])
    #expect(run.output.contains("6 cases · 4 passed · 0 failed · 2 not applicable"))
  }

  /// A process prints the matrix of its own run; the tool merges journals.
  @Test(
    arguments: [
      "everyOutcome", "sound|both", "witnessed", "versioned", "weakSaboteurs", "dropped", "overdue",
    ])
  func `a run ends with the report that the tool makes of its journal`(
    specimens: String
  ) async throws {
    let run = try await SpecimenRun(specimens)
    let report = TerminalReport(run.matrix, showsAll: true).text
    #expect(report.contains("strength: "))
    #expect(run.output.contains(report), "\(run.output)\n--- expected ---\n\(report)")
  }

  @Test
  func `a clause that does not hold fails at its line, with the command to run only its case`()
    async throws
  {
    let run = try await SpecimenRun("failing")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@stuck") == .failed)
    #expect(run.outcome("counter/adds@sound") == .passed)
    let issue = try #require(run.result("counter/adds@stuck")?.issues.first)
    #expect(issue.file == "harness_specimens/Specimens.swift")
    #expect(issue.message.contains("the sum is too small"))
    #expect(
      run.output.contains(
        "CONTRACT='counter/adds@stuck' swift test --filter 'harness_specimens.Specimens/cases'"))
    #expect(run.matrix.tables.first?.rows.first?.verdict == .realityMoved)
  }

  @Test func `a declared deviation does not fail, and keeps its reason`() async throws {
    let run = try await SpecimenRun("deviating")
    #expect(run.status == 0)
    #expect(run.outcome("counter/adds@stuck") == .deviates(reason: "it is stuck"))
    let deviation = run.matrix.tables.first?.columns.first?.implementation.deviations
      .first { $0.clause == "adds" }
    #expect(deviation?.link == "https://bugs.example/1")
    #expect(deviation?.kind == "bug")
  }

  @Test func `a deviation that holds again fails and names the line to remove`() async throws {
    let run = try await SpecimenRun("noLongerDeviating")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@sound") == .failed)
    #expect(
      run.output.contains(
        "no longer deviates: remove .deviating(from: \"adds\") at harness_specimens/Specimens.swift:"
      ))
  }

  @Test func `an intermittent deviation may hold or not`() async throws {
    let run = try await SpecimenRun("intermittent")
    #expect(run.status == 0)
    #expect(run.outcome("counter/adds@sound") == .passed)
    #expect(run.outcome("counter/adds@stuck") == .deviates(reason: "sometimes stuck"))
    #expect(run.outcome("counter/remembers@sound") == .passed, "other clauses are not affected")
  }

  @Test func `an implementation whose condition is not met is unavailable, and no evidence`()
    async throws
  {
    let run = try await SpecimenRun("unavailable")
    #expect(run.status == 0)
    #expect(
      run.outcome("counter/adds@sound-live")
        == .unavailable(reason: "condition not met: the moon is full"))
    #expect(run.matrix.tables.first?.rows.first?.verdict == .unproven)
  }

  @Test func `an error that says nothing about behaviour is no failure`() async throws {
    let run = try await SpecimenRun("refused")
    #expect(run.status == 1)
    for clause in ["adds", "remembers"] {
      for name in ["unmade", "refusing", "refusing-alone"] {
        #expect(
          run.outcome("counter/\(clause)@\(name)") == .unavailable(reason: "the counter refused"),
          "\(clause) \(name)")
      }
    }
    #expect(run.outcome("counter/adds@late") == .failed, "an issue came before the refusal")
    #expect(run.outcome("counter/adds@other") == .failed, "the error is another")
    #expect(run.matrix.tables.first?.rows.first?.verdict == .fails)
    let required = try await SpecimenRun("refused", environment: ["CONTRACT_REQUIRE": "live"])
    #expect(required.outcome("counter/adds@refusing") == .failed)
    #expect(required.output.contains("requires it: the counter refused"))
  }

  @Test func `an implementation says its version, and the run its commit`() async throws {
    let run = try await SpecimenRun("versioned", environment: ["CONTRACT_COMMIT": "1a2b3c"])
    #expect(run.status == 0)
    let columns = try #require(run.matrix.tables.first).columns
    #expect(columns.map(\.implementation.version) == ["Counter 1", "Counter 2", nil])
    let summary = try #require(columns.first?.runs.first)
    #expect(summary.commit == "1a2b3c")
    #expect(Set(summary.versions.keys) == ["harness", "swift", "os"])
    #expect(run.output.contains("numbered: Counter 1"))
    #expect(run.output.contains("commit 1a2b3c, "))
  }

  @Test func `a run names the commit that is checked out`() async throws {
    let git = try await ProgramRun(["git", "rev-parse", "HEAD"])
    let head = git.output.split(separator: "\n").first.map(String.init)
    let run = try await SpecimenRun("sound")
    let summary = try #require(run.matrix.tables.first?.columns.first?.runs.first)
    #expect(summary.commit == (git.status == 0 ? head : nil))
    #expect((summary.isDirty == nil) == (summary.commit == nil))
  }

  @Test func `a deviation fails after its last day`() async throws {
    let run = try await SpecimenRun("overdue")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@stuck") == .failed)
    #expect(run.outcome("counter/adds@in-time") == .deviates(reason: "it is stuck"))
    #expect(
      run.output.contains(
        "counter/adds@stuck was to deviate until 2020-01-31 and still deviates (it is stuck)"))
    #expect(run.output.contains("until 'tomorrow', which is no day; write it as 2027-01-31"))
  }

  @Test func `CONTRACT_REQUIRE=live turns unavailable into failed`() async throws {
    let run = try await SpecimenRun("unavailable", environment: ["CONTRACT_REQUIRE": "live"])
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@sound-live") == .failed)
    #expect(
      run.output.contains("CONTRACT_REQUIRE=live requires it: condition not met: the moon is full"))
    let other = try await SpecimenRun("unavailable", environment: ["CONTRACT_REQUIRE": "fake"])
    #expect(other.status == 0)
  }

  @Test func `a fixture that hangs is blamed, and not the clause`() async throws {
    let run = try await SpecimenRun("waiting")
    #expect(run.status == 1)
    let result = try #require(run.result("counter/adds@waiting"))
    #expect(result.outcome == .failed)
    #expect(result.issues.map(\.message) == ["the fixture was not made within 0.2 seconds"])
    #expect(result.issues.map(\.isFixture) == [true])
    #expect(run.output.contains("the fixture was not made within 0.2 seconds"))
    #expect(run.matrix.tables.first?.rows.first?.verdict == .unproven)
  }

  @Test func `a task that outlives its case, or belongs to none, can't hide an expectation`()
    async throws
  {
    let run = try await SpecimenRun("leaking")
    #expect(run.status == 1)
    let problem =
      "leaking/leaks@sound left a task running, which evaluated an expectation after the case had ended, at "
      + "harness_specimens/Specimens.swift:"
    #expect(run.matrix.problems.contains { $0.hasPrefix(problem) }, "\(run.matrix.problems)")
    #expect(run.output.contains("checked in a detached task"))
    let detached = run.matrix.problems.filter {
      $0.hasPrefix("no case judges an expectation of the clause leaking/detaches")
    }
    #expect(detached.count == 1, "\(run.matrix.problems)")
  }

  @Test func `a detached expectation below a clause, while none runs, is no problem`() async throws
  {
    let run = try await SpecimenRun("besides")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.matrix.problems == [])
  }

  @Test func `a crash ends only its case and is reported with its signal`() async throws {
    let run = try await SpecimenRun("crashing")
    #expect(run.status == 1)
    let outcome = try #require(run.outcome("counter/adds@trapping"))
    guard case .crashed(let signal) = outcome else {
      Issue.record("\(outcome) is not a crash")
      return
    }
    #expect([SIGILL, SIGTRAP].contains(signal))
    #expect(run.output.contains("Division by zero"))
    #expect(run.outcome("counter/remembers@sound") == .passed)
  }

  @Test func `cases share a process until one ends it, with the results of cases that don't`()
    async throws
  {
    let run = try await SpecimenRun("sharedProcess")
    var processes: [String: Set<String>] = [:]
    for implementation in ["sharing", "alone"] {
      let result = { (clause: String) in run.result("shared/\(clause)@\(implementation)") }
      for clause in ["first", "second", "third", "fourth"] {
        #expect(result(clause)?.outcome == .failed)
        let message = try #require(result(clause)?.issues.first?.message)
        let process = try #require(message.firstMatch(of: /in process ([0-9]+)/)).1
        processes[implementation, default: []].insert(String(process))
      }
      guard case .crashed(let signal) = result("traps")?.outcome else {
        Issue.record("\(String(describing: result("traps")?.outcome)) is not a crash")
        continue
      }
      #expect([SIGILL, SIGTRAP].contains(signal))
      #expect(result("traps")?.issues.first?.message.contains("trapped on purpose") == true)
      #expect(result("stalls")?.outcome == .timedOut(seconds: 0.2))
      #expect(result("holds")?.outcome == .passed)
    }
    #expect(processes["alone"]?.count == 4)
    let count = try #require(processes["sharing"]?.count)
    #expect(1...3 ~= count, "one process, and one more after the crash and the timeout each")
  }

  @Test func `a test that leaves cases out shares a process among the others`() async throws {
    let run = try await SpecimenRun("partInSharedProcess")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.outcome("counter/adds@part") == nil)
    #expect(run.outcome("counter/remembers@part") == .passed)
    #expect(run.output.contains("1 case left out (their test did not call verify())"))
  }

  @Test func `crashes and timeouts can be declared as deviations`() async throws {
    let run = try await SpecimenRun("crashesAndTimeouts")
    #expect(run.status == 0, "\(run.output)")
    for (name, reason) in [
      ("trapping", "it traps"), ("exiting", "it exits"), ("stalling", "it waits"),
      ("blocking", "it blocks"),
    ] {
      #expect(run.outcome("counter/adds@\(name)") == .deviates(reason: reason))
    }
  }

  @Test func `a deviation in another manner than declared fails and shows both`() async throws {
    let run = try await SpecimenRun("anotherManner")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@stuck") == .failed)
    #expect(run.output.contains("deviates in another way than declared: it ended with 1 issue"))
    #expect(run.output.contains("the sum is too small"))
  }

  @Test func `a clause that waits forever times out`() async throws {
    let run = try await SpecimenRun("timingOut")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@stalling") == .timedOut(seconds: 0.2))
    #expect(run.outcome("counter/adds@sound") == .passed)
    #expect(!run.output.contains("CancellationError"), "issues after the timeout are dropped")
  }

  @Test func `time in which other tests occupy every thread does not count`() async throws {
    let run = try await SpecimenRun("crowded")
    #expect(run.outcome("drowsy/sleeps@sound") == .passed, "\(run.output)")
    #expect(run.status == 0)
  }

  @Test func `a case that hangs says so while it hangs, in the journal too`() async throws {
    let run = try await SpecimenRun("timingOut")
    let id = "counter/adds@stalling"
    let events = run.journal.records.map(\.event)
    let slow = events.firstIndex { event in
      if case .caseSlow(let one, let seconds) = event {
        one.description == id && seconds == 0.1
      } else {
        false
      }
    }
    let end = events.firstIndex { event in
      if case .caseFinished(let result) = event { result.id.description == id } else { false }
    }
    #expect(try #require(slow) < #require(end))
    #expect(
      run.output.contains("\(id) still runs after 0.1 seconds; its time limit is 0.2 seconds"))
    let sound = events.contains { event in
      if case .caseSlow(let one, _) = event { one.implementation == "sound" } else { false }
    }
    #expect(!sound)
  }

  @Test func `a clause that blocks its thread times out in its own process`() async throws {
    let run = try await SpecimenRun("blockingInOwnProcess")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@blocking") == .timedOut(seconds: 0.2))
  }

  @Test func `the folders of a process that crashed or was killed are removed`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("left-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try await SpecimenRun("leavingFolders", environment: ["TMPDIR": folder.path])
    #expect(run.outcome("counter/adds@leaving-blocking") == .timedOut(seconds: 1))
    for name in ["leaving-trapping", "leaving-exiting"] {
      guard case .crashed = run.outcome("counter/adds@\(name)") else {
        Issue.record("\(name) did not crash: \(run.output)")
        return
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `a clause that blocks every thread ends the run with a report`() async throws {
    let run = try await SpecimenRun("starved")
    #expect(run.status == 1)
    #expect(run.outcome("wedge/blocks@sound") == .timedOut(seconds: 0.2))
    #expect(run.output.contains("blocks every thread of the cooperative pool"))
  }

  @Test func `a clause that blocks its thread times out, and other cases run on`() async throws {
    let run = try await SpecimenRun("blockingInPlace")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@blocking") == .timedOut(seconds: 0.2))
    #expect(run.outcome("counter/adds@sound") == .passed)
    #expect(run.outcome("counter/remembers@sound") == .passed)
  }

  @Test func `a teardown that throws fails the case, even if its clause deviates`() async throws {
    let run = try await SpecimenRun("tearDownThrows")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@untidy") == .failed)
    #expect(run.output.contains("the fixture could not be torn down: Refusal()"))
    #expect(
      run.matrix.tables.first?.rows.first?.verdict == .unproven,
      "a broken fixture says nothing about the clause")
    let behind = try await SpecimenRun("tearDownThrowsBehindDeviation")
    #expect(behind.status == 1)
    #expect(behind.outcome("counter/adds@untidy") == .failed)
  }

  @Test func `a fixture that can't be made fails the case`() async throws {
    let run = try await SpecimenRun("makeThrows")
    #expect(run.status == 1)
    #expect(run.outcome("counter/adds@unmakeable") == .failed)
    #expect(run.output.contains("the fixture could not be made: Refusal()"))
  }

  @Test func `an issue that a child task records fails the case`() async throws {
    let run = try await SpecimenRun("childTask")
    #expect(run.status == 1)
    #expect(run.outcome("children/child@sound") == .failed)
    let deviating = try await SpecimenRun("childTaskDeviating")
    #expect(deviating.status == 0)
    #expect(
      deviating.outcome("children/child@sound") == .deviates(reason: "the child complains"))
  }

  @Test func `claiming to lack a capability is checked`()
    async throws
  {
    let run = try await SpecimenRun("capabilities")
    #expect(run.status == 1)
    #expect(run.outcome("counter/lacks-memory@forgetful") == .passed)
    #expect(run.outcome("counter/lacks-memory@sound") == .failed)
    #expect(
      run.outcome("counter/remembers@forgetful")
        == .notApplicable(capability: "memory", reason: "lacks memory: it keeps nothing"))
  }
}
