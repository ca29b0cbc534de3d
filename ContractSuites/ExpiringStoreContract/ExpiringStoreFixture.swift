public import ContractTesting
public import ExpiringStorePort

/// A store, and what a test does to its surroundings.
public struct ExpiringStoreFixture: Sendable {
  /// An empty store that takes values of at least 1 MiB.
  public var store: any ExpiringStore

  /// Lets time pass: at least so much, and exactly so much with the capability `manual-clock`.
  public var pass: @Sendable (Duration) async throws -> Void

  /// Makes the storage unusable, or usable again. It is `nil` without the capability `failure`.
  public var setFails: (@Sendable (Bool) async throws -> Void)?

  /// Opens the same storage once more. It is `nil` without the capability `sharing`.
  public var reopen: (@Sendable () async throws -> any ExpiringStore)?

  /// Creates a fixture.
  ///
  /// - Parameters:
  ///   - store: An empty store.
  ///   - pass: Lets time pass. By default it waits.
  ///   - setFails: Makes the storage unusable, or usable again.
  ///   - reopen: Opens the same storage once more.
  public init(
    _ store: any ExpiringStore,
    passing pass: @escaping @Sendable (Duration) async throws -> Void = Self.wait,
    setFails: (@Sendable (Bool) async throws -> Void)? = nil,
    reopen: (@Sendable () async throws -> any ExpiringStore)? = nil
  ) {
    self.store = store
    self.pass = pass
    self.setFails = setFails
    self.reopen = reopen
  }

  /// Waits a little longer than a duration, for a store that has its own clock.
  @Sendable public static func wait(_ duration: Duration) async throws {
    try await Task.sleep(for: duration + .milliseconds(5))
  }
}

extension Capability {
  /// The test decides which time it is.
  public static let manualClock = Capability("manual-clock", "the test decides which time it is")

  /// The test can make the storage unusable.
  public static let failure = Capability("failure", "the test can make the storage unusable")

  /// Several stores can use the same storage.
  public static let sharing = Capability("sharing", "several stores can use the same storage")
}

extension Implementation<ExpiringStoreFixture> {
  /// The implementation without what a test could do besides using the store: it lacks all three capabilities.
  public var storeOnly: Self {
    lacking(.manualClock, because: "the fixture has no clock")
      .lacking(.failure, because: "the fixture cannot make the storage fail")
      .lacking(.sharing, because: "the fixture cannot open the storage again")
  }
}
