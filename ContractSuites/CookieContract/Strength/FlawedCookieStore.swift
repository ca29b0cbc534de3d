import CookiePort
import Foundation
import SystemLocks

/// A minimal cookie store that takes its decisions as ``Flaws`` say, and keeps its cookies in a file.
final class FlawedCookieStore: CookieStore {
  private let flaws: Flaws
  private let policy: CookiePolicy
  private let now: @Sendable () -> Date
  private let file: URL?
  private let state = Mutex(State())

  /// One lock for all files: enough for saboteurs.
  private static let fileLock = Mutex(())

  private struct State {
    /// In the order of creation.
    var cookies: [Cookie] = []
    var hasRead = false
    var readers: [AsyncStream<CookieChange>.Continuation] = []
    /// What is to be told when the operation has ended.
    var changes: [CookieChange] = []
  }

  init(_ setup: CookieStoreSetup, _ flaws: Flaws) throws {
    self.flaws = flaws
    var policy = setup.policy
    flaws.policy(&policy)
    self.policy = policy
    now = { flaws.now(setup.now()) }
    file = flaws.isKept ? try setup.directory().appending(path: "cookies.json") : nil
  }

  deinit {
    for reader in state.withLock({ $0.readers }) { reader.finish() }
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
    case .success(let change): return flaws.answer(change)
    case .failure(let rejection): throw .rejected(rejection)
    }
  }

  private func store(
    _ line: String, from request: CookieRequest, now: Date, in state: inout State
  ) throws(CookieRejection) -> CookieChange? {
    var request = request
    flaws.origin(&request)
    let arrival = Flaws.Arrival(
      line: flaws.line(line, policy), request: request, policy: policy, now: now)
    var cookie: Cookie
    do {
      cookie = try policy.admit(arrival.line, from: request, now: now)
    } catch {
      guard let pardoned = flaws.pardon(error, arrival) else { throw error }
      cookie = pardoned
    }
    flaws.admitted(&cookie, arrival)
    if let reason = flaws.refusal(cookie, arrival) { throw reason }
    let present = state.cookies.filter { !flaws.hasExpired($0, now) }
    if !cookie.isSecure, !policy.isSecure(request),
      (flaws.isOverlaidByExpired ? state.cookies : present)
        .contains(where: { flaws.overlays(cookie, $0, policy) })
    {
      throw .overlaysSecure
    }
    let old = present.first { flaws.isSame($0, cookie, policy) }
    if flaws.guardsHTTPOnly, let old, old.isHTTPOnly, request.access == .script {
      throw .overwritesHTTPOnly
    }

    if flaws.evictsExpired { remove(.expired, from: &state) { flaws.hasExpired($0, now) } }
    if flaws.hasExpired(cookie, now) {
      guard let old, flaws.deletesByExpiry else { return nil }
      remove(.expired, from: &state) { $0 == old }
      return .removed(old, .expired)
    }
    cookie.creation = flaws.creation(now, state.cookies.map(\.creation).max())
    if let old {
      flaws.replacing(&cookie, old)
    }
    if let old, let index = state.cookies.firstIndex(of: old) {
      if flaws.keepsPlace {
        state.cookies[index] = cookie
      } else {
        state.cookies.remove(at: index)
        state.cookies.append(cookie)
      }
    } else {
      state.cookies.append(cookie)
    }
    let change = CookieChange.stored(cookie, replacing: old)
    state.changes.append(change)
    evict(cookie.domain, from: &state)
    return change
  }

  private func evict(_ domain: String, from state: inout State) {
    let crowd = state.cookies.filter { $0.domain == domain }
    evict(crowd.count - policy.limits.perDomain, of: crowd, from: &state, by: flaws.goesFirst)
    evict(
      state.cookies.count - policy.limits.total, of: state.cookies, from: &state,
      by: flaws.goesFirstOfAll)
  }

  private func evict(
    _ excess: Int, of crowd: [Cookie], from state: inout State,
    by goesFirst: (Cookie, Cookie) -> Bool
  ) {
    guard excess > 0 else { return }
    // The first of equals is the least.
    let gone =
      excess == 1
      ? crowd.min(by: goesFirst).map { [$0.id] } ?? []
      : sorted(crowd, by: goesFirst).prefix(excess).map(\.id)
    remove(.evicted, from: &state) { gone.contains($0.id) }
  }

  func cookies(for request: CookieRequest) async throws(CookieStoreError) -> [Cookie] {
    try await perform { state, now in
      var found: [Cookie] = []
      for index in state.cookies.indices {
        guard self.flaws.showsExpired || !self.flaws.hasExpired(state.cookies[index], now),
          self.flaws.sends(state.cookies[index], request, self.policy)
        else { continue }
        if self.flaws.touches { state.cookies[index].lastAccess = now }
        found.append(state.cookies[index])
      }
      found = self.sorted(found, by: self.flaws.leads)
      self.flaws.sent(&found)
      return found
    }
  }

  func all() async throws(CookieStoreError) -> [Cookie] {
    try await perform { state, now in
      if self.flaws.touchesOnListing {
        for index in state.cookies.indices { state.cookies[index].lastAccess = now }
      }
      var cookies = state.cookies.filter {
        self.flaws.showsExpired || !self.flaws.hasExpired($0, now)
      }
      self.flaws.listed(&cookies)
      return cookies
    }
  }

  func restore(_ cookies: [Cookie]) async throws(CookieStoreError) {
    let rejection = try await perform { state, now -> CookieRejection? in
      var sound: [Cookie] = []
      for cookie in cookies {
        do throws(CookieRejection) {
          sound.append(try self.policy.restorable(cookie, now: now))
        } catch {
          if self.flaws.restoresAnything {
            sound.append(cookie)
          } else if !self.flaws.restoresInPart {
            return error
          }
        }
      }
      self.flaws.restored(&sound, now)
      self.remove(.expired, from: &state) { self.flaws.hasExpired($0, now) }
      for cookie in sound where !self.flaws.hasExpired(cookie, now) {
        let old = state.cookies.first { self.flaws.isSame($0, cookie, self.policy) }
        state.cookies.removeAll { $0 == old }
        state.cookies.append(cookie)
        state.changes.append(.stored(cookie, replacing: old))
      }
      state.cookies = self.sorted(state.cookies) { $0.creation < $1.creation }
      for domain in Set(sound.map(\.domain)) { self.evict(domain, from: &state) }
      return nil
    }
    if let rejection { throw .rejected(rejection) }
  }

  @discardableResult
  func delete(_ id: Cookie.ID) async throws(CookieStoreError) -> Bool {
    try await perform { state, now in
      self.remove(.deleted, from: &state) {
        self.flaws.deleted($0, id) && !self.flaws.hasExpired($0, now)
      } > 0
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
      self.flaws.count(self.remove(.expired, from: &state) { self.flaws.hasExpired($0, now) })
    }
  }

  func endSession() async throws(CookieStoreError) {
    try await perform { state, _ in
      _ = self.remove(.sessionEnded, from: &state) { self.flaws.endsWithSession($0) }
    }
  }

  func flush() async throws(CookieStoreError) {
    try await perform { state, _ in self.flaws.flushed(&state.cookies) }
    guard !flaws.savesAtOnce else { return }
    try write(state.withLock { $0.cookies })
  }

  func changes() -> AsyncStream<CookieChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: CookieChange.self)
    state.withLock { $0.readers.append(continuation) }
    return stream
  }
}

