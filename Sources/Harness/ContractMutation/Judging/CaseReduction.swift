import SystemLocks

/// Finds a set of cases that notices as many mutants as all cases do, and of which none can be left
/// out.
///
/// There may be a smaller set: finding the smallest is NP-hard (minimum set cover).
final class CaseReduction: Sendable {
  private let unmutated: UnmutatedRun
  private let mutants: [Int: JudgingQueue.Item]
  /// The case that notices each mutant.
  private let killers: Mutex<[Int: String]>

  /// Creates a reduction.
  ///
  /// - Parameter noticed: The mutants that a case noticed, with that case.
  init(_ noticed: [(item: JudgingQueue.Item, killer: String)], _ unmutated: UnmutatedRun) {
    self.unmutated = unmutated
    mutants = Dictionary(uniqueKeysWithValues: noticed.map { ($0.item.number, $0.item) })
    killers = Mutex(
      Dictionary(uniqueKeysWithValues: noticed.map { ($0.item.number, $0.killer) }))
  }

  /// Tries to leave out each case, beginning with those that notice least.
  ///
  /// - Throws: ``MutationError`` if the cases can't be run.
  func run(judges: [MutantJudge]) throws(MutationError) -> [String] {
    let counts = killers.withLock { killers in
      killers.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    var kept = Set(counts.keys)
    for id in counts.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }).map(\.key) {
      kept.remove(id)
      guard try canDo(without: id, with: kept, judges) else {
        kept.insert(id)
        continue
      }
    }
    return kept.sorted()
  }

  /// Whether other cases notice all mutants that a case notices. If so, these take them over.
  private func canDo(
    without id: String, with others: Set<String>, _ judges: [MutantJudge]
  ) throws(MutationError) -> Bool {
    let own = killers.withLock { killers in
      killers.filter { $0.value == id }.keys.compactMap { mutants[$0] }
    }
    let found = Mutex<[Int: String]>([:])
    let isNeeded = Mutex(false)
    try judges.share(own) { judge, item throws(MutationError) in
      if isNeeded.withLock(\.self) { return }
      let dependsOnStart = item.dependsOnStart(self.unmutated)
      let cases = dependsOnStart ? others : others.intersection(item.cases)
      let verdict = try judge.judge(
        .init(number: item.number, cases: cases.sorted(), isStartedWith: dependsOnStart))
      if let killer = verdict.killer {
        found.withLock { $0[item.number] = killer }
      } else {
        isNeeded.withLock { $0 = true }
      }
    }
    if isNeeded.withLock(\.self) { return false }
    killers.withLock { killers in
      killers.merge(found.withLock(\.self)) { _, new in new }
    }
    return true
  }
}
