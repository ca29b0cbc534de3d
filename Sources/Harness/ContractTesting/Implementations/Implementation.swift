public import ContractEvidence
public import Testing

/// A named way to make a fixture: a fake, an adapter over the real thing, or a recording.
///
/// Declare implementations as static constants in an extension. Each modifier below returns a changed
/// copy.
public struct Implementation<Fixture>: Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// Whether it is a fake, live or recorded.
  public let kind: ImplementationKind

  /// Where the implementation is declared.
  package let sourceLocation: SourceLocation

  package let make: @Sendable (FixtureScope) async throws -> Fixture
  package var lacks: [Lack] = []
  var deviations: [Deviation] = []
  var probe: AvailabilityProbe?
  package var unavailability: (@Sendable (any Error) -> String?)?
  var fixtureProbe = FixtureProbe<Fixture>()
  var processSharing: ProcessSharing?
  package var resources: Set<String> = []
  var timeLimit: Duration = .seconds(60)
  /// What the implementation declares with ContractLiveCalls.
  package var liveTerms: (any LiveTerms)?

  /// A working in-memory implementation.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: Where the implementation is declared.
  ///   - make: Makes a new fixture for one case, and registers teardown actions with the scope.
  public static func fake(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) -> Self { Self(id: id, kind: .fake, sourceLocation: sourceLocation, make: make) }

  /// A working in-memory implementation whose fixture needs no teardown.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: Where the implementation is declared.
  ///   - make: Makes a new fixture for one case.
  public static func fake(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable () async throws -> Fixture
  ) -> Self { Self(id: id, kind: .fake, sourceLocation: sourceLocation) { _ in try await make() } }

  /// An adapter over the real thing.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: Where the implementation is declared.
  ///   - make: Makes a new fixture for one case, and registers teardown actions with the scope.
  public static func live(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) -> Self { Self(id: id, kind: .live, sourceLocation: sourceLocation, make: make) }

  /// Answers recorded from the real thing.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: Where the implementation is declared.
  ///   - make: Makes a new fixture for one case, and registers teardown actions with the scope.
  public static func recorded(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) -> Self { Self(id: id, kind: .recorded, sourceLocation: sourceLocation, make: make) }

  package init(
    id: String, kind: ImplementationKind, sourceLocation: SourceLocation,
    make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) {
    self.id = id
    self.kind = kind
    self.sourceLocation = sourceLocation
    self.make = make
  }

  /// A capability that the implementation lacks, with the reason.
  package struct Lack: Sendable {
    var capability: Capability
    var reason: String
  }
}

/// How long a process that runs an implementation's cases lives.
public enum ProcessSharing: Sendable {
  /// Each case has a new process.
  case never
  /// A process runs cases, one after the other, until one crashes or exceeds its time limit. Choose it
  /// if a case leaves nothing behind in its process that changes another case.
  case untilCrash
}

extension Implementation {
  /// Declares that the implementation lacks a capability. The contract's ``Absence`` checks it.
  ///
  /// - Parameters:
  ///   - capability: The capability. Capabilities that depend on it are lacking too.
  ///   - reason: Why it is lacking.
  public func lacking(_ capability: Capability, because reason: String) -> Self {
    changed { $0.lacks.append(Lack(capability: capability, reason: reason)) }
  }

  /// Declares that the implementation breaks some clauses.
  ///
  /// The clauses still run, and a failure shows as a known issue. A clause that holds fails its case
  /// until the declaration is removed, unless the deviation is intermittent.
  ///
  /// - Parameters:
  ///   - clauses: The ids of the clauses.
  ///   - kind: A bug, something unsupported, or planned work.
  ///   - manner: How the clauses fail. Clauses that crash or time out run in their own process.
  ///   - isIntermittent: Whether the clauses sometimes hold. If so, neither result fails the case.
  ///   - reason: Why they fail.
  ///   - link: Where the bug is tracked.
  ///   - platforms: The systems that have the deviation; by default all.
  ///   - lastDay: The last day of the deviation in UTC, as `2027-01-31`. From the next day on the case
  ///     fails, so that somebody decides again. By default there is none.
  ///   - sourceLocation: Where the deviation is declared.
  public func deviating(
    from clauses: String..., kind: Deviation.Kind = .bug, by manner: Deviation.Manner = .failing,
    intermittently isIntermittent: Bool = false, because reason: String, link: String? = nil,
    on platforms: Platform = .all, until lastDay: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    changed {
      for clause in clauses {
        $0.deviations.append(
          Deviation(
            clause: clause, kind: kind, manner: manner, isIntermittent: isIntermittent,
            reason: reason, link: link, platforms: platforms, until: lastDay,
            sourceLocation: sourceLocation))
      }
    }
  }

  /// Declares a condition for using the implementation on this machine.
  ///
  /// If the condition is not met, the implementation's cases are *unavailable*: they are cancelled and
  /// are no evidence. `CONTRACT_REQUIRE` makes them fail instead.
  /// - Parameters:
  ///   - condition: The condition, for reports: `redis-server is in PATH; install redis-server`.
  ///   - probe: Returns whether the condition is met. It is called once per process. An error counts
  ///     as `false`, and reports show its description.
  public func available(
    when condition: String, _ probe: @escaping @Sendable () async throws -> Bool
  ) -> Self {
    changed { $0.probe = AvailabilityProbe(condition: condition, isMet: probe) }
  }

  /// Classifies errors that say nothing about behaviour, such as a refused connection.
  ///
  /// If the fixture's maker or the clause throws such an error, or an expectation catches one, and no
  /// issue came before it, the case is *unavailable* instead of failed: a server that dies during a run
  /// is no evidence that it changed. `CONTRACT_REQUIRE` makes such cases fail.
  ///
  /// Name only errors that cannot come from wrong behaviour. A closure that accepts every error hides
  /// failures.
  /// - Parameter reason: Returns the reason for reports, `the connection was refused`, or `nil` for an
  ///   error that counts as a failure.
  public func unavailable(
    where reason: @escaping @Sendable (_ error: any Error) -> String?
  ) -> Self {
    changed { $0.unavailability = reason }
  }