extension FlawedCookieStore {
  /// Runs an operation between reading the file and writing it, and tells what it changed.
  private func perform<Result: Sendable>(
    _ operation: @Sendable (inout sending State, Date) -> sending Result
  ) async throws(CookieStoreError) -> Result {
    guard flaws.locksFile else {
      // Whoever reads now may write over what others write meanwhile.
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
      if let read, flaws.readsAgain || !state.hasRead { state.cookies = read }
      state.hasRead = true
      let result = operation(&state, now())
      for change in flaws.told(state.changes) {
        for reader in flaws.tellsAll ? state.readers[...] : state.readers.prefix(1) {
          reader.yield(change)
        }
      }
      state.changes = []
      return (result, state.cookies)
    }
    if flaws.savesAtOnce { try write(cookies) }
    return result
  }

  private func read() throws(CookieStoreError) -> [Cookie]? {
    guard let file else { return nil }
    guard let data = try? Data(contentsOf: file) else { return flaws.savesAtOnce ? [] : nil }
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

  @discardableResult
  private func remove(
    _ cause: CookieChange.Cause, from state: inout State, where isGone: (Cookie) -> Bool
  ) -> Int {
    let gone = state.cookies.filter(isGone)
    state.cookies.removeAll(where: isGone)
    state.changes += gone.map { .removed($0, cause) }
    return gone.count
  }

  /// The cookies in an order; those that are equal stay as they stand.
  private func sorted(_ cookies: [Cookie], by precedes: (Cookie, Cookie) -> Bool) -> [Cookie] {
    cookies.enumerated().sorted {
      precedes($0.element, $1.element)
        || (!precedes($1.element, $0.element) && $0.offset < $1.offset)
    }.map(\.element)
  }
}
