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
    func dependsOnStart(_ baseline: Baseline) -> Bool {
      baseline.reachedOnce.contains(number)
    }
  }

  private struct State {
    /// The items that no judge has taken, in order.
    var waiting: ArraySlice<Item>
    /// Items with a case that hung but not for ever. They are judged again with more patience.
    var late: [(item: Item, slow: MutantJudge.Slowness)] = []
    var order: CaseOrder

    /// Judges the rest of a declaration next.
    ///
    /// Where one mutant makes a case wait, others do too. At the end, all judges would wait with them.
    mutating func hurry(_ mutant: Mutant) {
      let isNear = { (item: Item) in
        item.mutant.file == mutant.file && item.mutant.declaration == mutant.declaration
      }
      waiting = (waiting.filter(isNear) + waiting.filter { !isNear($0) })[...]
    }
  }

  private let baseline: Baseline
  private let deadline: ContinuousClock.Instant?
  private let state: Mutex<State>
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
    self.baseline = baseline
    self.deadline = deadline
    self.report = report
    let order =
      Self.rounds(of: items.filter { !$0.dependsOnStart(baseline) })
      + Self.rounds(of: items.filter { $0.dependsOnStart(baseline) })
    state = Mutex(State(waiting: order[...], order: CaseOrder(baseline)))
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
    let room = WaitingRoom(seats: judges.count)
    do {
      defer { room.waitForAll() }
      try judge(by: judges, in: room)
    }
    // What was late when all judges had ended.
    try judge(by: judges, in: room)
  }

  /// The next item, and if it is late, why.
  ///
  /// Late items come first: they wait most of the time, while other judges compute.
  private func next() -> (item: Item, slow: MutantJudge.Slowness?)? {
    if let deadline, .now > deadline { return nil }
    return state.withLock { state in
      if let late = state.late.popLast() { return late }
      return state.waiting.popFirst().map { ($0, nil) }
    }
  }

  /// Judges mutants until none is left.
  ///
  /// - Parameter room: Where cases that hang wait.
  private func judge(by judges: [MutantJudge], in room: WaitingRoom) throws(MutationError) {
    try judges.share(next) { judge, work throws(MutationError) in
      let item = work.item
      let isStartedWith = item.dependsOnStart(self.baseline)
      let cases = self.order(item, all: isStartedWith)
      let outcome = try judge.judge(
        .init(
          number: item.number, cases: cases, isStartedWith: isStartedWith,
          slow: work.slow))
      switch outcome {
      case .judged(let verdict): self.finish(item, cases, verdict)
      case .hangs(let hanging):
        let id = hanging.id
        self.state.withLock { $0.hurry(item.mutant) }
        room.wait(for: hanging) { sequel in
          switch sequel {
          case .silent: self.finish(item, cases, MutantVerdict(.timedOut, killer: id))
          case .failed(let message):
            self.state.withLock { $0.late.append((item, .failing(id, message: message))) }
          case .ended: self.state.withLock { $0.late.append((item, .ending)) }
          }
        }
      }
    }
  }

  private func finish(_ item: Item, _ cases: [String], _ verdict: MutantVerdict) {
    state.withLock {
      $0.order.learn(from: item.mutant, tried: cases, killer: verdict.killer)
    }
    report(item.mutant, verdict)
  }

  /// The cases of a mutant, in the order to try them.
  ///
  /// - Parameter all: Whether all cases judge. A value that is computed once is seen as reached only
  ///   by the case that came first, but each case may use it.
  private func order(_ item: Item, all: Bool) -> [String] {
    // Sorting takes longer than other judges should wait.
    let order = state.withLock(\.order)
    return order.sorted(all ? Set(baseline.cases.keys) : item.cases, for: item.mutant)
  }
}

extension [MutantJudge] {
  /// Calls a function with each item of a list, as the other `share` does.
  func share<Item: Sendable>(
    _ items: [Item],
    _ body: @escaping @Sendable (MutantJudge, Item) throws(MutationError) -> Void
  ) throws(MutationError) {
    let rest = Mutex(items[...])
    try share({ rest.withLock { $0.popFirst() } }, body)
  }

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
