import CookiePort
import Foundation
import SystemLocks

/// A minimal cookie store that makes its decisions as ``CookieStoreFlaws`` say.
final class FlawedCookieStore: CookieStore {
  private let flaws: CookieStoreFlaws
  private let policy: CookiePolicy
  private let now: @Sendable () -> Date
  private let file: URL?
  private let state = Mutex(State())

  /// Locks the files of all stores: saboteurs don't need a lock per file.
  private static let fileLock = Mutex(())

  /// The number of flushes in progress in all stores whose flushes exclude each other.
  private static let flushes = Mutex(0)

  private struct State {
    /// The cookies, in order of creation.
    var cookies: [Cookie] = []
    var hasRead = false
    /// The latest creation, or time of storing, of all cookies that there ever were.
    var latestEver: Date?
    var expiryWaves = 0
    var subscribers: [AsyncStream<CookieChange>.Continuation] = []
    /// The changes to publish when the operation ends.
    var changes: [CookieChange] = []
  }

  init(_ setup: CookieStoreSetup, _ flaws: CookieStoreFlaws) throws {
    self.flaws = flaws
    var policy = setup.policy
    flaws.policy(&policy)
    self.policy = policy
    now = { flaws.now(setup.now()) }
    file = flaws.isPersistent ? try setup.directory().appending(path: "cookies.json") : nil
  }

  deinit {
    for subscriber in state.withLock({ $0.subscribers }) { subscriber.finish() }
  }

  @discardableResult
  func store(
    _ setCookie: String, from request: CookieRequest
  ) async throws(CookieStoreError) -> CookieChange? {
    let result = try await perform { state, now -> Result<CookieChange?, CookieRejection> in
      do throws(CookieRejection) {
        return .success(try self.store(setCookie, from: request, now: now, in: &state))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let change): return flaws.storeResult(change)
    case .failure(let rejection): throw .rejected(rejection)
    }
  }

  private func store(
    _ line: String, from request: CookieRequest, now: Date, in state: inout State
  ) throws(CookieRejection) -> CookieChange? {
    let received = CookieStoreFlaws.ReceivedLine(
      line: flaws.line(line, policy), request: request, policy: policy, now: now)
    var cookie: Cookie
    do {
      cookie = try policy.admit(received.line, from: request, now: now)
    } catch {
      guard let replacement = flaws.admitRejected(error, received) else { throw error }
      cookie = replacement
    }
    flaws.admitted(&cookie, received)
    if let reason = flaws.rejectAdmitted(cookie, received) { throw reason }
    let present = state.cookies.filter { !flaws.hasExpired($0, now) }
    if !cookie.isSecure, !policy.isSecure(request),
      (flaws.expiredBlocksOverlay ? state.cookies : present)
        .contains(where: { flaws.overlaysSecure(cookie, $0, policy) })
    {
      throw .overlaysSecure
    }
    let twins = present.filter { flaws.hasSameIdentity($0, cookie, policy) }
    let own = twins.first { $0.isHostOnly == cookie.isHostOnly }
    let old = flaws.prefersOwnTwin ? own ?? twins.first : twins.first
    if flaws.protectsHTTPOnly, let old, old.isHTTPOnly, request.access == .script {
      throw .overwritesHTTPOnly
    }

    if flaws.removesExpiredOnStore { removeExpired(from: &state, now: now) }
    if flaws.hasExpired(cookie, now) {
      guard let old, flaws.deletesOnExpiredLine else { return nil }
      remove(.expired, from: &state) { $0 == old }
      return .removed(old, .expired)
    }
    let latest =
      flaws.latestCreation == .ofPresent
      ? state.cookies.map(\.creation).max() : state.latestEver
    cookie.creation = flaws.creation(now, latest)
    if let old {
      flaws.inheritFromReplaced(&cookie, old)
    }
    if let old, let index = state.cookies.firstIndex(of: old) {
      if flaws.keepsPosition {
        state.cookies[index] = cookie
      } else {
        state.cookies.remove(at: index)
        state.cookies.append(cookie)
      }
    } else {
      state.cookies.append(cookie)
    }
    let time = flaws.latestCreation == .ofReplacingToo ? now : cookie.creation
    state.latestEver = max(state.latestEver ?? time, time)
    let change = CookieChange.stored(cookie, replacing: old)
    state.changes.append(change)
    if old == nil || flaws.replacingEvicts { evict(cookie.domain, from: &state) }
    return change
  }

