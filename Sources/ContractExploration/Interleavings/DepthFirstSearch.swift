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
  private struct Node {
    var candidates: [Int32]
    var chosen: Int32
    var footprint = Footprint()
    var backtrack: [Int32]
    var done: [(job: Int32, footprint: Footprint)] = []
    var sleep: [(job: Int32, footprint: Footprint)]
  }

  /// Runs longer than this are left to the other strategies: the analysis is quadratic.
  private static let longestRun = 2_000

  private static let rowWidth = (longestRun + 63) / 64

  private let isReducing: Bool
  @exclusivity(unchecked) private var nodes: [Node] = []
  /// How many nodes there were before the run.
  private var known = 0
  private var depth = 0
  private var firstNew = 0
  private var isFollowing = true
  /// For every step of the last run, the steps before it that it depends on; rows of equal width.
  @exclusivity(unchecked) private var happensBefore: [UInt64] = []
  @exclusivity(unchecked) private var races: [Int] = []
  @exclusivity(unchecked) private var free: [Int] = []

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
    nodes.removeSubrange(known...)
    hasDiverged = false
    begin()
  }

  func choose(in scheduler: Scheduler, base: Int) -> Int {
    guard isFollowing else { return base }
    let ready = scheduler.ready
    if depth < nodes.count {
      let chosen = nodes[depth].chosen
      if nodes[depth].candidates.isEmpty
        ? ready.count == 1 : nodes[depth].candidates.count == ready.count,
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
    var sleep: [(job: Int32, footprint: Footprint)] = []
    if isReducing, depth > 0 {
      let parent = nodes[depth - 1]
      for entry in parent.sleep where !entry.footprint.conflicts(with: parent.footprint) {
        sleep.append(entry)
      }
      for entry in parent.done where !entry.footprint.conflicts(with: parent.footprint) {
        sleep.append(entry)
      }
    }
    var choice = base
    if !sleep.isEmpty {
      let isAsleep = { (index: Int) in sleep.contains { $0.job == ready[index].id } }
      if isAsleep(choice) {
        guard let awake = ready.indices.first(where: { !isAsleep($0) }) else {
          // Whatever comes now has been seen in another order.
          isFollowing = false
          return base
        }
        choice = awake
      }
    }
    let chosen = ready[choice].id
    let candidates = ready.count == 1 ? [] : ready.map(\.id)
    nodes.append(
      Node(
        candidates: candidates, chosen: chosen,
        backtrack: ready.count == 1 ? [] : isReducing ? [chosen] : candidates, sleep: sleep))
    return choice
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
    while let node = nodes.last {
      let index = nodes.count - 1
      if !node.candidates.isEmpty {
        nodes[index].done.append((node.chosen, node.footprint))
        let next = node.backtrack.first { job in
          !nodes[index].done.contains { $0.job == job } && !node.sleep.contains { $0.job == job }
        }
        if let next {
          nodes[index].chosen = next
          firstNew = index
          return
        }
      }
      nodes.removeLast()
    }
    isExhausted = true
  }

  /// How many schedules may be left, going by those that have been run.
  ///
  /// Each is taken for the share of the whole that fell to it where the search might branch.
  /// Source: Kilby, Slaney, Thiébaux, Walsh, 'Estimating Search Tree Size', AAAI 2006 (weighted
  /// backtrack estimator).
  var estimatedRest: Double {
    var share = 1.0
    var finished = 0.0
    for node in nodes where !node.candidates.isEmpty {
      share /= Double(node.candidates.count)
      finished += share * Double(node.done.count)
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
    races.removeAll(keepingCapacity: true)
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
    for earlier in races where !nodes[earlier].candidates.isEmpty {
      // The steps that may come before `earlier`, together with the step at `row`.
      var first: Int32?
      var isCovered = false
      var later = earlier + 1
      free.removeAll(keepingCapacity: true)
      while later <= row {
        if later == row || !holds(earlier, before: later) {
          if !free.contains(where: { holds($0, before: later) }) {
            let job = steps[later].job
            if nodes[earlier].backtrack.contains(job) {
              isCovered = true
              break
            }
            if first == nil, nodes[earlier].candidates.contains(job) { first = job }
          }
          free.append(later)
        }
        later += 1
      }
      if isCovered { continue }
      if let first {
        nodes[earlier].backtrack.append(first)
      } else {
        for job in nodes[earlier].candidates where !nodes[earlier].backtrack.contains(job) {
          nodes[earlier].backtrack.append(job)
        }
      }
    }
  }
}
