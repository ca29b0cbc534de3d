import SystemLocks

@testable import ExplorationEngine

/// A small concurrent program made from a seed, whose outcome shows the order of its events.
struct RandomProgram: Sendable, CustomStringConvertible {
  indirect enum Operation: Sendable {
    /// Leaves a mark on an actor.
    case mark(actor: Int)
    /// Leaves a mark, yields there, leaves another.
    case yieldingMark(actor: Int)
    /// Leaves a mark on the first actor, which then asks the second.
    case relayed(from: Int, to: Int)
    /// Leaves a mark in a locked log.
    case log
    /// Yields outside any actor.
    case yield
    /// Sleeps in virtual time.
    case sleep(milliseconds: Int)
    /// Runs two child tasks and keeps the order in which they end.
    case group(Operation, Operation)
    /// Runs an operation beside another one.
    case beside(Operation, Operation)
  }

  var tasks: [[Operation]]

  /// A given program.
  init(_ tasks: [[Operation]]) { self.tasks = tasks }

  /// Draws a program.
  ///
  /// - Parameters:
  ///   - seed: Equal seeds give equal programs.
  ///   - usesLocks: Whether tasks may share state outside actors.
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

  /// What a search reached.
  struct Outcomes {
    /// All outcomes.
    var all: Set<String>
    /// Those of the schedules that cover everything if tasks share state in actors alone.
    var onActors: Set<String>
    var schedules: Int
  }

  /// All outcomes that a search reaches, or `nil` when it could not finish.
  func outcomes(
    isReducing: Bool, sharing: SharedState, usesOnlyActors: Bool, budget: Int
  ) async -> Outcomes? {
    var options = InterleavingOptions(sharing: sharing)
    options.isReducing = isReducing
    options.stopsAtFailure = false
    options.schedules = budget
    options.time = .seconds(600)
    let seen = Outputs()
    let report = await exploreInterleavings(options) { program in
      let world = World(usesOnlyActors: usesOnlyActors)
      for (number, operations) in tasks.enumerated() {
        program.task { await world.run(operations, as: "\(number)") }
      }
      program.check { seen.append(await world.outcome) }
    }
    guard report.isExhaustive || usesOnlyActors && report.actorSchedules != nil else { return nil }
    let values = seen.values
    // One schedule in 256 is run twice.
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

private actor Place {
  private(set) var marks: [String] = []

  func mark(_ text: String) { marks.append(text) }

  func markYielding(_ text: String) async {
    marks.append(text + "<")
    await Task.yield()
    marks.append(text + ">")
  }

  func relay(_ text: String, to other: Place) async {
    marks.append(text + "<")
    await other.mark(text)
    marks.append(text + ">")
  }

  /// How many marks there were before: an answer that the caller keeps.
  func count(_ text: String) -> Int {
    marks.append(text)
    return marks.count
  }
}

private final class World: Sendable {
  private let usesOnlyActors: Bool
  private let places = [Place(), Place()]
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
      let count = await places[actor].count(name)
      // An answer belongs to the task that got it; one key is written by one task only.
      ends.withLock { $0[name, default: []].append("\(count)") }
    case .yieldingMark(let actor): await places[actor].markYielding(name)
    case .relayed(let from, let to): await places[from].relay(name, to: places[to])
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
      for place in places { parts.append(await place.marks.joined(separator: ",")) }
      if !usesOnlyActors { parts.append(log.withLock { $0.joined(separator: ",") }) }
      parts.append(
        ends.withLock { $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }
          .joined(separator: ","))
      return parts.joined(separator: " | ")
    }
  }
}
