public import ContractTesting
public import CookiePort
public import Foundation
public import ManualClocks

/// A cookie store under test, with its clock and a way to open further stores of the same kind.
///
/// To run the contract on a store, pass a closure that opens it:
/// ```swift
/// extension Implementation<CookieStoreFixture> {
///   static let mine = live("mine") { scope in
///     try await CookieStoreFixture(in: scope) { setup in
///       try MyStore(in: setup.directory(), policy: setup.policy, now: setup.now)
///     }
///   }
/// }
/// ```
/// The fixture calls the closure to open the first store, to reopen it and to open second handles;
/// these share one ``CookieStoreSetup/directory()``. Declare with `lacking(_:because:)` the
/// capabilities that the store doesn't have, such as `Capability.persistence`.
///
/// The clause on crash survival kills no process. It copies the store's directory while the store
/// is open and opens the copy, because the operating system keeps the files that a process had
/// written when it was killed. Tests with real kills belong to the adapter.
public struct CookieStoreFixture: Sendable {
  /// The store under test, opened with the default policy unless a clause asked for another.
  public let store: any CookieStore

  /// The clock that the store was given.
  public let clock: ManualWallClock

  private let setup: CookieStoreSetup
  private let open: @Sendable (CookieStoreSetup) async throws -> Opened

  /// A store and a closure that closes it.
  private struct Opened: Sendable {
    var store: any CookieStore
    var close: @Sendable () async throws -> Void
  }

  private let close: @Sendable () async throws -> Void

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - scope: The case's scope, which removes the directories at teardown.
  ///   - start: The time that the clock shows first. Pass `Date()` for a store that reads the
  ///     system clock.
  ///   - close: Closes a store before it is reopened. By default the store is only released.
  ///   - open: Opens a store with a setup.
  /// - Throws: The error of `open`.
  public init<Store: CookieStore>(
    in scope: FixtureScope, startingAt start: Date = ManualWallClock.start,
    closing close: @escaping @Sendable (Store) async throws -> Void = { _ in },
    _ open: @escaping @Sendable (CookieStoreSetup) async throws -> Store
  ) async throws {
    let clock = ManualWallClock(at: start)
    try await self.init(
      CookieStoreSetup(
        policy: CookiePolicy(), now: { clock.now }, location: "first",
        directories: StoreDirectories(in: scope)),
      clock: clock
    ) { setup in
      let store = try await open(setup)
      return Opened(store: store) { try await close(store) }
    }
  }

  private init(
    _ setup: CookieStoreSetup, clock: ManualWallClock,
    open: @escaping @Sendable (CookieStoreSetup) async throws -> Opened
  ) async throws {
    let opened = try await open(setup)
    self.init(opened.store, setup, clock: clock, open: open, close: opened.close)
  }

  private init(
    _ store: any CookieStore, _ setup: CookieStoreSetup, clock: ManualWallClock,
    open: @escaping @Sendable (CookieStoreSetup) async throws -> Opened,
    close: @escaping @Sendable () async throws -> Void
  ) {
    self.store = store
    self.close = close
    self.setup = setup
    self.clock = clock
    self.open = open
  }
}

extension CookieStoreFixture {
  /// Opens another, empty store with a policy, such as to explore it with this policy.
  ///
  /// - Throws: The error of opening the store.
  public func opening(_ policy: CookiePolicy) async throws -> CookieStoreFixture {
    try await opened(setup.at(UUID().uuidString, with: policy))
  }

  /// Opens another, empty store with a profile.
  func opening(_ profile: CookiePolicy.Profile) async throws -> CookieStoreFixture {
    try await opening(CookiePolicy(profile: profile))
  }

  /// Opens a second handle to the same cookies while the first is open.
  func secondHandle() async throws -> CookieStoreFixture { try await opened(setup) }

  /// Closes the store and opens it again, with another policy if one is given.
  func reopened(_ policy: CookiePolicy? = nil) async throws -> CookieStoreFixture {
    try await store.flush()
    try await close()
    return try await opened(setup.at(setup.location, with: policy))
  }

  /// Opens a copy of the files, as a killed process would leave them.
  func afterCrash() async throws -> CookieStoreFixture {
    let copy = UUID().uuidString
    try setup.directories.copy(setup.location, to: copy)
    return try await opened(setup.at(copy))
  }

  /// The permissions of the files in the store's directory, by relative path.
  func fileModes() throws -> [String: Int] { try setup.directories.fileModes(in: setup.location) }

  /// The same cookies through two handles; calls alternate between them.
  ///
  /// Use it to explore a store with the capability `severalHandles`: it finds changes of one handle
  /// that the other doesn't see.
  /// ```swift
  /// try await explore(.cookies, on: .mine.map { try await $0.byTwoHandles() })
  /// ```
  /// - Throws: The error of opening a second handle.
  public func byTwoHandles() async throws -> CookieStoreFixture {
    let second = try await secondHandle()
    return CookieStoreFixture(
      AlternatingCookieStore(store, second.store), setup, clock: clock, open: open
    ) { [close] in
      try await close()
      try await second.close()
    }
  }

  private func opened(_ setup: CookieStoreSetup) async throws -> CookieStoreFixture {
    try await CookieStoreFixture(setup, clock: clock, open: open)
  }
}
