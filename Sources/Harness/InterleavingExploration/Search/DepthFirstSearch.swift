import ExplorationEngine

/// A depth-first search over schedules that runs those with equivalent orders once.
///
/// Two schedules are equivalent if they differ only in the order of independent steps. After each
/// run, every pair of conflicting steps that could have run in the other order adds an alternative
/// before the first of them (*source sets*). A job whose alternatives have been explored sleeps
/// until a step conflicts with it, and is not tried first while it sleeps (*sleep sets*).
///
/// The search requires that a run repeats its prefix: the same choices must make the same jobs
/// ready. If they do not, the program depends on something that no schedule decides, and the search
/// has *diverged*.
///
/// Source: Abdulla, Aronis, Jonsson, Sagonas, 'Optimal Dynamic Partial Order Reduction',
/// POPL 2014, algorithm 1.
final class DepthFirstSearch: SchedulingPolicy {
  /// A step of the schedule. Its candidates and sleepers are ranges of two further stacks, so that
  /// a node is a plain value.
  private struct Node {
    var chosen: Int32
    var footprint = Footprint()
    let firstCandidate: Int32
    let candidateCount: Int32
    let firstSleeper: Int32
    let sleeperCount: Int32
    /// The number of candidates that are planned or have been tried.
    var planned: Int32 = 0
    /// The number of candidates that have been tried, without the chosen one.
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

  /// A job that was ready at a node. A node with only one ready job has no candidates.
  private struct Candidate {
    var job: Int32
    /// The position among the planned candidates, from 1, or 0 if it is not planned.
    var rank: Int32 = 0
    var isDone = false
    /// What it accessed, once it is done.
    var footprint = Footprint()
  }

  /// A job that has been tried at an earlier node, and no step since conflicts with it.
  private struct Sleeper {
    var job: Int32
    var footprint: Footprint
  }

  /// The most steps of a run. Longer runs are left to the other strategies, because the analysis of
  /// a run takes quadratic time.
  private static let longestRun = 2_000

  private static let rowWidth = (longestRun + 63) / 64

  private let isReducing: Bool
  @exclusivity(unchecked) private var nodes = FlatList<Node>()
  @exclusivity(unchecked) private var candidates = FlatList<Candidate>()
  @exclusivity(unchecked) private var sleepers = FlatList<Sleeper>()
  /// The number of nodes before the run.
  private var known = 0
  private var depth = 0
  private var firstNew = 0
  private var isFollowing = true
  /// The happens-before relation of the last run: for each step, a row with one bit for each
  /// earlier step.
  @exclusivity(unchecked) private var happensBefore: [UInt64] = []
  @exclusivity(unchecked) private var races = FlatList<Int>()
  @exclusivity(unchecked) private var free = FlatList<Int>()

  /// The number of schedules run.
  private(set) var schedules = 0
  /// Whether a run did not repeat the prefix of the run before it, or was too long.
  private(set) var hasDiverged = false
  /// Whether a run was too long.
  private(set) var isTooLong = false
  /// Whether no schedule is left.
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
      (hasDiverged, isTooLong) = (true, true)
      isFollowing = false
      return base
    }
    let sleeping = addSleepers()
    var choice = base
    if !sleeping.isEmpty {
      if isAsleep(ready[choice].id, sleeping) {
        guard let awake = ready.indices.first(where: { !isAsleep(ready[$0].id, sleeping) }) else {
          // Every continuation is equivalent to a schedule that has been run.
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

  /// Adds the jobs that sleep at the next node: those of the node before, and the candidates that
  /// were tried there, unless the step between the two conflicts with them.
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

  /// Plans a candidate after those that are planned.
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

  /// Adds the alternatives of the last run, and chooses the next schedule.
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

  /// The estimated number of schedules left.
  ///
  /// Each schedule run counts for the fraction of the tree that an even split at every node gives
  /// it. Source: Kilby, Slaney, Thiébaux, Walsh, 'Estimating Search Tree Size', AAAI 2006 (weighted
  /// backtrack estimator).
  var estimatedRest: Double {
    var fraction = 1.0
    var finished = 0.0
    for node in nodes.elements where !node.candidates.isEmpty {
      fraction /= Double(node.candidates.count)
      finished += fraction * Double(node.done)
    }
    return Double(schedules) * (1 / finished - 1)
  }

  /// Adds the alternatives of the steps that the last run was the first to take.
  ///
  /// The steps before them are the same as in the run before, so their rows and alternatives stand.
  private func addAlternatives(_ steps: ArraySlice<Scheduler.Step>) {
    let width = Self.rowWidth
    let missing = steps.count * width - happensBefore.count
    if missing > 0 { happensBefore.append(contentsOf: repeatElement(0, count: missing)) }
    happensBefore.withUnsafeMutableBufferPointer { rows in
      steps.withUnsafeBufferPointer { steps in
        for row in firstNew..<max(firstNew, steps.count) {
          // A row has bits only for earlier steps, so the words behind its own are never read.
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
    /// Adds a step and everything that happened before it.
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
    // From the latest step backwards: a conflicting step that is not ordered by a later one races
    // with this.
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
      // The steps that do not depend on `earlier`, followed by the step at `row`, can run before
      // it. One of their first steps has to be planned at that node; any will do, so none is added
      // if one is.
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
