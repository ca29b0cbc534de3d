internal import ExplorationEngine

// Stored examples of failures with faults: they are saved, and replayed before any new run.

extension FaultExplorer {
  private var name: ExplorationName {
    var name = ExplorationName(specification.typeName, on: implementation)
    name.hasFaults = true
    return name
  }

  /// Saves a failure of calls.
  func saveFailure(_ report: inout FaultReport<Spec>) {
    guard let examples, let failure = report.failure else { return }
    switch failure.problem {
    case .fault, .subject: return
    case .threw, .noAnswer, nil: break
    }
    guard let example = StoredFaultExample(failure) else {
      report.storeProblems.append(
        "the failure is not saved, because fewer commands draw others: make "
          + "\(specification.typeName).Command conform to Codable")
      return
    }
    do {
      report.savedExample = try examples.save(example, of: name)
    } catch {
      report.storeProblems.append("\(error)")
    }
  }

  /// Runs each stored example as often as a failure is replayed, until one fails.
  func replayExamples(on workers: [RunWorker], _ report: inout FaultReport<Spec>) {
    guard let examples else { return }
    let stored = examples.examples(of: name, as: StoredFaultExample.self)
    report.storeProblems += stored.problems.map(\.description)
    for (name, example) in stored.examples where report.failure == nil {
      // Another exploration of the two may have other faults, or promise something else.
      guard example.promise == promise, example.clients <= clients,
        example.faults.isSubset(of: faults.map(\.name))
      else {
        report.foreignExamples += 1
        continue
      }
      if let program = example.program(specification, faults: faults) {
        replay(program, name, seed: example.seed, on: workers, &report)
      } else {
        report.staleExamples.append((name, "the choices now draw other commands"))
      }
    }
  }

  private func replay(
    _ program: FaultProgram<Spec>, _ name: String, seed: UInt64, on workers: [RunWorker],
    _ report: inout FaultReport<Spec>
  ) {
    report.replayedExamples += 1
    var replays = (runs: 0, failures: 0)
    var failing: Run.Outcome?
    for _ in 0..<max(settings.replays, 1) {
      replays.runs += 1
      let outcome = run(program, seed: seed, on: workers)
      report.count(outcome)
      if case .failed = verdict(of: outcome) {
        replays.failures += 1
        failing = outcome
      }
    }
    guard let failing else { return }
    report.failure = failure(
      program, failing, originalLength: program.steps.count, replays: replays, seed: seed)
    report.failure?.example = name
  }
}
