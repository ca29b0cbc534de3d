import SystemLocks

extension FixtureScope {
  /// Names a part of the real thing that the clauses must change, so that reports can tell a live
  /// implementation from a fake in its place.
  ///
  /// The harness takes a sample when the fixture is made, and another after the clause. A case that changes
  /// a sample *touches* the real thing. One case alone says little, because a clause may only read. A live
  /// implementation of which no case touches it is no evidence: its clauses are *unproven*, and the gate
  /// fails.
  ///
  ///     static let sqlite = live("sqlite") { scope in
  ///       let file = try scope.temporaryDirectory().appending(path: "cookies.sqlite")
  ///       scope.witness("the database file") { try Data(contentsOf: file) }
  ///       return try SQLiteCookieStore(path: file.path)
  ///     }
  ///
  /// Take the sample without the adapter: from the file, the server or the SDK itself. Otherwise a fake can
  /// answer for it.
  ///
  /// - Parameters:
  ///   - name: What is sampled, for reports: `the database file`.
  ///   - sample: Returns the state. An error is a state of its own, such as a file that does not exist yet.
  ///     It counts towards the case's time limit.
  public func witness<Sample: Hashable & Sendable>(
    _ name: String, _ sample: @escaping @Sendable () async throws -> Sample
  ) {
    witnesses.withLock {
      $0.append(Witness(name: name) { (try? await sample()).map(WitnessSample.init) })
    }
  }
}

/// A part of the real thing that is sampled before and after a clause.
struct Witness: Sendable {
  var name: String
  var sample: @Sendable () async -> WitnessSample?
}

/// A sample of any type.
struct WitnessSample: Equatable, Sendable {
  private let value: any Hashable & Sendable

  init(_ value: some Hashable & Sendable) { self.value = value }

  static func == (one: Self, other: Self) -> Bool {
    AnyHashable(one.value) == AnyHashable(other.value)
  }
}