  private func evict(_ domain: String, from state: inout State) {
    let candidates = state.cookies.filter { $0.domain == domain }
    evict(
      candidates.count - policy.limits.perDomain, of: candidates, from: &state,
      by: flaws.evictsFirstFromDomain)
    evict(
      state.cookies.count - policy.limits.total, of: state.cookies, from: &state,
      by: flaws.evictsFirstFromStore)
  }

  private func evict(
    _ excess: Int, of candidates: [Cookie], from state: inout State,
    by isEvictedFirst: (Cookie, Cookie) -> Bool
  ) {
    guard excess > 0 else { return }
    // `min(by:)` returns the first of equal elements, which is the earliest created.
    let evicted =
      excess == 1
      ? candidates.min(by: isEvictedFirst).map { [$0.id] } ?? []
      : sorted(candidates, by: isEvictedFirst).prefix(excess).map(\.id)
    remove(.evicted, from: &state) { evicted.contains($0.id) }
  }

  func cookies(for request: CookieRequest) async throws(CookieStoreError) -> [Cookie] {
    try await perform { state, now in
      var found: [Cookie] = []
      for index in state.cookies.indices {
        guard self.flaws.returnsExpired || !self.flaws.hasExpired(state.cookies[index], now),
          self.flaws.sends(state.cookies[index], request, self.policy)
        else { continue }
        if self.flaws.updatesLastAccess { state.cookies[index].lastAccess = now }
        found.append(state.cookies[index])
      }
      found = self.sorted(found, by: self.flaws.precedesInHeader)
      self.flaws.sent(&found)
      return found
    }
  }

  func all() async throws(CookieStoreError) -> [Cookie] {
    try await perform { state, now in
      if self.flaws.listingUpdatesLastAccess {
        for index in state.cookies.indices { state.cookies[index].lastAccess = now }
      }
      var cookies = state.cookies.filter {
        self.flaws.returnsExpired || !self.flaws.hasExpired($0, now)
      }
      self.flaws.listed(&cookies)
      return cookies
    }
  }

  func restore(_ cookies: [Cookie]) async throws(CookieStoreError) {
    let rejection = try await perform { state, now -> CookieRejection? in
      var valid: [Cookie] = []
      for cookie in cookies {
        do throws(CookieRejection) {
          valid.append(try self.policy.restorable(cookie, now: now))
        } catch {
          if self.flaws.restoresUnchecked {
            valid.append(cookie)
          } else if !self.flaws.restoresPartially {
            return error
          }
        }
      }
      self.flaws.restored(&valid, now)
      if self.flaws.removesExpiredOnRestore { self.removeExpired(from: &state, now: now) }
      for cookie in valid where !self.flaws.hasExpired(cookie, now) {
        let twins = state.cookies.filter { self.flaws.hasSameIdentity($0, cookie, self.policy) }
        let old = twins.first { $0.isHostOnly == cookie.isHostOnly } ?? twins.first
        state.cookies.removeAll { $0 == old }
        state.cookies.append(cookie)
        state.changes.append(.stored(cookie, replacing: old))
      }
      state.cookies = self.sorted(state.cookies) { $0.creation < $1.creation }
      if self.flaws.restoringEvicts {
        for domain in Set(valid.map(\.domain)) { self.evict(domain, from: &state) }
      }
      return nil
    }
    if let rejection { throw .rejected(rejection) }
  }

  @discardableResult
  func delete(_ id: Cookie.ID) async throws(CookieStoreError) -> Bool {
    try await perform { state, now in
      self.remove(.deleted, from: &state) {
        self.flaws.isDeleted($0, id) && !self.flaws.hasExpired($0, now)
      } > 0
    }
  }

  @discardableResult
  func deleteAll(under domain: String) async throws(CookieStoreError) -> Int {
    try await perform { state, now in
      self.remove(.deleted, from: &state) {
        self.flaws.isUnder($0, domain) && !self.flaws.hasExpired($0, now)
      }
    }
  }

  func clear() async throws(CookieStoreError) {
    try await perform { state, _ in
      _ = self.remove(.deleted, from: &state) { self.flaws.isCleared($0) }
    }
  }

