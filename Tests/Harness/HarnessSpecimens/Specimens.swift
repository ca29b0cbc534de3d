import ContractTesting
import Foundation
import SystemLocks
import Testing

/// Contracts and implementations that are wrong on purpose, and some that are correct.
///
/// They run only in processes that tests start: see `SpecimenRun`. ``cases(_:)`` runs the specimens that the variable
/// `SPECIMENS` names.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["CONTRACT_SPECIMEN"] != nil,
    "a test starts the program harness-specimens for these"))
struct Specimens {
  /// The cases of a specimen, or of several whose names are joined by `|`.
  private static var chosen: [ContractCase<Counter>] {
    (ProcessInfo.processInfo.environment["SPECIMENS"] ?? "").split(separator: "|").flatMap {
      cases(of: String($0))
    }
  }

  @Test(arguments: chosen) func cases(_ specimen: ContractCase<Counter>) async throws {
    try await specimen.verify()
  }

  private static func counter(
    _ implementations: Implementation<Counter>...
  ) -> [ContractCase<Counter>] {
    Contract.counter.cases(for: implementations)
  }

  private static func cases(of specimen: String) -> [ContractCase<Counter>] {
    switch specimen {
    case "sound": counter(.sound, .soundLive)
    case "sharedProcess":
      Contract.shared.cases(
        for: .sound.renamed("sharing").inOwnProcess(sharing: .untilCrash).exclusive("sharing"),
        .sound.renamed("alone").inOwnProcess().exclusive("alone"))
    case "partInSharedProcess":
      counter(.sound.renamed("part").inOwnProcess(sharing: .untilCrash).timeLimit(.seconds(5)))
        .dropFirst().map(\.self)
    case "crashingInPlace": counter(.trapping, .sound)
    case "overflowing": counter(.overflowing, .sound)
    case "crashingDetached": counter(.detached, .sound)
    case "aborting": counter(.aborting, .sound)
    case "witnessed":
      counter(
        .sound, .recording, .impostor, .recording.renamed("elsewhere").inOwnProcess(),
        .impostor.renamed("impostor-elsewhere").inOwnProcess(sharing: .untilCrash), .unreadable,
        .printed, .read)
    case "failing": counter(.sound, .stuck)
    case "deviating":
      counter(
        .stuck.deviating(from: "adds", because: "it is stuck", link: "https://bugs.example/1"))
    case "noLongerDeviating": counter(.sound.deviating(from: "adds", because: "once broken"))
    case "intermittent":
      counter(
        .sound.deviating(from: "adds", intermittently: true, because: "sometimes slow"),
        .stuck.deviating(from: "adds", intermittently: true, because: "sometimes stuck"))
    case "unavailable": counter(.soundLive.available(when: "the moon is full") { false })
    case "refused":
      counter(.unmade, .refusing, .refusing.renamed("refusing-alone").inOwnProcess(), .late, .other)
    case "versioned":
      counter(
        .sound.renamed("numbered").version { _ in "Counter 1" },
        .sound.renamed("numbered-alone").version { _ in "Counter 2" }.inOwnProcess(),
        .sound.renamed("reticent").version { _ in throw Refusal() })
    case "overdue":
      counter(
        .stuck.deviating(from: "adds", because: "it is stuck", until: "2020-01-31"),
        .stuck.renamed("in-time").deviating(
          from: "adds", because: "it is stuck", until: "2999-12-31"),
        .stuck.renamed("undated").deviating(from: "adds", because: "it is stuck", until: "tomorrow")
      )
    case "crashing": counter(.trapping.inOwnProcess(), .sound)
    case "crashesAndTimeouts":
      counter(
        .trapping.deviating(from: "adds", by: .crashing, because: "it traps"),
        .exiting.deviating(from: "adds", by: .crashing, because: "it exits"),
        .stalling.deviating(
          from: "adds", by: .timingOut(after: .milliseconds(300)), because: "it waits"),
        .blocking.deviating(
          from: "adds", by: .timingOut(after: .milliseconds(300)), because: "it blocks"))
    case "anotherManner":
      counter(.stuck.deviating(from: "adds", by: .crashing, because: "it is declared to trap"))
    case "timingOut": counter(.stalling.timeLimit(.milliseconds(200)), .sound)
    case "blockingInOwnProcess": counter(.blocking.timeLimit(.milliseconds(200)).inOwnProcess())
    case "leavingFolders":
      counter(
        .leaving(.trapping), .leaving(.exiting), .leaving(.blocking).timeLimit(.seconds(1)))
    case "killedInPlace": counter(.killed)
    case "blockingInPlace": counter(.blocking.timeLimit(.milliseconds(200)), .sound)
    case "starved": Contract.wedge.cases(for: .sound)
    case "tearDownThrows": counter(.untidy)
    case "tearDownThrowsBehindDeviation":
      counter(.untidy.deviating(from: "adds", because: "the fixture is at fault, not the clause"))
    case "makeThrows": counter(.unmakeable)
    case "childTask": Contract.children.cases(for: .sound)
    case "childTaskDeviating":
      Contract.children.cases(for: .sound.deviating(from: "child", because: "the child complains"))
    case "unknownDeviation": counter(.sound.deviating(from: "add", because: "the id is misspelled"))
    case "placeholderReason": counter(.sound.deviating(from: "adds", because: "TODO"))
    case "unknownCapability": counter(.sound.lacking(.unheardOf, because: "an example"))
    case "duplicateClause": Contract.twins.cases(for: .sound)
    case "missingAbsence": Contract.unprobed.cases(for: .sound)
    case "capabilities": counter(.forgetful, .sound.lacking(.memory, because: "too lazy"))
    case "dropped":
      Contract.counter.without("adds", because: "this port has no sums").cases(for: .sound)
    case "unknownDropped": Contract.counter.without("subtracts", because: "no").cases(for: .sound)
    case "noImplementation": Contract.counter.cases(for: [Implementation<Counter>]())
    case "sameNameTwice": counter(.sound, .sound)
    case "saboteurs": Contract.counter.saboteurCases
    case "both": counter(.sound) + Contract.counter.saboteurCases
    case "weakSaboteurs": Contract.weak.saboteurCases
    case "leftToMutants": Contract.shown.cases(for: .sound) + Contract.shown.saboteurCases
    case "coarse": Contract.arithmetic.saboteurCases
    case "waiting": counter(.sound, .waiting)
    case "expectingNothing":
      Contract.idle.cases(for: .sound, .sound.renamed("elsewhere").inOwnProcess())
    case "everyOutcome":
      counter(
        .sound, .stuck.deviating(from: "adds", because: "it is stuck"),
        .soundLive.available(when: "the moon is full") { false }, .trapping.inOwnProcess())
    default: []
    }
  }

