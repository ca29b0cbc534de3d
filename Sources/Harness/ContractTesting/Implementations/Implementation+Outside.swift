extension Implementation {
  /// Whether the environment lets implementations of this kind run outside of cases.
  package var runsOutsideCases: Bool { RunRecorder.current.explores(kind) }

  /// Whether each case of the implementation has a process of its own.
  package var hasOwnProcess: Bool { isIsolated }

  /// Why the implementation is unavailable, or `nil` if it can be made here.
  package func unavailability() async -> String? { await probe?.reason() }

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
