import ExplorationEngine
import LinearizabilityChecking
import RecordedHistories
import Testing

@Suite struct LinearizabilityCheckerTests {
  typealias Registers = History<RecordedCall, RecordedResponse>
  typealias Maps = History<RecordedCall, RecordedResponse>

  private func check(
    _ operations: [Registers.Operation], limits: LinearizabilityLimits = .init()
  ) throws -> LinearizabilityResult<RecordedResponse> {
    LinearizabilityChecker(RegisterModel(initial: 0), limits: limits)
      .check(try History(operations))
  }

  @Test func `a return and a call at the same stamp overlap`() throws {
    let result = try check([
      .init(client: 0, .write(1), from: 1, to: 2, returning: .done),
      .init(client: 1, .read, from: 2, to: 3, returning: .value(0)),
    ])
    #expect(result == .linearizable(order: [1, 0]))
  }

  @Test func `a read after a write must return its value, and the violation says so`() throws {
    let result = try check([
      .init(client: 0, .write(1), from: 1, to: 2, returning: .done),
      .init(client: 1, .read, from: 3, to: 4, returning: .value(0)),
    ])
    guard case .notLinearizable(let violation) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(violation.prefix == [0])
    #expect(violation.blocked.map(\.operation) == [1])
    #expect(violation.blocked.map(\.expected) == [.value(1)])
  }

  @Test func `a pending write may have happened or not`() throws {
    for value in [0, 1] as [RecordedValue] {
      let result = try check([
        .init(client: 0, .write(1), from: 1),
        .init(client: 1, .read, from: 5, to: 6, returning: .value(value)),
      ])
      guard case .linearizable = result else {
        Issue.record("\(value): \(result)")
        continue
      }
    }
  }

  @Test func `a pending write cannot have happened before its call`() throws {
    let result = try check([
      .init(client: 1, .read, from: 1, to: 2, returning: .value(1)),
      .init(client: 0, .write(1), from: 3),
    ])
    guard case .notLinearizable = result else {
      Issue.record("\(result)")
      return
    }
  }

  @Test func `a compare-and-set that fails now may be the one that succeeds later`() throws {
    // It would be wrong to append the compare-and-set at once because it leaves the first state
    // unchanged.
    let result = try check([
      .init(client: 0, .cas(old: 1, new: 2), from: 1),
      .init(client: 1, .write(1), from: 2, to: 3, returning: .done),
      .init(client: 2, .read, from: 4, to: 5, returning: .value(2)),
    ])
    guard case .linearizable = result else {
      Issue.record("\(result)")
      return
    }
  }

  @Test func `the order of several partitions respects the stamps`() throws {
    var random = TestRandom(state: 9)
    let generator = HistoryGenerator(model: KeyValueModel()) { random in
      .put(.integer(Int.random(in: 0...5, using: &random)), 1)
    }
    let history = try generator.history(
      operations: 200, clients: 5, spread: 4, pending: true, wrong: 0, from: &random)
    guard case .linearizable(let order) = LinearizabilityChecker(KeyValueModel()).check(history)
    else {
      Issue.record("refused")
      return
    }
    #expect(explains(order, history, by: KeyValueModel()))
  }

  /// Concurrent writes and an impossible read: every subset of the writes is a configuration.
  private func hardHistory(writers: Int) -> [Registers.Operation] {
    (0..<writers).map {
      .init(client: $0, .write(.integer($0)), from: $0, to: 1000, returning: .done)
    } + [.init(client: writers, .read, from: 2000, to: 2001, returning: .value(-1))]
  }

  @Test func `a limit on steps gives unknown`() throws {
    let limits = LinearizabilityLimits(steps: 5000)
    #expect(try check(hardHistory(writers: 24), limits: limits) == .unknown(.steps(5000)))
  }

  @Test func `a limit on memory gives unknown`() throws {
    let limits = LinearizabilityLimits(memory: 8 << 20)
    let result = try check(hardHistory(writers: 24), limits: limits)
    #expect(result == .unknown(.memory(bytes: 8 << 20)))
  }

  @Test func `a limit on time gives unknown`() throws {
    let limits = LinearizabilityLimits(time: .milliseconds(5))
    let result = try check(hardHistory(writers: 24), limits: limits)
    #expect(result == .unknown(.time(.milliseconds(5))))
  }

