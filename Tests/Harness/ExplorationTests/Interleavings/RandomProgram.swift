import SeededRandom
import SystemLocks

@testable import ExplorationEngine

/// A small concurrent program, drawn from a seed, whose outcome shows the order of its events.
struct RandomProgram: Sendable, CustomStringConvertible {
  indirect enum Operation: Sendable {
    /// Adds a mark on an actor.
    case mark(actor: Int)
    /// Adds a mark on an actor, yields there, and adds another.
    case yieldingMark(actor: Int)
    /// Adds a mark on the first actor, which then calls the second.
    case relayed(from: Int, to: Int)
    /// Adds a mark to a log under a lock.
    case log
    /// Yields outside any actor.
    case yield
    /// Sleeps in virtual time.
    case sleep(milliseconds: Int)
    /// Runs two child tasks and records the order in which they end.
    case group(Operation, Operation)
    /// Runs two operations concurrently, one of them with `async let`.
    case beside(Operation, Operation)
  }

  var tasks: [[Operation]]

  /// Creates a given program.
  init(_ tasks: [[Operation]]) { self.tasks = tasks }

  /// Draws a program.
  ///
  /// - Parameters:
  ///   - seed: Equal seeds give equal programs.
  ///   - usesLocks: Whether tasks share state outside actors.
  init(seed: UInt64, usesLocks: Bool) {
    var generator = SplitMix64(seed: seed)
    let taskCount = 2 + Int(generator.next().scaled(upTo: 3) / 3)
    tasks = (0..<taskCount).map { _ in
      let length = taskCount == 2 ? 1 + Int(generator.next().scaled(upTo: 1)) : 1
      return (0..<length).map { _ in
        Self.operation(from: &generator, usesLocks: usesLocks, isNested: false)
      }
    }
  }

  private static func operation(
    from generator: inout SplitMix64, usesLocks: Bool, isNested: Bool
  ) -> Operation {
    let actor = Int(generator.next().scaled(upTo: 1))
    switch generator.next().scaled(upTo: isNested ? 8 : 11) {
    case 0, 1: return .mark(actor: actor)
    case 2, 3: return .yieldingMark(actor: actor)
    case 4: return .relayed(from: actor, to: 1 - actor)
    case 5, 6: return usesLocks ? .log : .mark(actor: actor)
    case 7: return .yield
    case 8: return .sleep(milliseconds: Int(generator.next().scaled(upTo: 1)))
    case 9:
      return .group(
        operation(from: &generator, usesLocks: usesLocks, isNested: true),
        operation(from: &generator, usesLocks: usesLocks, isNested: true))
    default:
      return .beside(
        operation(from: &generator, usesLocks: usesLocks, isNested: true),
        operation(from: &generator, usesLocks: usesLocks, isNested: true))
    }
  }

  var description: String {
    tasks.map { $0.map { "\($0)" }.joined(separator: "; ") }.joined(separator: " ‖ ")
  }

  /// The outcomes that a search reached.
  struct Outcomes {
    /// The outcomes of every schedule.
    var all: Set<String>
    /// The outcomes of the schedules that cover every order if tasks share state only in actors.
    var onActors: Set<String>
    var schedules: Int
  }

  /// The outcomes that a search reaches, or `nil` if it does not finish within its budget.
  func outcomes(
    isReducing: Bool, sharing: SharedState, usesOnlyActors: Bool, budget: Int
  ) async -> Outcomes? {
    var settings = ExplorationSettings.interleavings(sharing: sharing)
    settings.isReducing = isReducing
    settings.stopsAtFailure = false
    settings.runs = budget
    settings.time = .seconds(600)
    let seen = Outputs()
    let report = await exploreInterleavings(settings) { program in
      let world = World(usesOnlyActors: usesOnlyActors)
      for (number, operations) in tasks.enumerated() {
        program.task { await world.run(operations, as: "\(number)") }
      }
      program.check { seen.append(await world.outcome) }
    }
    guard report.isExhaustive || usesOnlyActors && report.actorSchedules != nil else { return nil }
    let values = seen.values
    // The search runs one schedule in 256 twice.
    let first = report.actorSchedules.map { $0 + 1 + $0 / 256 } ?? 0
    return Outcomes(
      all: Set(values), onActors: Set(values.prefix(first)),
      schedules: usesOnlyActors ? report.actorSchedules ?? report.schedules : report.schedules)
  }
}

private final class Outputs: Sendable {
  private let storage = Mutex<[String]>([])
  var values: [String] { storage.withLock { $0 } }
  func append(_ value: String) { storage.withLock { $0.append(value) } }
}

private actor Recorder {
  private(set) var marks: [String] = []

  func mark(_ text: String) { marks.append(text) }

  func markYielding(_ text: String) async {
    marks.append(text + "<")
    await Task.yield()
    marks.append(text + ">")
  }

  func relay(_ text: String, to other: Recorder) async {
    marks.append(text + "<")
    await other.mark(text)
    marks.append(text + ">")
  }

  /// Adds a mark and returns the number of marks, which the caller records.
  func count(_ text: String) -> Int {
    marks.append(text)
    return marks.count
  }
}

private final class World: Sendable {
  private let usesOnlyActors: Bool
  private let recorders = [Recorder(), Recorder()]
  private let log = Mutex<[String]>([])
  private let ends = Mutex<[String: [String]]>([:])

  init(usesOnlyActors: Bool) { self.usesOnlyActors = usesOnlyActors }

  func run(_ operations: [RandomProgram.Operation], as name: String) async {
    for (index, operation) in operations.enumerated() {
      await run(operation, as: "\(name).\(index)")
    }
  }

  private func run(_ operation: RandomProgram.Operation, as name: String) async {
    switch operation {
    case .mark(let actor):
      let count = await recorders[actor].count(name)
      // Each key is written by one task only, so this lock shares no state between tasks.
      ends.withLock { $0[name, default: []].append("\(count)") }
    case .yieldingMark(let actor): await recorders[actor].markYielding(name)
    case .relayed(let from, let to): await recorders[from].relay(name, to: recorders[to])
    case .log: log.withLock { $0.append(name) }
    case .yield: await Task.yield()
    case .sleep(let milliseconds): try? await Task.sleep(for: .milliseconds(1 + milliseconds))
    case .group(let first, let second):
      await withTaskGroup(of: String.self) { group in
        group.addTask {
          await self.run(first, as: name + "a")
          return "a"
        }
        group.addTask {
          await self.run(second, as: name + "b")
          return "b"
        }
        for await end in group { ends.withLock { $0[name, default: []].append(end) } }
      }
    case .beside(let first, let second):
      async let one: Void = run(first, as: name + "a")
      await run(second, as: name + "b")
      await one
    }
  }

  var outcome: String {
    get async {
      var parts: [String] = []
      for recorder in recorders { parts.append(await recorder.marks.joined(separator: ",")) }
      if !usesOnlyActors { parts.append(log.withLock { $0.joined(separator: ",") }) }
      parts.append(
        ends.withLock { $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }
          .joined(separator: ","))
      return parts.joined(separator: " | ")
    }
  }
}
