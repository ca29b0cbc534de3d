/// Tries every schedule that can make a difference, depth first.
///
/// After each run, every pair of conflicting steps that could have happened the other way round
/// puts an alternative before the first of them (*source sets*); an alternative whose
/// first step has been tried, and that nothing since conflicts with, is left out (*sleep sets*).
/// Schedules that differ only in the order of independent steps are thereby run once.
///
/// Source: Abdulla, Aronis, Jonsson, Sagonas, 'Optimal Dynamic Partial Order Reduction',
/// POPL 2014, algorithm 1.
final class DepthFirstSearch: SchedulingPolicy {
  /// A step of the schedule; its candidates and sleepers lie at the same height of their stacks.
  private struct Node {
    var chosen: Int32
    var footprint = Footprint()
    let firstCandidate: Int32
    let candidateCount: Int32
    let firstSleeper: Int32
    let sleeperCount: Int32
    /// How many candidates are to be tried, or have been.
    var planned: Int32 = 0
    /// How many candidates have been tried, the chosen one apart.
    var done: Int32 = 0

    init(chosen: Int32, candidates: Range<Int>, sleepers: Range<Int>) {
      self.chosen = chosen
      (firstCandidate, candidateCount) = (Int32(candidates.lowerBound), Int32(candidates.count))
      (firstSleeper, sleeperCount) = (Int32(sleepers.lowerBound), Int32(sleepers.count))
    }

    var candidates: Range<Int> {
      Int(firstCandidate)..<Int(firstCandidate) + Int(candidateCount)
    }
    var sleepers: Range<Int> { Int(firstSleeper)..<Int(firstSleeper) + Int(sleeperCount) }
  }

  /// A job that could run at a node; there are none where only one could.
  private struct Candidate {
    var job: Int32
    /// Its place among those to be tried, from 1, or 0.
    var rank: Int32 = 0
    var isDone = false
    /// What it touched, once it is done.
    var footprint = Footprint()
  }

  /// A job that has been tried where nothing since conflicts with it.
  private struct Sleeper {
    var job: Int32
    var footprint: Footprint
  }

  /// Runs longer than this are left to the other strategies: the analysis is quadratic.
  private static let longestRun = 2_000

  private static let rowWidth = (longestRun + 63) / 64

  private let isReducing: Bool
  @exclusivity(unchecked) private var nodes = FlatList<Node>()
  @exclusivity(unchecked) private var candidates = FlatList<Candidate>()
  @exclusivity(unchecked) private var sleepers = FlatList<Sleeper>()
  /// How many nodes there were before the run.
  private var known = 0
  private var depth = 0
  private var firstNew = 0
  private var isFollowing = true
  /// For every step of the last run, the steps before it that it depends on; rows of equal width.
  @exclusivity(unchecked) private var happensBefore: [UInt64] = []
  @exclusivity(unchecked) private var races = FlatList<Int>()
  @exclusivity(unchecked) private var free = FlatList<Int>()

  /// The schedules run so far.
  private(set) var schedules = 0
  /// The run did what an earlier run of the same prefix did not do.
  private(set) var hasDiverged = false
  /// Every schedule has been tried.
  private(set) var isExhausted = false

  init(isReducing: Bool = true) { self.isReducing = isReducing }

  func begin() {
    known = nodes.count
    depth = 0
    isFollowing = true
  }

  func restart() {
    while nodes.count > known { removeLastNode() }
    hasDiverged = false
    begin()
  }

  func choose(in scheduler: Scheduler, base: Int) -> Int {
    guard isFollowing else { return base }
    let ready = scheduler.ready
    if depth < nodes.count {
      let chosen = nodes[depth].chosen
      if max(1, nodes[depth].candidates.count) == ready.count,
        let index = ready.firstIndex(where: { $0.id == chosen })
      {
        return index
      }
      hasDiverged = true
      isFollowing = false
      return base
    }
    guard depth < Self.longestRun else {
      hasDiverged = true
      isFollowing = false
      return base
    }
    let sleeping = addSleepers()
    var choice = base
    if !sleeping.isEmpty {
      if isAsleep(ready[choice].id, sleeping) {
        guard let awake = ready.indices.first(where: { !isAsleep(ready[$0].id, sleeping) }) else {
          // Whatever comes now has been seen in another order.
          sleepers.removeLast(sleeping.count)
          isFollowing = false
          return base
        }
        choice = awake
      }
    }
    addNode(ready, choice: choice, sleeping: sleeping)
    return choice
  }

  /// Finds the jobs that need not run first at the node to come.
  private func addSleepers() -> Range<Int> {
    let start = sleepers.count
    guard isReducing, depth > 0 else { return start..<start }
    let parent = nodes[depth - 1]
    for index in parent.sleepers
    where !sleepers[index].footprint.conflicts(with: parent.footprint) {
      sleepers.append(sleepers[index])
    }
    for index in parent.candidates {
      let candidate = candidates[index]
      if candidate.isDone, !candidate.footprint.conflicts(with: parent.footprint) {
        sleepers.append(Sleeper(job: candidate.job, footprint: candidate.footprint))
      }
    }
    return start..<sleepers.count
  }

  private func isAsleep(_ job: Int32, _ sleeping: Range<Int>) -> Bool {
    sleeping.contains { sleepers[$0].job == job }
  }

