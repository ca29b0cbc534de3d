public import ContractTesting
public import CookiePort
public import Foundation
public import ManualClocks

/// A cookie store under test, with its clock and the means to open others like it.
///
/// To run the contract on a store, say how it is opened:
/// ```swift
/// extension Implementation<CookieStoreFixture> {
///   static let mine = live("mine") { scope in
///     try await CookieStoreFixture(in: scope) { setup in
///       try MyStore(in: setup.directory(), policy: setup.policy, now: setup.now)
///     }
///   }
/// }
/// ```
/// The same closure opens a store, opens it again later and opens second handles: clauses give the
/// same ``CookieStoreSetup/directory()`` for these. How many of these a store can do is said by the
/// capabilities in `Capability`.
///
/// No clause ends a process to learn what a crash leaves. It copies the store's folder while the
/// store is open and opens the copy: the files are what a process killed at that moment would have
/// left to the operating system. A campaign of true kills belongs to the adapter's own tests.
public struct CookieStoreFixture: Sendable {
  /// The store under test, opened with the default policy unless a clause asked for another.
  public let store: any CookieStore

  /// The clock that the store was given.
  public let clock: ManualWallClock

  private let setup: CookieStoreSetup
  private let open: @Sendable (CookieStoreSetup) async throws -> Opened

  /// A store and the way to close it.
  private struct Opened: Sendable {
    var store: any CookieStore
    var close: @Sendable () async throws -> Void
  }

  private let close: @Sendable () async throws -> Void

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - scope: The case's scope; folders are removed with it.
  ///   - start: Where the clock stands at first; `Date()` for a store that reads the system's clock
  ///     and can't be given another.
  ///   - close: Closes a store before it is opened again; a store that needs none is let go of.
  ///   - open: Opens a store as the setup says.
  /// - Throws: What `open` throws.
  public init<Store: CookieStore>(
    in scope: FixtureScope, startingAt start: Date = ManualWallClock.start,
    closing close: @escaping @Sendable (Store) async throws -> Void = { _ in },
    _ open: @escaping @Sendable (CookieStoreSetup) async throws -> Store
  ) async throws {
    let clock = ManualWallClock(at: start)
    try await self.init(
      CookieStoreSetup(
        policy: CookiePolicy(), now: { clock.now }, place: "first",
        folders: PlaceFolders(in: scope)),
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
  /// Another store, empty, that goes by other rules.
  func opening(_ policy: CookiePolicy) async throws -> CookieStoreFixture {
    try await opened(
      CookieStoreSetup(
        policy: policy, now: setup.now, place: UUID().uuidString, folders: setup.folders))
  }

  /// Another store, empty, that goes by another profile.
  func opening(_ profile: CookiePolicy.Profile) async throws -> CookieStoreFixture {
    try await opening(CookiePolicy(profile: profile))
  }

  /// A second handle on the same cookies, while the first is open.
  func secondHandle() async throws -> CookieStoreFixture { try await opened(setup) }

  /// The same cookies after the store was closed.
  func reopened() async throws -> CookieStoreFixture {
    try await store.flush()
    try await close()
    return try await opened(setup)
  }

  /// The cookies that would be left, had the process been killed now.
  func afterCrash() async throws -> CookieStoreFixture {
    let copy = UUID().uuidString
    try setup.folders.copy(setup.place, to: copy)
    return try await opened(setup.at(copy))
  }

  /// The modes of the files in the store's folder, by their paths.
  func fileModes() throws -> [String: Int] { try setup.folders.fileModes(in: setup.place) }

  /// The same cookies through two handles that take turns, call by call.
  ///
  /// For stores with the capability `severalHandles`. Exploration finds
  /// with it what one handle does not see of the other:
  /// ```swift
  /// try await explore(.cookies, on: .mine.map { try await $0.byTwoHandles() })
  /// ```
  /// - Throws: What opening a second handle throws.
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
