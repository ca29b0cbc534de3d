import ExplorationEngine
import SeededRandom

/// Decides which of the ready jobs runs next.
protocol SchedulingPolicy: AnyObject {
  /// Chooses a job.
  ///
  /// - Parameters:
  ///   - scheduler: Holds the ready jobs, at least one.
  ///   - base: The job that runs without a deviation; see ``Schedule``.
  /// - Returns: An index into the ready jobs.
  func choose(in scheduler: Scheduler, base: Int) -> Int

  /// Called after each step, which is the last of the scheduler's steps.
  func didRun(in scheduler: Scheduler)

  /// Resets the policy to the start of the run, so that the run can be repeated.
  func restart()
}

extension SchedulingPolicy {
  func didRun(in scheduler: Scheduler) {}
}

/// Chooses every ready job with the same probability.
final class RandomPolicy: SchedulingPolicy {
  private let seed: UInt64
  private var generator: SplitMix64

  init(seed: UInt64) {
    self.seed = seed
    generator = SplitMix64(seed: seed)
  }

  func restart() { generator = SplitMix64(seed: seed) }

  func choose(in scheduler: Scheduler, base: Int) -> Int {
    scheduler.ready.count == 1
      ? 0 : Int(generator.next().scaled(upTo: UInt64(scheduler.ready.count - 1)))
  }
}

/// Runs the task with the highest random priority; at a few random steps, its priority becomes the
/// lowest.
///
/// A bug that needs `depth` ordered steps is found with a probability of at least 1 in (tasks ×
/// steps^(depth-1)). `Task.yield()` does not lower a priority: with that rule, tasks that yield
/// often would only ever alternate.
///
/// Source: Burckhardt et al., 'A Randomized Scheduler with Probabilistic Guarantees of Finding
/// Bugs', ASPLOS 2010.
final class PriorityPolicy: SchedulingPolicy {
  private let seed: UInt64
  private let depth: Int
  private let length: Int
  @exclusivity(unchecked) private var generator: SplitMix64
  /// Indexed by task number + 1; 0 where no priority has been drawn.
  @exclusivity(unchecked) private var priorities: [UInt64] = []
  @exclusivity(unchecked) private var changes: [Int] = []
  private var lowest: UInt64 = 0

  /// Draws the steps at which a priority drops.
  ///
  /// - Parameters:
  ///   - seed: Equal seeds give equal policies.
  ///   - depth: The number of drops plus 1.
  ///   - length: The expected number of steps of a run.
  init(seed: UInt64, depth: Int, length: Int) {
    self.seed = seed
    self.depth = depth
    self.length = length
    generator = SplitMix64(seed: seed)
    restart()
  }

  func restart() {
    generator = SplitMix64(seed: seed)
    priorities.removeAll(keepingCapacity: true)
    changes = (1..<max(2, depth)).map { _ in
      Int(generator.next().scaled(upTo: UInt64(max(0, length - 1))))
    }
    lowest = UInt64(changes.count) + 1
  }

  func choose(in scheduler: Scheduler, base: Int) -> Int {
    let ready = scheduler.ready
    var best = 0
    var highest: UInt64 = 0
    for index in ready.indices {
      let priority = priority(of: ready[index].task)
      if priority > highest { (best, highest) = (index, priority) }
    }
    if changes.contains(scheduler.steps.count) {
      changes.removeAll { $0 == scheduler.steps.count }
      lowest -= 1
      priorities[Int(ready[best].task) + 1] = lowest
      return choose(in: scheduler, base: base)
    }
    return best
  }

  private func priority(of task: Int32) -> UInt64 {
    let index = Int(task) + 1
    while index >= priorities.count { priorities.append(0) }
    if priorities[index] == 0 { priorities[index] = 16 + generator.next() >> 1 }
    return priorities[index]
  }
}
