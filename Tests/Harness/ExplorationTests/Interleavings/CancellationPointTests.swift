import SystemFibers
import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Cancellations, and what the runtime does in groups by itself, come between any two lines.
@Suite(.enabled(if: Fiber.isAvailable)) struct CancellationPointTests {
  @Test func `a cancellation comes between the removal of a handler and the next line`() async {
    let (outcomes, report) = await Self.explore { log in
      let task = Task {
        await withTaskCancellationHandler {
        } onCancel: {
          log.append("handler ")
        }
        log.append(Task.isCancelled ? "cancelled" : "not cancelled")
      }
      task.cancel()
      await task.value
    }
    #expect(report.isExhaustive, "\(report)")
    #expect(outcomes == ["handler cancelled", "cancelled", "not cancelled"])
  }

  @Test func `a cancellation comes between two handlers`() async {
    let (outcomes, report) = await Self.explore { log in
      let task = Task {
        for name in ["a", "b"] {
          await withTaskCancellationHandler {
          } onCancel: {
            log.append(name)
          }
        }
      }
      task.cancel()
      await task.value
    }
    #expect(report.isExhaustive, "\(report)")
    #expect(outcomes == ["ab", "b", ""])
  }

  @Test func `a child of a discarding group ends between any two lines`() async {
    let (outcomes, report) = await Self.explore { log in
      await withDiscardingTaskGroup { group in
        group.addTask {}
        for _ in 0..<3 { log.append(group.isEmpty ? "empty " : "full ") }
      }
    }
    #expect(report.isExhaustive, "\(report)")
    #expect(
      outcomes == [
        "full full full ", "full full empty ", "full empty empty ", "empty empty empty ",
      ])
  }

  @Test func `an error in a discarding group cancels the other children at any time`() async {
    let (outcomes, report) = await Self.explore { log in
      try? await withThrowingDiscardingTaskGroup { group in
        group.addTask { throw Wrong() }
        group.addTask {
          for _ in 0..<2 { log.append(Task.isCancelled ? "cancelled " : "running ") }
        }
      }
    }
    #expect(report.isExhaustive, "\(report)")
    #expect(
      outcomes == ["running running ", "running cancelled ", "cancelled cancelled "])
  }

  @Test func `an async let that nobody awaits is cancelled at any time`() async {
    let (outcomes, report) = await Self.explore { log in
      await leave(log)
      log.append("over")
    }
    #expect(report.isExhaustive, "\(report)")
    #expect(
      outcomes == [
        "running running over", "running cancelled over", "cancelled cancelled over",
      ])
  }

  /// The outcomes of all schedules of one task.
  private static func explore(
    _ body: @escaping @Sendable (Mutexed) async -> Void
  ) async -> (Set<String>, InterleavingReport) {
    let outcomes = Collected()
    let report = await exploreInterleavings { program in
      let log = Mutexed()
      program.task { await body(log) }
      program.check { () throws -> Void in outcomes.insert(log.text) }
    }
    return (outcomes.values, report)
  }
}

private func leave(_ log: Mutexed) async {
  async let _: Void = look(log)
}

private func look(_ log: Mutexed) async {
  for _ in 0..<2 { log.append(Task.isCancelled ? "cancelled " : "running ") }
}
