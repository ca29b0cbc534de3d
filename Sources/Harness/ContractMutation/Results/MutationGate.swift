/// Decides whether enough mutants of some targets were noticed, on results of the same code.
package struct MutationGate {
  /// The targets, as `contracts mutate` got them.
  package var targets: [String]

  /// The least score, from 0 to 1.
  package var score: Double

  package init(targets: [String], score: Double) {
    self.targets = targets
    self.score = score
  }

  /// Checks the results in a package's folder.
  ///
  /// - Returns: The problems as sentences. If there are none, the gate passes.
  package func problems(in package: String) -> [String] {
    let command = "run 'contracts mutate --target \(targets.joined(separator: ","))'"
    let path = MutationRun.journalPath(of: targets, package: package)
    let journal: MutationJournal
    do throws(MutationError) {
      journal = try MutationJournal(contentsOf: [path])
    } catch {
      return ["there are no results of mutation: \(error)"]
    }
    var problems: [String] = []
    let sources = SourceFiles(root: package)
    var isChecked: Set<String> = []
    for result in journal.results.values.sorted(by: { $0.mutant.file < $1.mutant.file })
    where isChecked.insert(result.mutant.file).inserted {
      let text = sources.source(result.mutant.file)?.text
      if text.map(Keys.fingerprint) != result.fileKey {
        problems.append(
          "\(result.mutant.file) has changed since its mutants were judged; \(command)")
      }
    }
    let pending = (journal.run?.mutants ?? 0) - journal.results.count
    if pending > 0 { problems.append("\(pending) mutants are not judged yet; \(command)") }
    let found = MutationScore(journal.results.values.map(\.verdict))
    guard let value = found.value else { return problems + ["no mutant was judged; \(command)"] }
    if value < score {
      problems.append(
        "the mutation score of \(targets.joined(separator: ", ")) is "
          + "\(MutationReport.percent(value)), below \(MutationReport.percent(score))")
    }
    return problems
  }
}
