/// The order in which cases run on a mutant: first the cases that are likely to notice it at low cost.
///
/// It learns from the mutants that are judged already: a case that noticed a mutant is likely to notice
/// its neighbours. The order chooses the case that a report names, and must not depend on how busy the
/// machine is, so cost is counted in switches and not in seconds.
struct CaseOrder {
  /// How often a case was tried, and how often it noticed the mutant.
  private struct Experience {
    var tries = 0.0
    var kills = 0.0

    /// The part of its tries in which the case noticed the mutant.
    ///
    /// - Parameter expected: What is expected without any try. It counts as much as one try.
    func rate(expecting expected: Double) -> Double { (kills + expected) / (tries + 1) }
  }

  /// What is known in all files, in one file and in one declaration, by case.
  private var experience: [String: [String: Experience]] = [:]

  /// What a case costs, by its id.
  private let costs: [String: Double]

  /// What running a case costs outside of the mutated code, in switches. A live implementation
  /// opens files or connections.
  private static let fixedCost = (fake: 2_000.0, live: 30_000.0)

  /// Creates an order without experience.
  ///
  /// - Parameter costs: What each case costs, by its id.
  init(costs: [String: Double]) { self.costs = costs }

  /// Creates an order without experience.
  init(_ unmutated: UnmutatedRun) {
    var mutants: [String: Double] = [:]
    for cases in unmutated.reach.values {
      for id in cases { mutants[id, default: 0] += 1 }
    }
    costs = unmutated.cases.mapValues { one in
      let fixed = unmutated.fakes.contains(one.id) ? Self.fixedCost.fake : Self.fixedCost.live
      // A case that reaches few mutants is about one of them.
      return (fixed + Double(one.switches)) * mutants[one.id, default: 1].squareRoot()
    }
  }

  private static func scopes(of mutant: Mutant) -> [String] {
    ["", mutant.file, "\(mutant.file) \(mutant.declaration)"]
  }

  /// Learns from a mutant.
  ///
  /// - Parameters:
  ///   - cases: The cases in the order in which they tried it.
  ///   - killer: The case that noticed it, after which no other tried it.
  mutating func learn(from mutant: Mutant, tried cases: [String], killer: String?) {
    for scope in Self.scopes(of: mutant) {
      for id in cases {
        experience[scope, default: [:]][id, default: Experience()].tries += 1
        if id == killer {
          experience[scope, default: [:]][id, default: Experience()].kills += 1
          break
        }
      }
    }
  }

  /// The cases in the order to try a mutant.
  func sorted(_ cases: Set<String>, for mutant: Mutant) -> [String] {
    let known = Self.scopes(of: mutant).map { experience[$0] ?? [:] }
    let ranks = cases.map { id in
      // Without experience, one try in four is expected to notice the mutant.
      let rate = known.reduce(0.25) { ($1[id] ?? Experience()).rate(expecting: $0) }
      return (id: id, rank: rate / costs[id, default: 1])
    }
    return ranks.sorted { ($0.rank, $1.id) > ($1.rank, $0.id) }.map(\.id)
  }
}
