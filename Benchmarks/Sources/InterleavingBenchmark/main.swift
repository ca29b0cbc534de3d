import ContractExploration
import Synchronization

struct Overdrawn: Error {}

actor Account {
  private let isFixed: Bool
  private(set) var balance = 100
  init(isFixed: Bool = false) { self.isFixed = isFixed }

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    if isFixed {
      balance -= amount
      await Task.yield()
    } else {
      await Task.yield()
      balance -= amount
    }
  }
}

func race(isFixed: Bool) -> @Sendable (inout ConcurrentProgram) throws -> Void {
  { program in
    let account = Account(isFixed: isFixed)
    program.task("A") { await account.withdraw(80) }
    program.task("B") { await account.withdraw(80) }
    program.check { if await account.balance < 0 { throw Overdrawn() } }
  }
}

let clock = ContinuousClock()
for sharing in [SharedState.actorsOnly, .anything] {
  for isFixed in [false, true] {
    let options = InterleavingOptions(sharing: sharing)
    var report = InterleavingReport?.none
    let time = await clock.measure {
      report = await exploreInterleavings(options, of: race(isFixed: isFixed))
    }
    print("race \(sharing) fixed=\(isFixed): \(time)")
    print(report.map(\.description) ?? "")
  }
}
