/// What an implementation declares about the calls that its cases make on the real thing.
struct LiveTerms: Sendable {
  /// The number of live calls that a case makes, or `nil` if they are not counted.
  var cost: Int?
  var rateLimit: RateLimit?
  /// How often a case that failed is tried again.
  var retries = 0
  var reasonForRetries: String?
  /// The paths in the package of the code that decides how the implementation behaves, or `nil` for the
  /// whole package.
  var sources: [String]?
}

extension Implementation {
  /// Declares how many live calls each case makes, for `CONTRACT_BUDGET`.
  ///
  /// `CONTRACT_BUDGET=200` lets a run make at most 200 live calls, as declared, in each process. Cases with
  /// the oldest evidence run first; the others are *not run*, which is no evidence, and the gate fails for
  /// them. Implementations without a declared cost are not limited.
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

  /// Names the code that decides how the implementation behaves, for `CONTRACT_FRESH`.
  ///
  /// Evidence counts again only while this code, the file that declares the implementation, and the
  /// package's manifest and pinned dependencies are unchanged. Without this declaration, it counts only
  /// while no source file of the package changes, apart from the contract's clauses and saboteurs.
  ///
  /// - Parameter paths: Files, and folders of source files, relative to the folder of `Package.swift`:
  ///   `Sources/CookieSQLiteAdapter`. Name every module of the package that the adapter and the fixture
  ///   use: a change elsewhere is not noticed.
  public func built(from paths: String...) -> Self { changingTerms { $0.sources = paths } }

  private func changingTerms(_ change: (inout LiveTerms) -> Void) -> Self {
    var copy = self
    change(&copy.terms)
    return copy
  }
}
