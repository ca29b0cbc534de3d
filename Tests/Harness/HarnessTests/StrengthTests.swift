import ContractEvidence
import ContractReports
import Testing

/// Saboteurs show that clauses can fail, and a clause that can't fail is reported.
@Suite struct StrengthTests {
  @Test func `a strong contract catches every saboteur`() async throws {
    let run = try await SpecimenRun("saboteurs")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.matrix.tables.first?.saboteurs.count == 3)
    #expect(run.output.contains("strength: 3 of 3 clauses seen to fail"))
  }

  @Test func `one test can run a contract's cases and its saboteurs`() async throws {
    let run = try await SpecimenRun("both")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.matrix.results.count == 3)
    #expect(run.matrix.tables.first?.saboteurs.count == 3)
  }

  @Test func `a contract can leave the clauses that no saboteur names to mutants`() async throws {
    let run = try await SpecimenRun("leftToMutants")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("strength: 1 of 2 clauses seen to fail, 1 left to mutants"))
    #expect(run.matrix.tables.first?.contract.leftToMutants == ["other"])
    #expect(run.matrix.tables.first?.contract.clausesWithoutSaboteur == [])
    #expect(!Gate().problems(in: run.matrix).contains { $0.sentence.contains("saboteur") })
  }

  @Test func `a saboteur that fails most clauses shows none of them`() async throws {
    let run = try await SpecimenRun("coarse")
    #expect(run.status == 1)
    let escaped = try #require(run.matrix.tables.first).saboteurs.filter { !$0.isCaught }
    // Not "slow": a clause that exceeds the saboteur's time limit counts for nothing.
    #expect(escaped.map(\.saboteur) == ["nothing", "nothing-and-slow"])
    let sentence = "fails 8 of 8 clauses, which is too coarse to show that any of them notices"
    #expect(run.output.contains("the saboteur 'nothing' (always returns zero) \(sentence)"))
    #expect(escaped.first?.message.hasPrefix(sentence) == true)
    #expect(escaped.last?.message.hasPrefix("fails 7 of 7 clauses") == true)
  }

  @Test func `a clause that evaluates no expectation fails, and says its line`() async throws {
    let run = try await SpecimenRun("expectingNothing")
    #expect(run.status == 1)
    for implementation in ["sound", "elsewhere"] {
      let failing = run.matrix.results.filter {
        $0.id.implementation == implementation && $0.outcome == .failed
      }
      #expect(failing.map(\.id.clause) == ["calls", "loops", "detached"])
      for result in failing {
        #expect(result.expectations == 0)
        let issue = try #require(result.issues.first)
        #expect(issue.message.hasPrefix("\(result.id) evaluated no expectation, so it can't fail"))
        #expect(issue.file == "harness_specimens/Specimens.swift")
        let line = run.matrix.tables.first?.contract.clauses
          .first { $0.id == result.id.clause }?.line
        #expect(issue.line == line)
      }
      let counts = ["child", "helper", "requires", "confirms", "checks"].map {
        run.result("idle/\($0)@\(implementation)")?.expectations ?? 0
      }
      #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
    }
  }

  @Test(
    arguments: [
      "'stuck' (always returns zero) escaped the clause 'blind'",
      "'stuck' (always returns zero) is caught by the clause 'mumbles' with the message",
      "'throwing' (throws an error) makes the clause 'mumbles' throw before an expectation fails",
      "'silent' (never returns) hangs in the clause 'mumbles', and no expectation fails",
      "'broken' (can't be made) can't be used: Caught error: Refusal()",
      "'lost' names 'mumble' in caughtBy:, which is not a clause (did you mean 'mumbles'?); name one of ",
      "nothing shows that the clause 'unnamed' can fail; add a saboteur that it catches",
      "✗ no saboteur names unnamed",
    ])
  func `a weak contract fails`(sentence: String) async throws {
    let run = try await SpecimenRun("weakSaboteurs")
    #expect(run.status == 1)
    #expect(run.output.contains(sentence), "\(run.output)")
  }

  @Test func `a clause that promises not to throw, or to end, catches what throws or hangs`()
    async throws
  {
    let run = try await SpecimenRun("weakSaboteurs")
    let caught = try #require(run.matrix.tables.first).saboteurs.filter(\.isCaught)
    #expect(
      caught.map { "\($0.saboteur) \($0.clause)" } == ["silent promises", "throwing promises"])
  }
}