  private func addNode(
    _ ready: UnsafeMutableBufferPointer<Scheduler.ReadyJob>, choice: Int, sleeping: Range<Int>
  ) {
    let start = candidates.count
    if ready.count > 1 { for job in ready { candidates.append(Candidate(job: job.id)) } }
    nodes.append(
      Node(
        chosen: ready[choice].id, candidates: start..<candidates.count, sleepers: sleeping))
    guard ready.count > 1 else { return }
    if isReducing {
      plan(start + choice, at: nodes.count - 1)
    } else {
      planAll(at: nodes.count - 1)
    }
  }

  private func removeLastNode() {
    candidates.removeLast(nodes[nodes.count - 1].candidates.count)
    sleepers.removeLast(nodes[nodes.count - 1].sleepers.count)
    nodes.removeLast()
  }

  /// Puts a candidate behind those that are to be tried.
  private func plan(_ candidate: Int, at node: Int) {
    nodes[node].planned += 1
    candidates[candidate].rank = nodes[node].planned
  }

  private func planAll(at node: Int) {
    for index in nodes[node].candidates where candidates[index].rank == 0 { plan(index, at: node) }
  }

  private func candidate(_ job: Int32, at node: Int) -> Int? {
    nodes[node].candidates.first { candidates[$0].job == job }
  }

  func didRun(in scheduler: Scheduler) {
    guard isFollowing, let step = scheduler.steps.last else { return }
    if depth >= firstNew { nodes[depth].footprint = step.sharedFootprint }
    depth += 1
  }

  /// Learns from the run that is over and finds the next one.
  func advance(after steps: ArraySlice<Scheduler.Step>) {
    if hasDiverged { return }
    schedules += 1
    if isReducing { addAlternatives(steps.prefix(depth)) }
    while !nodes.isEmpty {
      let index = nodes.count - 1
      if !nodes[index].candidates.isEmpty {
        finishChosen(at: index)
        if let next = nextCandidate(at: index) {
          nodes[index].chosen = candidates[next].job
          firstNew = index
          return
        }
      }
      removeLastNode()
    }
    isExhausted = true
  }

  private func finishChosen(at node: Int) {
    guard let chosen = candidate(nodes[node].chosen, at: node) else { return }
    candidates[chosen].isDone = true
    candidates[chosen].footprint = nodes[node].footprint
    nodes[node].done += 1
  }

  private func nextCandidate(at node: Int) -> Int? {
    var next: Int?
    for index in nodes[node].candidates {
      let candidate = candidates[index]
      guard candidate.rank > 0, !candidate.isDone,
        candidate.rank < next.map({ candidates[$0].rank }) ?? .max,
        !isAsleep(candidate.job, nodes[node].sleepers)
      else { continue }
      next = index
    }
    return next
  }

  /// How many schedules may be left, going by those that have been run.
  ///
  /// Each is taken for the share of the whole that fell to it where the search might branch.
  /// Source: Kilby, Slaney, Thiébaux, Walsh, 'Estimating Search Tree Size', AAAI 2006 (weighted
  /// backtrack estimator).
  var estimatedRest: Double {
    var share = 1.0
    var finished = 0.0
    for node in nodes.elements where !node.candidates.isEmpty {
      share /= Double(node.candidates.count)
      finished += share * Double(node.done)
    }
    return Double(schedules) * (1 / finished - 1)
  }

  /// Compares the steps that are new with all before them; the rows of the others still hold.
  private func addAlternatives(_ steps: ArraySlice<Scheduler.Step>) {
    let width = Self.rowWidth
    let missing = steps.count * width - happensBefore.count
    if missing > 0 { happensBefore.append(contentsOf: repeatElement(0, count: missing)) }
    happensBefore.withUnsafeMutableBufferPointer { rows in
      steps.withUnsafeBufferPointer { steps in
        for row in firstNew..<max(firstNew, steps.count) {
          // A row knows of steps before it alone.
          for word in 0...row / 64 { rows[row * width + word] = 0 }
          addAlternatives(row, steps, rows)
        }
      }
    }
  }

  private func addAlternatives(
    _ row: Int, _ steps: UnsafeBufferPointer<Scheduler.Step>,
    _ rows: UnsafeMutableBufferPointer<UInt64>
  ) {
    let width = Self.rowWidth
    func adopt(_ earlier: Int) {
      for word in 0...earlier / 64 { rows[row * width + word] |= rows[earlier * width + word] }
      rows[row * width + earlier / 64] |= 1 << UInt64(earlier % 64)
    }
    func holds(_ earlier: Int, before row: Int) -> Bool {
      rows[row * width + earlier / 64] >> UInt64(earlier % 64) & 1 == 1
    }
    let step = steps[row]
    if step.creator >= 0 { adopt(Int(step.creator)) }
    for earlier in 0..<Int(step.barrier) { adopt(earlier) }
    races.removeAll()
    var earlier = row - 1
    while earlier >= 0 {
      if !holds(earlier, before: row),
        steps[earlier].footprint.conflicts(with: step.footprint)
      {
        races.append(earlier)
        adopt(earlier)
      }
      earlier -= 1
    }
    for earlier in races.elements where !nodes[earlier].candidates.isEmpty {
      // The steps that may come before `earlier`, together with the step at `row`.
      var first: Int?
      var isCovered = false
      var later = earlier + 1
      free.removeAll()
      while later <= row {
        if later == row || !holds(earlier, before: later) {
          if !free.elements.contains(where: { holds($0, before: later) }),
            let candidate = candidate(steps[later].job, at: earlier)
          {
            if candidates[candidate].rank > 0 {
              isCovered = true
              break
            }
            if first == nil { first = candidate }
          }
          free.append(later)
        }
        later += 1
      }
      if isCovered { continue }
      if let first { plan(first, at: earlier) } else { planAll(at: earlier) }
    }
  }
}