  /// Takes cases and verifies none.
  @Test(arguments: Contract.counter.cases(for: .sound, .stuck))
  func ignored(_ specimen: ContractCase<Counter>) {}

  /// Evaluates an expectation of its own in a detached task, after the case has ended.
  @Test(arguments: Contract.counter.cases(for: .sound))
  func besides(_ specimen: ContractCase<Counter>) async throws {
    try await specimen.verify()
    await expectDetached()
  }

  /// Clauses that leave an expectation to a task that outlives them, or that belongs to no case.
  @Test(arguments: Contract.leaking.cases(for: .sound))
  func leaking(_ specimen: ContractCase<Counter>) async throws {
    try await specimen.verify()
    await Leak.task.withLock(\.self)?.value
  }

  @Test func plainFailure() { Issue.record("no case says this") }

  /// Other tasks compute on every thread of the pool while the case runs.
  @Test(arguments: Contract.drowsy.cases(for: .sound))
  func crowded(_ specimen: ContractCase<Counter>) async throws {
    for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
      Task {
        let end = ContinuousClock.now + .milliseconds(400)
        while ContinuousClock.now < end {}
      }
    }
    try await specimen.verify()
  }

  /// Cases in a loop instead of as arguments.
  @Test func loop() async throws {
    for one in Contract.counter.cases(for: .forgetful, .sound) { try await one.verify() }
  }
}

/// Never returns, until the task is cancelled.
private func stall() async throws { try await Task.sleep(for: .seconds(3600)) }

/// The task that a clause left running.
private enum Leak {
  static let task = Mutex<Task<Void, Never>?>(nil)
}

/// The port under test: a number to add to.
struct Counter: Sendable {
  var add: @Sendable (Int) async throws -> Int
}

extension Capability {
  static let memory = Capability("memory", "a sum is kept for the next call")
  static let unheardOf = Capability("unheard-of", "no clause requires it")
}