  /// Asks the implementation for the version of what it adapts, which reports show as evidence.
  ///
  /// - Parameter version: Returns the version, such as `Redis 7.2.4`. It is called once per process,
  ///   with the fixture of the first case and before its clause, and counts towards the time limit. It
  ///   must not change what clauses observe. If it throws, the version stays unknown.
  public func version(
    _ version: @escaping @Sendable (Fixture) async throws -> String
  ) -> Self {
    changed { $0.fixtureProbe = FixtureProbe(version) }
  }

  /// Runs each case in another process, so that a crash or a timeout affects no other case.
  ///
  /// A process gets its own temporary folder (`TMPDIR`), which is removed when the process has ended.
  ///
  /// - Parameter sharing: Whether cases share a process, one after the other. A new process costs 80 ms
  ///   of processor time and more.
  public func inOwnProcess(sharing: ProcessSharing = .never) -> Self {
    changed { $0.processSharing = sharing }
  }

  /// Declares that the implementation uses a resource of which a process has only one.
  ///
  /// Cases that name the same resource never overlap, in any suite.
  /// - Parameter resource: A name for the resource: `HTTPCookieStorage.shared`.
  public func exclusive(_ resource: String) -> Self {
    changed { $0.resources.insert(resource) }
  }

  /// Sets the time limit of a case. The default is 60 seconds.
  ///
  /// - Parameter limit: The longest time from making the fixture to the end of its teardown; greater
  ///   than zero.
  public func timeLimit(_ limit: Duration) -> Self { changed { $0.timeLimit = limit } }

  /// Returns a copy whose fixtures are derived from this implementation's fixtures.
  ///
  /// Use it for exploration if a specification's subject is a part of a contract's fixture. The copy
  /// keeps lacking capabilities. It drops deviations, because they name clauses of this contract.
  /// - Parameters:
  ///   - id: The id of the copy; by default the same id.
  ///   - transform: Derives the copy's fixture.
  public func map<Other>(
    as id: String? = nil, _ transform: @escaping @Sendable (Fixture) async throws -> Other
  ) -> Implementation<Other> {
    var copy = Implementation<Other>(
      id: id ?? self.id, kind: kind, sourceLocation: sourceLocation
    ) { [make] scope in
      try await transform(try await make(scope))
    }
    copy.lacks = lacks.map { .init(capability: $0.capability, reason: $0.reason) }
    copy.probe = probe
    copy.unavailability = unavailability
    copy.processSharing = processSharing
    copy.resources = resources
    copy.timeLimit = timeLimit
    copy.liveTerms = liveTerms
    return copy
  }

  func changed(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  /// Why the clause does not apply, or `nil` if it does.
  func inapplicability(of clause: Clause<Fixture>) -> Outcome? {
    if let absent = clause.absenceOf {
      return lacks.contains { absent.needs($0.capability) }
        ? nil : .notApplicable(capability: absent.id, reason: "has \(absent.id)")
    }
    for capability in clause.requires {
      if let lack = lacks.first(where: { capability.needs($0.capability) }) {
        return .notApplicable(
          capability: capability.id, reason: "lacks \(capability.id): \(lack.reason)")
      }
    }
    return nil
  }

  /// The deviation declared for the clause on this platform, or `nil`.
  func deviation(from clause: Clause<Fixture>) -> Deviation? {
    deviations.first { $0.clause == clause.id && $0.platforms.contains(.current) }
  }

  /// The description that goes into journals.
  func summary(for contract: String) -> ImplementationSummary {
    ImplementationSummary(
      contract: contract, id: id, kind: kind,
      lacks: Dictionary(
        lacks.map { ($0.capability.id, $0.reason) }, uniquingKeysWith: { first, _ in first }),
      deviations: deviations.filter { $0.platforms.contains(.current) }.map(\.summary))
  }
}

// MARK: - Use outside of cases, by explorations

extension Implementation {
  /// Whether the environment lets implementations of this kind run outside of cases.
  package var runsOutsideCases: Bool { RunRecorder.current.explores(id, kind: kind) }

  /// Whether each case of the implementation runs in its own process.
  package var hasOwnProcess: Bool { processSharing != nil }

  /// Why the implementation is unavailable, or `nil` if it can be made here.
  package func unavailability() async -> String? { await probe?.reason() }

  /// The version of what the implementation adapts, or `nil` if it does not say.
  package func version(of fixture: Fixture) async -> String? {
    await fixtureProbe.version(of: fixture)
  }

  /// Makes a fixture outside of a case.
  ///
  /// - Parameter scope: Where the fixture registers what to undo; the caller tears it down.
  /// - Throws: What the implementation's closure throws.
  package func fixture(in scope: FixtureScope) async throws -> Fixture { try await make(scope) }

  /// Runs a closure while no case uses a resource that the implementation names as exclusive.
  package func holdingResources<Value>(
    _ body: () async throws -> sending Value
  ) async rethrows -> sending Value {
    try await ExclusiveResources.shared.withResources(resources, body)
  }

  /// The name of the static constant that declares the implementation, by convention: its id in
  /// camel case.
  package var swiftName: String {
    let words = id.split { $0 == "-" || $0 == "." }
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return (words.first ?? "") + rest.joined()
  }
}

extension Implementation: CustomTestStringConvertible, CustomReflectable {
  public var testDescription: String { id }

  /// No children: Swift Testing reflects on the arguments of every case.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
