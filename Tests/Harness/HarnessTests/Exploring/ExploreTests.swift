import ContractInterleavings
import ContractTesting
import Foundation
import SystemLocks
import Testing

/// Exploration from a test, on correct and incorrect implementations.
@Suite struct ExploreTests {
  @Test func `a correct implementation passes the three explorations`() async throws {
    let issues = try await issues {
      try await explore(.tally, on: .sound)
      try await exploreConcurrently(.tally, on: .sound, settings: .init(runs: 20, steps: 12))
      try await exploreInterleavings(.tally, on: .sound, programs: 3)
    }
    #expect(issues == [])
  }

  @Test func `no fixture is made while a case holds the implementation's resource`() async throws {
    let isHeld = Mutex(false)
    let implementation = Implementation<any Tally>.fake("exclusive") {
      #expect(!isHeld.withLock { $0 })
      return ActorTally()
    }.exclusive(#function)
    let exploring = await implementation.holdingResources {
      isHeld.withLock { $0 = true }
      let exploring = Task {
        try await explore(.tally, on: implementation, settings: .init(runs: 2))
      }
      for _ in 0..<100_000 { await Task.yield() }
      isHeld.withLock { $0 = false }
      return exploring
    }
    try await exploring.value
  }

  @Test func `a mismatch is shrunk, printed as a test to paste, and saved`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("examples-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("Test.swift").path
    let settings = ExplorationSettings(runs: 200, seed: 3_009_186_609)
    let first = try await issues {
      try await explore(.tally, on: .capped, settings: settings, filePath: file)
    }
    #expect(first.count == 1)
    #expect(first.first?.contains("on capped") == true)
    #expect(first.first?.contains("@Test") == true, "\(first)")
    try expectPasted(#require(first.first))
    try expectPastedClause(#require(first.first))
    #expect(first.first?.contains("/.examples/TallySpecification/") == true)
    let again = try await issues {
      try await explore(.tally, on: .capped, settings: .init(runs: 1), filePath: file)
    }
    #expect(again.first?.contains("stored examples replayed first: 1") == true, "\(again)")
  }

  /// Compares a printed test with `PastedTest.swift`, which compiles.
  private func expectPasted(_ text: String) throws {
    func lines(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "PastedTest.swift")
    let pasted = try lines(String(contentsOf: file, encoding: .utf8))
    let printed = lines(text).drop { !$0.hasPrefix("@Test") }.dropFirst()
    let end = try #require(printed.firstIndex(of: "}"), "\(text)")
    #expect(printed[..<end].allSatisfy { pasted.contains($0) }, "\(text)")
  }

  /// Compares a printed clause with that of `PastedTest.swift`, which compiles and fails.
  private func expectPastedClause(_ text: String) throws {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let start = try #require(lines.firstIndex(of: "Clause("), "\(text)")
    let end = try #require(lines[start...].firstIndex(of: "}"))
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "PastedTest.swift")
    let pasted = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    // The line with the seed differs by seed.
    #expect(
      lines[start...end].allSatisfy { pasted.contains($0) || $0.hasPrefix("from:") }, "\(text)")
  }

  @Test func `a lost update of a re-entrant actor is found`() async throws {
    let issues = try await issues {
      try await exploreInterleavings(.tally, on: .reentrant, programs: 5)
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("on reentrant") == true, "\(issues)")
  }

  @Test func `each run's fixture is torn down`() async throws {
    let count = Count()
    let implementation = Implementation<any Tally>.fake("counted") { scope in
      await count.add(1)
      scope.onTearDown { await count.add(-1) }
      return ActorTally()
    }
    let issues = try await issues {
      try await explore(.tally, on: implementation, settings: .init(runs: 10))
      try await exploreConcurrently(
        .tally, on: implementation, settings: .init(runs: 10, steps: 8))
      try await exploreInterleavings(.tally, on: implementation, programs: 1)
    }
    #expect(issues == [])
    #expect(await count.value == 0)
    #expect(await count.most > 20)
  }

  private actor Count {
    var value = 0
    var most = 0

    func add(_ number: Int) {
      value += number
      most += max(0, number)
    }
  }
}

/// A port with one number.
protocol Tally: Sendable {
  func add(_ number: Int) async -> Int
  func total() async -> Int
}

struct TallySpecification: Specification {
  enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
    case add(Int)
    case total

    var description: String {
      switch self {
      case .add(let number): "add(\(number))"
      case .total: "total"
      }
    }
  }

  /// The largest total that the model and the generator can handle; they trap at others.
  var modelLimit = Int.max
  var generatorLimit = Int.max

  var initialState: Int { 0 }
  var kinds: [String] { ["add", "total"] }

  func command(from choices: inout Choices, in state: Int) -> Command {
    precondition(state <= generatorLimit, "too much to draw more")
    return choices.rule(of: 2) == 0 ? .total : .add(choices.integer(in: 1...9))
  }

  func apply(_ command: Command, to state: inout Int) -> Int {
    if case .add(let number) = command { state += number }
    precondition(state <= modelLimit, "too much to add up")
    return state
  }

  func perform(_ command: Command, on subject: any Tally) async throws -> Int {
    switch command {
    case .add(let number): await subject.add(number)
    case .total: await subject.total()
    }
  }

  func isReadOnly(_ command: Command) -> Bool { command == .total }
}

extension Specification where Self == TallySpecification {
  static var tally: TallySpecification { TallySpecification() }
}

extension Implementation<any Tally> {
  static let sound: Self = fake("sound") { ActorTally() }
  static let capped: Self = fake("capped") { ActorTally { min(100, $0 + $1) } }
  static let reentrant: Self = fake("reentrant") { ReentrantTally() }
}

actor ActorTally: Tally {
  private var sum = 0
  private let plus: @Sendable (Int, Int) -> Int

  /// Creates a tally.
  ///
  /// - Parameter plus: Adds a number to the sum; another function makes the tally incorrect.
  init(_ plus: @escaping @Sendable (Int, Int) -> Int = { $0 + $1 }) { self.plus = plus }

  func add(_ number: Int) -> Int {
    sum = plus(sum, number)
    return sum
  }

  func total() -> Int { sum }
}

/// Incorrect: other tasks can run between its read and its write.
actor ReentrantTally: Tally {
  private var sum = 0

  func add(_ number: Int) async -> Int {
    let old = sum
    await Task.yield()
    sum = old + number
    return sum
  }

  func total() -> Int { sum }
}
