import ExplorationEngine
import ExploredSynchronization
import Foundation
import InterleavingExploration
import Synchronization
import SystemFibers
import Testing

/// Programs that never end: each ends with a message, and the process lives.
@Suite(.enabled(if: Fiber.isAvailable)) struct EndlessProgramTests {
  /// A program, and what its message must contain.
  struct Program: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var message: String
    var build: @Sendable (inout ConcurrentProgram) -> Void

    init(
      _ name: String, _ message: String,
      build: @escaping @Sendable (inout ConcurrentProgram) -> Void
    ) {
      testDescription = name
      self.message = message
      self.build = build
    }
  }

  static let programs = [
    Program("a loop without a call", "EndlessProgramTests.swift:") { program in
      program.task { spin(until: Flag()) }
    },
    Program("a loop while the program is built", "EndlessProgramTests.swift:") { _ in
      spin(until: Flag())
    },
    Program("a loop in a check", "EndlessProgramTests.swift:") { program in
      program.task {}
      program.check { () throws -> Void in spin(until: Flag()) }
    },
    Program("a spin lock whose holder makes a task", "EndlessProgramTests.swift:") { program in
      let flag = Flag()
      for _ in 0..<2 {
        program.task {
          while flag.value.exchange(true, ordering: .acquiring) { spin(until: flag, for: false) }
          let task = Task {}
          flag.value.store(false, ordering: .releasing)
          await task.value
        }
      }
    },
    Program("tasks without bound", "no schedule ended within") { program in
      program.task { while true { Task {} } }
    },
    Program("a task that makes itself again", "no schedule ended within") { program in
      program.task { await again() }
    },
    Program("yields without end", "no schedule ended within") { program in
      program.task { while true { await Task.yield() } }
    },
    Program("a condition that nobody signals", "Deadlock") { program in
      let condition = NSCondition()
      program.task { condition.withLock { condition.wait() } }
    },
    Program("a pipe that nobody writes to", "EndlessProgramTests.swift:") { program in
      let pipe = Pipe()
      program.task { _ = try? pipe.fileHandleForReading.readToEnd() }
      program.tearDown { try? pipe.fileHandleForWriting.close() }
    },
  ]

  @Test(arguments: programs)
  func `a program without an end ends with its line`(_ program: Program) async throws {
    try await Self.run(program)
  }

  @Test func `memory without bound ends the program, and its thread sleeps`() async throws {
    let steps = StepCount()
    try await Self.run(
      Program("memory without bound", "MB of memory") { program in program.task { grow(steps) } })
    // The thread is put to sleep as soon as it is in code of its own. Nothing tells about it but its steps.
    let deadline = ContinuousClock.now + .seconds(20)
    var seen = -1
    while seen != steps.count, ContinuousClock.now < deadline {
      seen = steps.count
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(seen == steps.count)
  }

  private static func run(_ program: Program) async throws {
    var settings = ExplorationSettings.interleavings(seed: 1)
    settings.runLimit = .seconds(1)
    settings.time = .seconds(5)
    // Tests that run at the same time allocate too.
    settings.memoryLimit = 256 << 20
    settings.scheduleSteps = 500
    let start = ContinuousClock.now
    let report = await exploreInterleavings(settings) { program.build(&$0) }
    let failure = try #require(report.failure, "\(report)")
    #expect(failure.description.contains(program.message), "\(report)")
    #expect(ContinuousClock.now - start < .seconds(30), "\(report)")
  }
}

/// A flag as a program without instrumentation has it.
private final class Flag: Sendable {
  let value = Atomic(false)
}

/// Waits for a flag without a call that an exploration could see.
@inline(never)
private func spin(until flag: Flag, for isSet: Bool = true) {
  while flag.value.load(ordering: .acquiring) != isSet {}
}

private func again() async { await Task { await again() }.value }

/// How far code has come that never ends.
private final class StepCount: Sendable {
  private let number = Atomic(0)

  var count: Int { number.load(ordering: .relaxed) }

  func take() { number.add(1, ordering: .relaxed) }
}

@inline(never)
private func grow(_ steps: StepCount) {
  var list: [[UInt8]] = []
  // A watchdog that is late must not cost the machine its memory.
  while list.count < 1024 {
    list.append([UInt8](repeating: 1, count: 1 << 20))
    steps.take()
  }
  while !list.isEmpty { steps.take() }
}