  @Test func `a violation in one partition takes precedence over an undecided one`() throws {
    var operations: [Maps.Operation] = (0..<24).map {
      .init(client: $0, .put("hard", .integer($0)), from: $0, to: 1000, returning: .done)
    }
    operations.append(
      .init(client: 24, .get("hard"), from: 2000, to: 2001, returning: .value(-1)))
    operations += (0..<40).map {
      .init(client: 30, .put("easy", 1), from: $0 * 2, to: $0 * 2 + 1, returning: .done)
    }
    operations.append(.init(client: 30, .get("easy"), from: 90, to: 91, returning: .value(2)))
    let checker = LinearizabilityChecker(KeyValueModel(), limits: .init(steps: 20_000))
    guard case .notLinearizable(let violation) = checker.check(try History(operations)) else {
      Issue.record("not found")
      return
    }
    #expect(violation.partition.allSatisfy { operations[$0].command.key == "easy" })
  }

  @Test func `an operation that returns before its call is rejected`() {
    #expect(throws: HistoryError.returnsBeforeCall(operation: 0, call: 3, end: 2)) {
      try Registers([.init(client: 0, .read, from: 3, to: 2, returning: .value(0))])
    }
  }

  // MARK: - Minimizing

  @Test func `a stale read is minimized to itself and two writes`() throws {
    var operations: [Registers.Operation] = []
    for index in 0..<60 {
      let stamp = index * 10
      operations.append(
        .init(
          client: index % 3, .write(.integer(index)), from: stamp, to: stamp + 3,
          returning: .done))
      operations.append(
        .init(
          client: 3, .read, from: stamp + 5, to: stamp + 6,
          returning: .value(.integer(index == 40 ? 20 : index))))
    }
    let checker = LinearizabilityChecker(RegisterModel(initial: 0))
    let minimal = try #require(checker.minimized(try History(operations)))
    // The write that was read, a later one, and the read.
    let commands = minimal.operations.map(\.command)
    #expect(commands.count == 3)
    #expect(commands.contains(.write(20)) && commands.contains(.read))
    guard case .notLinearizable = checker.check(minimal) else {
      Issue.record("\(minimal)")
      return
    }
  }

  @Test func `a read of a value that was never written is minimized to itself`() throws {
    let operations: [Registers.Operation] = (0..<50).map {
      .init(
        client: $0 % 2, .write(.integer($0)), from: $0 * 2, to: $0 * 2 + 3, returning: .done)
    }
    let read = Registers.Operation(
      client: 2, .read, from: 30, to: 31, returning: .value(-7))
    let minimal = LinearizabilityChecker(RegisterModel(initial: 0))
      .minimized(try History(operations + [read]))
    #expect(minimal?.operations.map(\.command) == [.read])
  }

  @Test func `a linearizable history has nothing to minimize`() throws {
    let history = try Registers([
      .init(client: 0, .read, from: 1, to: 2, returning: .value(0))
    ])
    #expect(LinearizabilityChecker(RegisterModel(initial: 0)).minimized(history) == nil)
  }

  @Test func `minimized histories are not linearizable`() throws {
    var random = TestRandom(state: 31)
    let generator = HistoryGenerator(model: QueueModel()) { random in
      random.chance(1, of: 2)
        ? .dequeue : .enqueue(.integer(Int.random(in: 0...2, using: &random)))
    }
    let checker = LinearizabilityChecker(QueueModel())
    var minimized = 0
    for round in 0..<200 {
      let history = try generator.history(
        operations: 8, clients: 3, spread: 3, pending: round % 2 == 0, wrong: 1, from: &random)
      guard let minimal = checker.minimized(history) else { continue }
      minimized += 1
      #expect(!isLinearizable(minimal, by: QueueModel()), "\(history)\n\(minimal)")
      #expect(minimal.operations.count <= history.operations.count)
    }
    #expect(minimized > 30)
  }

  // MARK: - Drawing

  @Test func `the timeline has a row for each client and shows overlaps`() throws {
    let history = try Registers([
      .init(client: 0, .write(1), from: 10, to: 40, returning: .done),
      .init(client: 1, .read, from: 20, to: 30, returning: .value(0)),
      .init(client: 0, .read, from: 50, to: 60, returning: .value(1)),
      .init(client: 2, .write(2), from: 35),
    ])
    #expect(
      history.timeline == """
        client 0  [write(1) → done] [read → 1]
        client 1   [read → 0]
        client 2              [write(2) ┄┄┄
        """, "\(history.timeline)")
  }
}