extension Contract<Counter> {
  static let leaking: Self = Contract("leaking", "Leaks", leavesOthersToMutants: true) {
    Clause("leaks", "a task outlives its clause") { _ in
      #expect(Bool(true))
      let running = RunningCase.current
      let task = Task {
        while running?.hasEnded == false { await Task.yield() }
        #expect(Bool(true))
      }
      Leak.task.withLock { $0 = task }
    }
    Clause("detaches", "a check that belongs to no case") { _ in
      #expect(Bool(true))
      await Task.detached { #expect(Bool(false), "checked in a detached task") }.value
    }
  }

  /// A contract without mistakes.
  static let counter: Self = Contract("counter", "Counter") {
    Clause("adds", "one and two is three", from: "arithmetic") { counter in
      let sum = try await counter.add(1) + counter.add(2)
      #expect(sum >= 3, "the sum is too small")
    }
    Clause("remembers", "a sum is kept", requires: .memory) { counter in
      _ = try await counter.add(2)
      #expect(try await counter.add(3) == 5)
    }
    Absence(of: .memory, "a sum is forgotten") { counter in
      _ = try await counter.add(2)
      #expect(try await counter.add(3) == 3)
    }
  } saboteurs: {
    Saboteur("stuck", "always returns zero", caughtBy: "adds", saying: "the sum is too small") {
      Counter { _ in 0 }
    }
    Saboteur("forgets", "forgets its sum", caughtBy: "remembers") { Counter { $0 } }
    Saboteur("modest", "claims to forget, and does not", caughtBy: "lacks-memory") {
      .remembering()
    }
  }

  /// Clauses that fail with the id of their process, one that traps and one that stalls.
  static let shared: Self = Contract("shared", "Cases in one process") {
    sayingProcess("first")
    sayingProcess("second")
    Clause("traps", "it traps") { _ in fatalError("trapped on purpose") }
    sayingProcess("third")
    Clause("stalls", "it stalls", timeLimit: .milliseconds(200)) { _ in
      try await stall()
    }
    sayingProcess("fourth")
    Clause("holds", "it holds") { _ in check(true, "it holds") }
  }

  private static func sayingProcess(_ id: String) -> Clause<Counter> {
    Clause(id, "it says its process") { _ in Issue.record("in process \(getpid())") }
  }

  static let wedge: Self = Contract("wedge", "Blocked threads") {
    Clause("blocks", "every thread of the pool is blocked", timeLimit: .milliseconds(200)) { _ in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<256 { group.addTask { DispatchSemaphore(value: 0).wait() } }
      }
    }
  }

  static let drowsy: Self = Contract("drowsy", "A clause that sleeps for 10 ms") {
    Clause("sleeps", "it ends in time", timeLimit: .milliseconds(800)) { _ in
      try await Task.sleep(for: .milliseconds(10))
      check(true, "it ends")
    }
  }

  /// Six clauses, each about one number.
  static let arithmetic: Self = Contract("arithmetic", "Sums") {
    for number in 1...8 {
      Clause("sum-\(number)", "0 and \(number) is \(number)") { counter in
        let sum = try await counter.add(number)
        #expect(sum == number, "the sum of 0 and \(number)")
      }
    }
  } saboteurs: {
    for number in 1...8 {
      Saboteur("not-\(number)", "adds \(number) wrongly", caughtBy: "sum-\(number)") {
        Counter { $0 == number ? 0 : $0 }
      }
    }
    Saboteur("nothing", "always returns zero", caughtBy: "sum-1") { Counter { _ in 0 } }
    Saboteur(
      "even", "adds odd numbers wrongly", caughtBy: "sum-1", saying: "the sum of 0 and 1"
    ) { Counter { $0 / 2 * 2 } }
    Saboteur("small", "adds numbers above 4 wrongly", caughtBy: "sum-6") { Counter { min($0, 4) } }
    Saboteur(
      "slow", "adds 2 wrongly, and 1 slowly", caughtBy: "sum-2", timeLimit: .seconds(1)
    ) {
      Counter {
        if $0 == 1 { try await stall() }
        return $0 == 2 ? 0 : $0
      }
    }
    Saboteur(
      "nothing-and-slow", "returns zero, and for 8 never", caughtBy: "sum-1", timeLimit: .seconds(1)
    ) {
      Counter {
        if $0 == 8 { try await stall() }
        return 0
      }
    }
  }

  static let children: Self = Contract("children", "Child tasks") {
    Clause("child", "a child task may record an issue") { _ in
      async let complaint: Void = Self.complain()
      await complaint
    }
  }

  static let twins: Self = Contract("twins", "The same id twice") {
    Clause("same", "the first") { _ in check(true, "it holds") }
    Clause("same", "the second") { _ in check(true, "it holds") }
  }

  static let unprobed: Self = Contract("unprobed", "A capability without an absence") {
    Clause("needs-memory", "it remembers", requires: .memory) { _ in check(true, "it holds") }
  }