  @discardableResult
  func removeExpired() async throws(CookieStoreError) -> Int {
    try await perform { state, now in
      self.flaws.expiredCount(self.removeExpired(from: &state, now: now))
    }
  }

  func endSession() async throws(CookieStoreError) {
    try await perform { state, _ in
      _ = self.remove(.sessionEnded, from: &state) { self.flaws.endsWithSession($0) }
    }
  }

  func flush() async throws(CookieStoreError) {
    if flaws.flushesOneAtATime { try await Self.flushAlone() }
    try await perform { state, _ in self.flaws.flushed(&state.cookies) }
    guard !flaws.writesImmediately else { return }
    try write(state.withLock { $0.cookies })
  }

  func changes() -> AsyncStream<CookieChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: CookieChange.self)
    state.withLock { $0.subscribers.append(continuation) }
    return stream
  }
}

extension FlawedCookieStore {
  /// Reads the file, runs an operation, publishes its changes and writes the file.
  private func perform<Result: Sendable>(
    _ operation: @Sendable (inout sending State, Date) -> sending Result
  ) async throws(CookieStoreError) -> Result {
    guard flaws.locksFile else {
      // Without the lock, another handle may write between this read and the write below.
      let read = try read()
      await Task.yield()
      return try run(operation, on: read)
    }
    return try Self.fileLock.withLock { _ throws(CookieStoreError) in
      try run(operation, on: try read())
    }
  }

  private func run<Result>(
    _ operation: (inout sending State, Date) -> sending Result, on read: [Cookie]?
  ) throws(CookieStoreError) -> Result {
    let (result, cookies) = state.withLock { state in
      if let read, flaws.rereadsFile || !state.hasRead { state.cookies = read }
      state.hasRead = true
      let result = operation(&state, now())
      for change in flaws.publishedChanges(state.changes) {
        for subscriber in flaws.publishesToAll
          ? state.subscribers[...] : state.subscribers.prefix(1)
        {
          subscriber.yield(change)
        }
      }
      state.changes = []
      return (result, state.cookies)
    }
    if flaws.writesImmediately { try write(cookies) }
    return result
  }

  private func read() throws(CookieStoreError) -> [Cookie]? {
    guard let file else { return nil }
    guard let data = try? Data(contentsOf: file) else { return flaws.writesImmediately ? [] : nil }
    return try? JSONDecoder().decode([Cookie].self, from: data)
  }

  private func write(_ cookies: [Cookie]) throws(CookieStoreError) {
    guard let file else { return }
    var cookies = cookies
    flaws.saved(&cookies)
    do {
      try JSONEncoder().encode(cookies).write(to: file, options: .atomic)
      try FileManager.default.setAttributes(
        [.posixPermissions: flaws.fileMode], ofItemAtPath: file.path)
    } catch {
      throw .storage(CookieStorageFailure(.other, subject: file.path, detail: "\(error)"))
    }
  }

  /// Fails if another flush is in progress.
  private static func flushAlone() async throws(CookieStoreError) {
    let others = flushes.withLock { count in
      count += 1
      return count - 1
    }
    await Task.yield()
    flushes.withLock { $0 -= 1 }
    guard others == 0 else {
      throw .storage(CookieStorageFailure(.busy, subject: "the file", detail: ""))
    }
  }

  @discardableResult
  private func removeExpired(from state: inout State, now: Date) -> Int {
    guard state.expiryWaves < flaws.expiryWaves else { return 0 }
    let count = remove(.expired, from: &state) { flaws.hasExpired($0, now) }
    if count > 0 { state.expiryWaves += 1 }
    return count
  }

  @discardableResult
  private func remove(
    _ cause: CookieChange.Cause, from state: inout State, where isRemoved: (Cookie) -> Bool
  ) -> Int {
    let removed = state.cookies.filter(isRemoved)
    state.cookies.removeAll(where: isRemoved)
    state.changes += removed.map { .removed($0, cause) }
    return removed.count
  }

  /// Sorts cookies stably.
  private func sorted(_ cookies: [Cookie], by precedes: (Cookie, Cookie) -> Bool) -> [Cookie] {
    cookies.enumerated().sorted {
      precedes($0.element, $1.element)
        || (!precedes($1.element, $0.element) && $0.offset < $1.offset)
    }.map(\.element)
  }
}
