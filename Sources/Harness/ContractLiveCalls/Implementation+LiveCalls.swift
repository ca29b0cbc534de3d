import ContractEvidence
public import ContractTesting

extension Implementation {
  /// Declares how many live calls each case makes, for `CONTRACT_BUDGET`.
  ///
  /// `CONTRACT_BUDGET=200` lets each process make at most 200 live calls, as declared. Cases that ran longest
  /// ago run first. The others are *not run*: they are no evidence, and the gate fails for them.
  /// Implementations without a declared cost are not limited.
  /// - Parameter calls: The number of calls for each case, at least 1. The harness does not count them.
  public func costs(_ calls: Int = 1) -> Self { changingTerms { $0.cost = calls } }

  /// Limits how fast cases make live calls.
  ///
  /// Cases wait before they start, in order, and the wait does not count towards their time limit.
  /// - Parameters:
  ///   - calls: The most calls that begin in any span of `period`; a case counts with its
  ///     ``costs(_:)``, or as one.
  ///   - period: The span of time.
  public func limited(to calls: Int, per period: Duration) -> Self {
    changingTerms { $0.rateLimit = RateLimit(calls, per: period) }
  }

  /// Tries a case that failed again, because the real thing sometimes fails for reasons of its own.
  ///
  /// A case that fails and then holds is *flaky*: the test shows a warning, and the gate fails. One that
  /// fails each time is failed. A clause with a declared deviation is tried once.
  /// - Parameters:
  ///   - count: How often a case that failed is tried again: 1 to 10. Each try costs as much as the first.
  ///   - reason: Why a failure may say nothing: `the sandbox answers 503 under load`.
  public func retrying(_ count: Int, because reason: String) -> Self {
    changingTerms {
      $0.retries = count
      $0.reasonForRetries = reason
    }
  }

  /// What the implementation declares, or nothing.
  var terms: Terms { liveTerms as? Terms ?? Terms() }

  private func changingTerms(_ change: (inout Terms) -> Void) -> Self {
    var copy = self
    var terms = copy.terms
    change(&terms)
    copy.liveTerms = terms
    return copy
  }
}

/// What an implementation declares about the calls that its cases make on the real thing.
struct Terms: LiveTerms {
  /// The number of live calls that a case makes, or `nil` if they are not counted.
  var cost: Int?
  var rateLimit: RateLimit?
  /// How often a case that failed is tried again.
  var retries = 0
  var reasonForRetries: String?
}

extension Terms {
  /// What a case's implementation declares.
  init(of one: LiveCase) { self = one.terms as? Terms ?? Terms() }

  func rules(budget: Int?, journals: [String]) -> any LiveCallRules {
    LiveCalls(budget: budget, journals: journals)
  }

  var isBudgeted: Bool { cost != nil }

  func problems(for kind: ImplementationKind) -> [String] {
    var problems: [String] = []
    func add(_ isWrong: Bool, _ call: String, _ message: String) {
      if isWrong { problems.append("has .\(call), \(message)") }
    }
    if kind != .live {
      let message = "which only a live implementation can have; remove it"
      add(cost != nil, "costs(…)", message)
      add(rateLimit != nil, "limited(to:per:)", message)
      add(
        reasonForRetries != nil, "retrying(…)",
        "and is no live implementation: what fails sometimes in memory is wrong; remove it")
      return problems
    }
    if let cost {
      add(cost < 1, "costs(\(cost))", "and a case makes at least 1 call; correct it")
    }
    if let rateLimit {
      let isWrong = rateLimit.count < 1 || rateLimit.period <= .zero
      let call = "limited(to: \(rateLimit.count), per: \(rateLimit.period))"
      add(isWrong, call, "so no case could ever start; give at least 1 call and a span above zero")
      if !isWrong, let cost {
        add(cost > rateLimit.count, call, "and a case costs \(cost); raise the limit")
      }
    }
    if let reasonForRetries {
      let call = "retrying(\(retries), because: \"\(reasonForRetries)\")"
      add(!(1...10).contains(retries), call, "and can try 1 to 10 times more; correct it")
      add(isPlaceholder(reasonForRetries), call, "which is no reason; write it")
    }
    return problems
  }
}