  static let weak: Self = Contract("weak", "A contract that catches nothing") {
    Clause("blind", "every behaviour is correct") { _ in }
    Clause("unnamed", "no saboteur names this one") { _ in }
    Clause("mumbles", "something is wrong") { counter in
      let sum = try await counter.add(1)
      #expect(sum == 1, "hm")
    }
    Clause("promises", "adding throws nothing, and ends", timeLimit: .seconds(60)) { counter in
      await #expect(throws: Never.self) { try await counter.add(1) }
    }
  } saboteurs: {
    Saboteur(
      "stuck", "always returns zero", caughtBy: "blind", "mumbles", saying: "a clear message"
    ) {
      Counter { _ in 0 }
    }
    Saboteur("broken", "can't be made", caughtBy: "mumbles") { throw Refusal() }
    Saboteur("throwing", "throws an error", caughtBy: "mumbles", "promises") {
      Counter { _ in throw Refusal() }
    }
    Saboteur(
      "silent", "never returns", caughtBy: "mumbles", "promises", timeLimit: .milliseconds(50)
    ) {
      Counter { _ in
        try await Task.sleep(for: .seconds(60))
        return 0
      }
    }
    Saboteur("lost", "names a clause that does not exist", caughtBy: "mumble") { .remembering() }
  }

  static let shown: Self = Contract(
    "shown", "By a saboteur and by mutants", leavesOthersToMutants: true
  ) {
    Clause("adds", "adding returns the sum") { checkEqual(try await $0.add(1), 1, "the sum") }
    Clause("other", "no saboteur names this one") { checkEqual(try await $0.add(1), 1, "the sum") }
  } saboteurs: {
    Saboteur("stuck", "always returns zero", caughtBy: "adds") { Counter { _ in 0 } }
  }

