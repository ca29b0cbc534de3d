public import ContractEvidence
public import Testing

/// A named way to make a fixture: a fake, an adapter over the real thing, or a recording.
///
/// Declare implementations as static constants in an extension, and say what they lack and where they
/// deviate with the modifiers below; each modifier gives a changed copy.
public struct Implementation<Fixture>: Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// What kind of thing it is.
  public let kind: ImplementationKind

  /// The place of the declaration.
  let sourceLocation: SourceLocation

  let make: @Sendable (FixtureScope) async throws -> Fixture
  var lacks: [Lack] = []
  var deviations: [Deviation] = []
  var probe: AvailabilityProbe?
  var isIsolated = false
  var resources: Set<String> = []
  var timeLimit: Duration = .seconds(60)

  /// A working in-memory implementation.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: The place of the declaration.
  ///   - make: Makes a fresh fixture, for one case alone; what must be undone is registered with
  ///     the scope.
  public static func fake(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) -> Self { Self(id: id, kind: .fake, sourceLocation: sourceLocation, make: make) }

  /// A working in-memory implementation, with nothing to undo.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: The place of the declaration.
  ///   - make: Makes a fresh fixture, for one case alone.
  public static func fake(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable () async throws -> Fixture
  ) -> Self { Self(id: id, kind: .fake, sourceLocation: sourceLocation) { _ in try await make() } }

  /// An adapter over the real thing.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: The place of the declaration.
  ///   - make: Makes a fresh fixture, for one case alone; what must be undone is registered with
  ///     the scope.
  public static func live(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) -> Self { Self(id: id, kind: .live, sourceLocation: sourceLocation, make: make) }

  /// An adapter over the real thing, with nothing to undo.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: The place of the declaration.
  ///   - make: Makes a fresh fixture, for one case alone.
  public static func live(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable () async throws -> Fixture
  ) -> Self { Self(id: id, kind: .live, sourceLocation: sourceLocation) { _ in try await make() } }

  /// Answers recorded from the real thing.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sourceLocation: The place of the declaration.
  ///   - make: Makes a fresh fixture, for one case alone; what must be undone is registered with
  ///     the scope.
  public static func recorded(
    _ id: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) -> Self { Self(id: id, kind: .recorded, sourceLocation: sourceLocation, make: make) }

  init(
    id: String, kind: ImplementationKind, sourceLocation: SourceLocation,
    make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) {
    self.id = id
    self.kind = kind
    self.sourceLocation = sourceLocation
    self.make = make
  }

  /// A capability that the implementation does not have, and why.
  struct Lack: Sendable {
    var capability: Capability
    var reason: String
  }
}

extension Implementation {
  /// Says that the implementation can't do something; the contract's absence clause checks it.
  ///
  /// - Parameters:
  ///   - capability: What it can't do. Capabilities that imply it are lacking too.
  ///   - reason: Why.
  public func lacking(_ capability: Capability, because reason: String) -> Self {
    changed { $0.lacks.append(Lack(capability: capability, reason: reason)) }
  }

  /// Says that the implementation breaks some clauses; each is checked to be broken still.
  ///
  /// - Parameters:
  ///   - clauses: The ids of the clauses.
  ///   - kind: What the deviation is: a bug, something unsupported, or planned work.
  ///   - manner: How the clauses fail; a crash or a hang runs in a process of its own.
  ///   - isIntermittent: Whether a clause sometimes holds; then neither result fails the run.
  ///   - reason: Why.
  ///   - link: Where the bug is tracked.
  ///   - platforms: Where the deviation is; everywhere by default.
  ///   - sourceLocation: The place of the declaration.
  public func deviating(
    from clauses: String..., kind: Deviation.Kind = .bug, by manner: Deviation.Manner = .failing,
    intermittently isIntermittent: Bool = false, because reason: String, link: String? = nil,
    on platforms: Platform = .all, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    changed {
      for clause in clauses {
        $0.deviations.append(
          Deviation(
            clause: clause, kind: kind, manner: manner, isIntermittent: isIntermittent,
            reason: reason, link: link, platforms: platforms, sourceLocation: sourceLocation))
      }
    }
  }

  /// Says when the implementation can be made here; where it can't, its cases are *unavailable*.
  ///
  /// - Parameters:
  ///   - condition: What it takes, in words: 'nghttpd is installed'.
  ///   - probe: Finds out; asked once in a process. An error counts as 'no', with its description.
  public func available(
    when condition: String, _ probe: @escaping @Sendable () async throws -> Bool
  ) -> Self {
    changed { $0.probe = AvailabilityProbe(condition: condition, isMet: probe) }
  }

  /// Runs each case in a fresh process, so that a crash or a hang ends that case alone.
  ///
  /// The process has a temporary folder of its own (`TMPDIR`), which is removed with all that is in it.
  public func inOwnProcess() -> Self { changed { $0.isIsolated = true } }

  /// Says that the implementation uses something of which the process has one only.
  ///
  /// Cases that name the same resource never overlap, whatever suites they are in.
  /// - Parameter resource: A name for the resource: `HTTPCookieStorage.shared`.
  public func exclusive(_ resource: String) -> Self {
    changed { $0.resources.insert(resource) }
  }

  /// Limits how long a case may take; 60 seconds unless said otherwise.
  ///
  /// - Parameter limit: The time from the making of the fixture to the end of its tear-down;
  ///   greater than zero.
  public func timeLimit(_ limit: Duration) -> Self { changed { $0.timeLimit = limit } }

  /// The same implementation with another fixture made of each of its own.
  ///
  /// For exploration, where a specification's subject is a part of a contract's fixture, or more. What
  /// is lacking stays with the copy; deviations, which name clauses of the contract, do not.
  /// - Parameters:
  ///   - id: The id of the copy; the same one by default.
  ///   - transform: Makes the other fixture.
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
    copy.isIsolated = isIsolated
    copy.resources = resources
    copy.timeLimit = timeLimit
    return copy
  }

  private func changed(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  /// Why the clause does not apply, or `nil` where it does.
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

  /// The deviation that is declared for the clause on this platform.
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

extension Implementation: CustomTestStringConvertible, CustomReflectable {
  public var testDescription: String { id }

  /// No children: Swift Testing reflects on the arguments of every case.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
