import Foundation
import SystemLocks

/// The mutants that several judges share.
final class JudgingQueue: Sendable {
  /// A mutant that waits.
  struct Item: Sendable {
    var number: Int
    var mutant: Mutant
    /// The cases that reach it.
    var cases: Set<String>

    /// Whether a value that is computed once depends on the mutant.
    func dependsOnStart(_ unmutated: UnmutatedRun) -> Bool {
      unmutated.reachedOnce.contains(number)
    }
  }

  private struct State {
    /// The items that no judge has taken, in order.
    var waiting: ArraySlice<Item>
    var order: CaseOrder

    /// Judges the rest of a declaration next.
    ///
    /// Mutants of one declaration often hang the same case. If they came last, the run would end with
    /// every judge waiting for one of them.
    mutating func hurry(_ mutant: Mutant) {
      let isNear = { (item: Item) in
        item.mutant.file == mutant.file && item.mutant.declaration == mutant.declaration
      }
      waiting = (waiting.filter(isNear) + waiting.filter { !isNear($0) })[...]
    }
  }

  private let unmutated: UnmutatedRun
  private let state: Mutex<State>
  private let report: @Sendable (Mutant, MutantVerdict) -> Void

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - items: The mutants that some case reaches.
  ///   - report: Takes each verdict, on the judge's thread.
  init(
    _ items: [Item], _ unmutated: UnmutatedRun,
    report: @escaping @Sendable (Mutant, MutantVerdict) -> Void
  ) {
    self.unmutated = unmutated
    self.report = report
    let order =
      Self.rounds(of: items.filter { !$0.dependsOnStart(unmutated) })
      + Self.rounds(of: items.filter { $0.dependsOnStart(unmutated) })
    state = Mutex(State(waiting: order[...], order: CaseOrder(unmutated)))
  }

  /// The items in rounds, each with at most one mutant of each declaration.
  ///
  /// Judges that took neighbours at the same time would each look for the case that notices them all.
  private static func rounds(of items: [Item]) -> [Item] {
    var counts: [[String]: Int] = [:]
    let numbered = items.enumerated().map { index, item in
      let declaration = [item.mutant.file, item.mutant.declaration]
      counts[declaration, default: 0] += 1
      return (round: counts[declaration, default: 0], index: index, item: item)
    }
    return numbered.sorted { ($0.round, $0.index) < ($1.round, $1.index) }.map(\.item)
  }

  /// Judges all mutants: most in shared processes, then those that a value computed once depends on
  /// with the mutant active from the start.
  ///
  /// In a shared process, a value computed once may not fit what the mutant makes of the rest, and a
  /// case fails that would hold if the change were made by hand.
  ///
  /// - Throws: ``MutationError`` if the cases can't be run.
  func run(judges: [MutantJudge]) throws(MutationError) {
    let next = { @Sendable in self.state.withLock { $0.waiting.popFirst() } }
    try judges.share(next) {
      judge, item throws(MutationError) in
      let isStartedWith = item.dependsOnStart(self.unmutated)
      let cases = self.order(item, all: isStartedWith)
      let verdict = try judge.judge(
        .init(number: item.number, cases: cases, isStartedWith: isStartedWith))
      self.state.withLock { state in
        if verdict.status == .timedOut { state.hurry(item.mutant) }
        state.order.learn(from: item.mutant, tried: cases, killer: verdict.killer)
      }
      self.report(item.mutant, verdict)
    }
  }

  /// The cases of a mutant, in the order to try them.
  ///
  /// - Parameter all: Whether all cases judge. A value that is computed once is seen as reached only
  ///   by the case that came first, but each case may use it.
  private func order(_ item: Item, all: Bool) -> [String] {
    // Sorting takes longer than other judges should wait.
    let order = state.withLock(\.order)
    return order.sorted(all ? Set(unmutated.cases.keys) : item.cases, for: item.mutant)
  }
}

extension [MutantJudge] {
  /// Calls a function with each judge and the items that it takes one by one, each judge on a
  /// thread of its own, until there is none or one call fails.
  ///
  /// - Parameter next: Returns the next item, or `nil` at the end, on any thread.
  /// - Throws: The first error.
  func share<Item: Sendable>(
    _ next: @escaping @Sendable () -> Item?,
    _ body: @escaping @Sendable (MutantJudge, Item) throws(MutationError) -> Void
  ) throws(MutationError) {
    let error = Mutex<MutationError?>(nil)
    let group = DispatchGroup()
    for judge in self {
      group.enter()
      // Each judge belongs to one thread at a time: the group's wait orders them.
      nonisolated(unsafe) let judge = judge
      Thread.detachNewThread {
        do throws(MutationError) {
          while error.withLock({ $0 == nil }), let item = next() { try body(judge, item) }
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
