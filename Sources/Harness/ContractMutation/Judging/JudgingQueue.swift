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
    /// Items that hung, and are judged again alone.
    var hung: [Item] = []
    /// Items that survived, and that a value computed once depends on.
    var suspicious: [Item] = []
    /// How many mutants each case noticed.
    var kills: [String: Int] = [:]
    /// The case that noticed the latest mutant of a declaration.
    var latest: [String: String] = [:]
    var error: MutationError?
  }

  private let items: [Item]
  private let baseline: Baseline
  private let deadline: ContinuousClock.Instant?
  private let state = Mutex(State())
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

  /// The error that ended the judging, if one did.
  var error: MutationError? { state.withLock(\.error) }

  /// Judges all mutants: first in shared processes, then some survivors with the mutant active from
  /// the start, and at last those that hung, alone.
  func run(judges: [MutantJudge]) {
    judge(items, by: judges, isStartedWith: false)
    judge(state.withLock(\.suspicious), by: judges, isStartedWith: true)
    guard let judge = judges.first else { return }
    inParallel([judge]) { judge throws(MutationError) in
      for item in self.state.withLock(\.hung) where !self.isOver {
        let isStartedWith = self.baseline.reachedOnce.contains(item.number)
        let verdict = try judge.judge(
          item.number, on: self.order(item), isStartedWith: isStartedWith, isAlone: true)
        if let verdict { self.finish(item, verdict) }
      }
    }
  }

  private func judge(_ items: [Item], by judges: [MutantJudge], isStartedWith: Bool) {
    let position = Position()
    inParallel(judges) { judge throws(MutationError) in
      while !self.isOver, let item = position.next(of: items) {
        try self.judge(item, judge, isStartedWith: isStartedWith)
      }
    }
  }

  private var isOver: Bool {
    state.withLock { $0.error != nil } || deadline.map { ContinuousClock.now > $0 } ?? false
  }

  private func judge(
    _ item: Item, _ judge: MutantJudge, isStartedWith: Bool = false
  ) throws(MutationError) {
    let isOnlyOnce = item.cases.isEmpty
    let verdict =
      isOnlyOnce && !isStartedWith
      ? MutantVerdict(.survived)
      : try judge.judge(item.number, on: order(item), isStartedWith: isStartedWith)
    guard let verdict else { return state.withLock { $0.hung.append(item) } }
    if verdict.status == .survived, !isStartedWith, baseline.reachedOnce.contains(item.number) {
      return state.withLock { $0.suspicious.append(item) }
    }
    finish(item, verdict)
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
  private func order(_ item: Item) -> [String] {
    let (kills, latest) = state.withLock { state in
      (state.kills, state.latest[item.mutant.file + item.mutant.declaration])
    }
    let cases = item.cases.isEmpty ? Set(baseline.cases.keys) : item.cases
    func rank(_ id: String) -> Double {
      if id == latest { return .infinity }
      return Double(kills[id, default: 0] + 1) / max(baseline.cases[id]?.seconds ?? 1, 1e-5)
    }
    let ranks = cases.map { (id: $0, rank: rank($0)) }
    return ranks.sorted { ($0.rank, $1.id) > ($1.rank, $0.id) }.map(\.id)
  }

  private func inParallel(
    _ judges: [MutantJudge],
    _ body: @escaping @Sendable (MutantJudge) throws(MutationError) -> Void
  ) {
    let group = DispatchGroup()
    for judge in judges {
      group.enter()
      // Each judge belongs to one thread at a time: the group's wait orders them.
      nonisolated(unsafe) let judge = judge
      Thread.detachNewThread {
        do throws(MutationError) {
          try body(judge)
        } catch {
          self.state.withLock { if $0.error == nil { $0.error = error } }
        }
        group.leave()
      }
    }
    group.wait()
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