  /// Clauses without an expectation, or with one that few programs would count.
  static let idle: Self = Contract("idle", "Expectations that are evaluated or not") {
    Clause("calls", "only a call") { _ = try await $0.add(1) }
    Clause("loops", "an expectation for each of no numbers") { counter in
      for number in 0..<(try await counter.add(0)) { #expect(number < 0) }
    }
    Clause("detached", "an expectation in a detached task") { _ in
      await Task.detached { #expect(Bool(true)) }.value
    }
    Clause("child", "an expectation in a child task") { counter in
      async let sum = counter.add(1)
      await Task { #expect(Bool(true)) }.value
      _ = try await sum
    }
    Clause("helper", "an expectation in a helper, at the clause's line") { _ in
      expectHelped(
        sourceLocation: SourceLocation(
          fileID: "A/B.swift", filePath: "/B.swift", line: 1, column: 1))
    }
    Clause("requires", "a value that is there") { counter in
      let sum: Int? = try await counter.add(1)
      _ = try #require(sum)
    }
    Clause("confirms", "a confirmation") { _ in await confirmation { $0() } }
    Clause("checks", "the harness's own check") { checkEqual(try await $0.add(1), 1, "the sum") }
  }

  private static func expectHelped(sourceLocation: SourceLocation) {
    checkEqual(1, 1, "one", sourceLocation: sourceLocation)
  }

  private static func complain() async { Issue.record("recorded by a child task") }
}

struct Refusal: Error {}

extension Counter {
  static func remembering() -> Counter {
    let sum = Sum()
    return Counter { await sum.add($0) }
  }
}

actor Sum {
  private var value = 0

  func add(_ number: Int) -> Int {
    value += number
    return value
  }
}

extension Implementation<Counter> {
  /// A copy with another id.
  func renamed(_ id: String) -> Self {
    var copy = Implementation(id: id, kind: kind, sourceLocation: sourceLocation, make: make)
    copy.lacks = lacks
    copy.unavailability = unavailability
    return copy
  }

  private static func isRefusal(_ error: any Error) -> String? {
    error is Refusal ? "the counter refused" : nil
  }

  static let unmade: Self = live("unmade") { _ in throw Refusal() }.unavailable(where: isRefusal)
  static let refusing: Self = live("refusing") { _ in Counter { _ in throw Refusal() } }
    .unavailable(where: isRefusal)
  /// Records an issue before the refusal.
  static let late: Self = live("late") { _ in
    Counter { _ in
      Issue.record("an issue")
      throw Refusal()
    }
  }
  .unavailable(where: isRefusal)
  static let other: Self = live("other") { _ in Counter { _ in throw CancellationError() } }
    .unavailable(where: isRefusal)

  /// Writes its sum to a file.
  static let recording = writing("recording") { scope, file in
    scope.witness("the file") { try Data(contentsOf: file) }
  }
  static let read = writing("read") { scope, file in scope.witness(file: file) }
  /// Has a second witness, a program that is not installed.
  static let printed = writing("printed") { scope, file in
    scope.witness("the sum", printedBy: ["cat", file.path])
    scope.witness("the sum", printedBy: ["no-such-program", file.path])
  }

  private static func writing(
    _ id: String, _ addWitness: @escaping @Sendable (FixtureScope, URL) -> Void
  ) -> Self {
    live(id) { scope in
      let file = try scope.temporaryDirectory().appending(path: "sum")
      addWitness(scope, file)
      let counter = Counter.remembering()
      return Counter { number in
        let sum = try await counter.add(number)
        try Data("\(sum)".utf8).write(to: file)
        return sum
      }
    }
  }
  /// A fake that claims to write to a file.
  static let impostor: Self = live("impostor") { scope in
    let file = try scope.temporaryDirectory().appending(path: "sum")
    try Data("0".utf8).write(to: file)
    scope.witness("the file") { try Data(contentsOf: file) }
    return .remembering()
  }
  /// Has a witness that always throws.
  static let unreadable: Self = live("unreadable") { scope in
    scope.witness("the device") { () -> Int in throw Refusal() }
    return .remembering()
  }

  static let sound: Self = fake("sound") { .remembering() }
  static let soundLive: Self = live("sound-live") { _ in .remembering() }
  static let stuck: Self = live("stuck") { _ in Counter { _ in 0 } }
    .lacking(.memory, because: "it is stuck")
    .deviating(from: "lacks-memory", because: "it is stuck")
  static let forgetful: Self = live("forgetful") { _ in Counter { $0 } }
    .lacking(.memory, because: "it keeps nothing")
  static let trapping: Self = live("trapping") { _ in Counter { $0 / ($0 - $0) } }
    .lacking(.memory, because: "it traps")
    .deviating(from: "lacks-memory", by: .crashing, because: "it traps")
  /// Overflows its stack.
  static let overflowing: Self = live("overflowing") { _ in Counter { Self.recurse($0) } }
  /// Crashes in a task that belongs to no case.
  static let detached: Self = live("detached") { _ in
    Counter { number in await Task.detached { number / (number - number) }.value }
  }
  /// Its fixture is never made.
  static let waiting: Self = live("waiting") { _ in
    try await stall()
    return .remembering()
  }
  .timeLimit(.milliseconds(200))
  static let aborting: Self = live("aborting") { _ in Counter { _ in abort() } }

  private static func recurse(_ number: Int) -> Int {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 512) { memory in
      memory.initialize(repeating: number)
      return Self.recurse(memory[number % 512] + 1) + memory[0]
    }
  }

  static let exiting: Self = live("exiting") { _ in Counter { _ in exit(3) } }
    .lacking(.memory, because: "it exits")
    .deviating(from: "lacks-memory", by: .crashing, because: "it exits")
  static let stalling: Self = live("stalling") { _ in
    Counter { _ in
      try await stall()
      return 0
    }
  }
  .lacking(.memory, because: "it waits")
  .deviating(from: "lacks-memory", by: .timingOut(after: .milliseconds(300)), because: "it waits")
  static let blocking: Self = live("blocking") { _ in
    Counter { _ in
      DispatchSemaphore(value: 0).wait()
      return 0
    }
  }
  .lacking(.memory, because: "it blocks")
  .deviating(from: "lacks-memory", by: .timingOut(after: .milliseconds(300)), because: "it blocks")
  static let untidy: Self = live("untidy") { scope in
    scope.onTearDown { throw Refusal() }
    return .remembering()
  }
  static let unmakeable: Self = live("unmakeable") { _ in throw Refusal() }

  /// Makes a folder, and kills the test process.
  static let killed: Self = live("killed") { scope in
    _ = try scope.temporaryDirectory()
    kill(getpid(), SIGKILL)
    return try await Implementation.sound.make(scope)
  }

  /// An implementation that leaves a folder behind, because it ends its process or blocks.
  static func leaving(_ other: Self) -> Self {
    live("leaving-\(other.id)") { [make = other.make] scope in
      let folder = try scope.temporaryDirectory()
      try Data("left".utf8).write(to: folder.appendingPathComponent("file"))
      try Data("left".utf8).write(
        to: FileManager.default.temporaryDirectory.appendingPathComponent("contract-file"))
      return try await make(scope)
    }
    .lacking(.memory, because: "it ends")
    .inOwnProcess()
  }
}

/// Below the clauses of this file, and in none of them.
private func expectDetached() async { await Task.detached { #expect(Bool(true)) }.value }
