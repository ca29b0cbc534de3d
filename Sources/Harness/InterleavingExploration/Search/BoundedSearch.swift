import SeededRandom

/// Tries schedules in the order of their number of preemptions, from none upwards.
///
/// Every schedule that has run adds the schedules that deviate once more, at a later decision.
/// Schedules with the same number of preemptions run in random order, so that no part of the
/// program is tried late.
///
/// Source: Musuvathi, Qadeer, 'Iterative Context Bounding for Systematic Testing of Multithreaded
/// Programs', PLDI 2007.
final class BoundedSearch: SchedulingPolicy {
  private struct Node {
    var parent: Int32
    var decision: Int32
    var choice: Int32
  }

  private struct Alternative {
    var decision: Int32
    var base: Int32
    var count: Int32
    var isRunningReady: Bool
  }

  private static let mostNodes = 400_000

  private var generator: SplitMix64
  @exclusivity(unchecked) private var nodes: [Node] = []
  @exclusivity(unchecked) private var buckets: [[Int32]] = [[-1]]
  @exclusivity(unchecked) private var script: [Node] = []
  private var position = 0
  private var running: Int32 = -1
  private var runningCost = 0
  @exclusivity(unchecked) private var alternatives: [Alternative] = []

  /// The number of preemptions of the next schedule, or `nil` if none is left.
  var bound: Int? { buckets.firstIndex { !$0.isEmpty } }
  /// Whether schedules were left out because more than 400,000 would have to be stored.
  private(set) var isCut = false

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// Chooses the next schedule. ``bound`` must not be `nil`.
  func begin() {
    alternatives.removeAll(keepingCapacity: true)
    script.removeAll(keepingCapacity: true)
    position = 0
    guard let bound else { return }
    let pick = Int(generator.next().scaled(upTo: UInt64(buckets[bound].count - 1)))
    buckets[bound].swapAt(pick, buckets[bound].count - 1)
    running = buckets[bound].removeLast()
    runningCost = bound
    var node = running
    while node >= 0 {
      script.append(nodes[Int(node)])
      node = nodes[Int(node)].parent
    }
    script.reverse()
  }

  func restart() {
    alternatives.removeAll(keepingCapacity: true)
    position = 0
  }

  func choose(in scheduler: Scheduler, base: Int) -> Int {
    let ready = scheduler.ready
    guard ready.count > 1 else { return base }
    if position < script.count {
      guard script[position].decision == scheduler.decisions else { return base }
      let choice = Int(script[position].choice)
      position += 1
      return choice < ready.count ? choice : base
    }
    alternatives.append(
      Alternative(
        decision: scheduler.decisions, base: Int32(base), count: Int32(ready.count),
        isRunningReady: ready[base].task == scheduler.lastTask))
    return base
  }

  /// Adds the schedules that deviate once more from the last run.
  func advance() {
    if isCut { return }
    for alternative in alternatives {
      let cost = runningCost + (alternative.isRunningReady ? 1 : 0)
      while buckets.count <= cost { buckets.append([]) }
      for choice in 0..<alternative.count where choice != alternative.base {
        guard nodes.count < Self.mostNodes else {
          isCut = true
          return
        }
        buckets[cost].append(Int32(nodes.count))
        nodes.append(
          Node(parent: running, decision: alternative.decision, choice: choice))
      }
    }
  }
}
