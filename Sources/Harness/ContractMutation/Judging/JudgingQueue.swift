import Foundation
import SystemLocks

/// The mutants that several judges share, and what is known about who kills whom.
final class JudgingQueue: Sendable {
  /// A mutant that waits.
  struct Item: Sendable {
    var number: Int
    var mutant: Mutant
    /// The cases that reach it.
    var cases: Set<String>
  }

  private struct State {
    /// Items with a case that hung but not for ever. They are judged again with more patience.
    var late: [Item] = []
    /// How many mutants each case noticed.
    var kills: [String: Int] = [:]
    /// The case that noticed the latest mutant of a declaration.
    var latest: [String: String] = [:]
  }

  private let items: [Item]
  private let baseline: Baseline
  private let deadline: ContinuousClock.Instant?
  private let state = Mutex(State())
  /// The threads that wait for cases that hang.
  private let waiting = DispatchGroup()
  private let report: @Sendable (Mutant, MutantVerdict) -> Void

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - items: The mutants that some case reaches.
  ///   - deadline: When no further mutant is begun.
  ///   - report: Takes each verdict, on the judge's thread.
  init(
    _ items: [Item], _ baseline: Baseline, deadline: ContinuousClock.Instant?,
    report: @escaping @Sendable (Mutant, MutantVerdict) -> Void
  ) {
    self.items = items
    self.baseline = baseline
    self.deadline = deadline
    self.report = report
  }

  /// Judges all mutants: most in shared processes, then those that a value computed once depends on
  /// with the mutant active from the start, and at last those that were only late.
  ///
  /// In a shared process, a value computed once may not fit what the mutant makes of the rest, and a
  /// case fails that would hold if the change were made by hand.
  ///
  /// - Throws: ``MutationError`` if the cases can't be run.
  func run(judges: [MutantJudge]) throws(MutationError) {
    let order = items.filter { !dependsOnStart($0) } + items.filter(dependsOnStart)
    do {
      defer { waiting.wait() }
      try judge(order, by: judges, isPatient: false)
    }
    try judge(state.withLock(\.late), by: judges, isPatient: true)
  }

  /// Whether a value that is computed once depends on a mutant.
  private func dependsOnStart(_ item: Item) -> Bool { baseline.reachedOnce.contains(item.number) }

  private func judge(
    _ items: [Item], by judges: [MutantJudge], isPatient: Bool
  ) throws(MutationError) {
    try judges.share(items) { judge, item throws(MutationError) in
      if let deadline = self.deadline, .now > deadline { return }
      let isStartedWith = self.dependsOnStart(item)
      let outcome = try judge.judge(
        .init(
          number: item.number, cases: self.order(item, all: isStartedWith),
          isStartedWith: isStartedWith, isPatient: isPatient))
      switch outcome {
      case .judged(let verdict): self.finish(item, verdict)
      case .hangs(let hanging): self.wait(for: hanging, of: item)
      }
    }
  }

  /// Lets another thread wait for a case that hangs, while its judge goes on.
  private func wait(for hanging: HangingCase, of item: Item) {
    // The judge has given it up: only the new thread uses it.
    nonisolated(unsafe) let hanging = hanging
    waiting.enter()
    Thread.detachNewThread {
      if hanging.staysSilent() {
        self.finish(item, MutantVerdict(.timedOut, killer: hanging.id))
      } else {
        self.state.withLock { $0.late.append(item) }
      }
      self.waiting.leave()
    }
  }

  private func finish(_ item: Item, _ verdict: MutantVerdict) {
    if let killer = verdict.killer {
      state.withLock { state in
        state.kills[killer, default: 0] += 1
        state.latest[item.mutant.file + item.mutant.declaration] = killer
      }
    }
    report(item.mutant, verdict)
  }

  /// The cases of a mutant: first the one that noticed its neighbour, then those that noticed most
  /// for their time.
  ///
  /// - Parameter all: Whether all cases judge. A value that is computed once is seen as reached only
  ///   by the case that came first, but each case may use it.
  private func order(_ item: Item, all: Bool) -> [String] {
    let (kills, latest) = state.withLock { state in
      (state.kills, state.latest[item.mutant.file + item.mutant.declaration])
    }
    let cases = all ? Set(baseline.cases.keys) : item.cases
    func rank(_ id: String) -> Double {
      if id == latest { return .infinity }
      return Double(kills[id, default: 0] + 1) / max(baseline.cases[id]?.seconds ?? 1, 1e-5)
    }
    let ranks = cases.map { (id: $0, rank: rank($0)) }
    return ranks.sorted { ($0.rank, $1.id) > ($1.rank, $0.id) }.map(\.id)
  }
}

extension [MutantJudge] {
  /// Calls a function with each judge and the items that it takes one by one, each judge on a
  /// thread of its own, until all items are taken or one call fails.
  ///
  /// - Throws: The first error.
  func share<Item: Sendable>(
    _ items: [Item],
    _ body: @escaping @Sendable (MutantJudge, Item) throws(MutationError) -> Void
  ) throws(MutationError) {
    let position = Position()
    let error = Mutex<MutationError?>(nil)
    let group = DispatchGroup()
    for judge in prefix(items.count) {
      group.enter()
      // Each judge belongs to one thread at a time: the group's wait orders them.
      nonisolated(unsafe) let judge = judge
      Thread.detachNewThread {
        do throws(MutationError) {
          while error.withLock({ $0 == nil }), let item = position.next(of: items) {
            try body(judge, item)
          }
        } catch let first {
          error.withLock { if $0 == nil { $0 = first } }
        }
        group.leave()
      }
    }
    group.wait()
    if let error = error.withLock(\.self) { throw error }
  }
}

/// A place in a list that several threads go through together.
private final class Position: Sendable {
  private let index = Mutex(0)

  func next<Element: Sendable>(of list: [Element]) -> Element? {
    index.withLock { index in
      guard index < list.count else { return nil }
      defer { index += 1 }
      return list[index]
    }
  }
}
