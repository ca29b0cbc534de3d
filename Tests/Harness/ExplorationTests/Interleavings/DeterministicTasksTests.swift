import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Async functions whose tasks run in the same order every time.
@Suite struct DeterministicTasksTests {
  @TaskLocal static var label = "none"

  private static func order(seed: UInt64) async throws -> String {
    try await withDeterministicTasks(seed: seed) {
      let log = Mutexed()
      await withTaskGroup(of: Void.self) { group in
        for name in ["a", "b", "c"] {
          group.addTask {
            for _ in 0..<3 {
              log.append(name)
              await Task.yield()
            }
          }
        }
      }
      return log.text
    }
  }

  @Test func `equal seeds give equal orders and different seeds different ones`() async throws {
    var orders: Set<String> = []
    for seed in 0..<20 as Range<UInt64> {
      let first = try await Self.order(seed: seed)
      for _ in 0..<5 { #expect(try await Self.order(seed: seed) == first) }
      orders.insert(first)
    }
    #expect(orders.count > 10)
  }

  @Test func `an error of the body is rethrown`() async {
    await #expect(throws: Wrong()) {
      try await withDeterministicTasks { throw Wrong() }
    }
  }

  @Test(.onObservedRuntime) func `a nested call runs in the outer one`() async throws {
    let value = try await withDeterministicTasks(seed: 3) {
      try await withDeterministicTasks(seed: 4) {
        try await Task.sleep(for: .seconds(3600))
        return 7
      }
    }
    #expect(value == 7)
  }

  @Test func `an exploration inside a call ends`() async throws {
    let count = try await withDeterministicTasks {
      await exploreInterleavings(of: InterleavingTests.race(isFixed: true)).schedules
    }
    #expect(count > 1)
  }

  @Test func `task-local values of the caller reach the body`() async throws {
    let seen = try await Self.$label.withValue("set") {
      try await withDeterministicTasks {
        await withTaskGroup(of: String.self) { group in
          group.addTask { Self.label }
          return await group.next()
        }
      }
    }
    #expect(seen == "set")
  }

  @Test func `a body that is never resumed throws a deadlock`() async {
    let door = Door()
    await #expect(throws: InterleavingError.self) {
      try await withDeterministicTasks(outsideWait: .milliseconds(10)) { await door.wait() }
    }
  }

  @Test func `a deadlock names child tasks in creation order`() async throws {
    let error = try await #require(throws: InterleavingError.self) {
      try await withDeterministicTasks(outsideWait: .milliseconds(10)) {
        let (left, right) = (Door(), Door())
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            await left.wait()
            right.open()
          }
          group.addTask {
            await right.wait()
            left.open()
          }
        }
      }
    }
    #expect(error.description.contains("body waits"))
    #expect(error.description.contains("body.1"))
    #expect(error.description.contains("body.2"))
    #expect(!error.description.contains("0x"))
  }
}
