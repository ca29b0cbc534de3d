import ContractTesting
import Foundation
import Synchronization
import TallyFileAdapter
import TallyPort
import Testing

extension Contract<any Tally> {
  static let tally = Contract("tally", "Tally") {
    Clause("begins", "a new tally is at zero") { tally in
      checkEqual(try tally.total(), 0, "the total")
    }
    Clause("counts", "each count is one more") { tally in
      _ = try tally.count()
      checkEqual(try tally.total(), 1, "the total after one")
      _ = try tally.count()
      checkEqual(try tally.total(), 2, "the total after two")
    }
    Clause("allows", "three counts are allowed") { tally in
      for _ in 1...3 { try #expect(tally.count()) }
    }
    Clause("refuses", "a fourth count is refused") { tally in
      for _ in 1...3 { _ = try tally.count() }
      try #expect(!tally.count())
    }
    Clause("stops", "what is refused is not counted") { tally in
      for _ in 1...5 { _ = try tally.count() }
      checkEqual(try tally.total(), 3, "the total")
    }
    Clause("agrees", "the total is what was allowed") { tally in
      var allowed = 0
      for _ in 1...5 where try tally.count() { allowed += 1 }
      checkEqual(try tally.total(), allowed, "the total")
    }
  } saboteurs: {
    Saboteur("begins-at-one", "begins at one", caughtBy: "begins") {
      Flawed(total: { max($0.total(), 1) })
    }
    Saboteur("slow", "is one behind at two", caughtBy: "counts") {
      Flawed(total: { $0.total() == 2 ? 1 : $0.total() })
    }
    Saboteur("forgets", "counts nothing", caughtBy: "agrees") { Flawed(total: { _ in 0 }) }
    Saboteur("stingy", "says that nothing is allowed", caughtBy: "allows") {
      Flawed(count: { tally in
        _ = tally.count()
        return false
      })
    }
    Saboteur("endless", "says that everything is allowed", caughtBy: "refuses") {
      Flawed(count: { $0.count() || true })
    }
    Saboteur("greedy", "counts what it refuses", caughtBy: "stops") {
      let refused = Refused()
      return Flawed(
        count: { tally in
          let isAllowed = tally.count()
          if !isAllowed { refused.count.withLock { $0 += 1 } }
          return isAllowed
        }, total: { $0.total() + refused.count.withLock(\.self) })
    }
  }
}

/// A correct tally, except for what a saboteur changes.
struct Flawed: Tally {
  private let tally = InMemoryTally()
  private let counting: @Sendable (InMemoryTally) -> Bool
  private let totalling: @Sendable (InMemoryTally) -> Int

  init(
    count: @escaping @Sendable (InMemoryTally) -> Bool = { $0.count() },
    total: @escaping @Sendable (InMemoryTally) -> Int = { $0.total() }
  ) {
    counting = count
    totalling = total
  }

  func count() -> Bool { counting(tally) }
  func total() -> Int { totalling(tally) }
}

/// How often a tally refused.
final class Refused: Sendable { let count = Mutex(0) }

extension Implementation<any Tally> {
  static let inMemory = fake("in-memory") { InMemoryTally() }

  static let file = live("file") { scope in
    let file = try scope.temporaryDirectory().appending(path: "tally")
    scope.witness("the file") { try? Data(contentsOf: file) }
    return FileTally(file)
  }
}

@Suite struct TallyContractTests {
  @Test(arguments: Contract.tally.cases(for: .inMemory, .file) + Contract.tally.saboteurCases)
  func holds(_ contractCase: ContractCase<any Tally>) async throws {
    try await contractCase.verify()
  }
}
