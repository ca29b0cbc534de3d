import Foundation

/// A cookie store's behaviour as a value type, without clock, lock or I/O.
///
/// Operations that depend on time take the current time as a parameter. The policy's profile
/// selects the rules: RFC 6265bis §5.7 and §5.8.3, or RFC 6265 §5.3 and §5.4. Where these leave a
/// choice:
/// - A cookie has expired at the instant of its expiry. From then on no operation finds it. The
///   next accepted cookie, ``restore(_:now:onChange:)`` or ``removeExpired(now:onChange:)`` removes
///   it.
/// - A new cookie's creation is never earlier than another's in the jar, even if the clock goes
///   backwards. Cookies of equal creation keep the order in which they were stored.
/// - Eviction removes the least recently used cookies first, then those created first. A cookie that
///   replaces another evicts none, so a jar that already exceeds its limits shrinks with the next new
///   cookie or ``restore(_:now:onChange:)``.
/// - A jar of the profile `rfc6265` may hold a host-only cookie and its domain twin, which the other
///   profile keeps apart. A line replaces the one with its own host-only flag if there is one,
///   otherwise the twin.
///
/// Two jars are equal if they hold the same cookies in the same order; policies aren't compared.
public struct CookieJar: Sendable {
  /// The policy that the jar applies.
  public let policy: CookiePolicy

  /// The cookies by domain, unordered.
  private var entries: [String: [Entry]] = [:]

  /// The number of cookies, including expired ones that have not been removed yet.
  public private(set) var count = 0

  /// The sequence number of the next new cookie.
  private var nextSequence: UInt64 = 0

  /// An upper bound of all creations; removals may leave it too high.
  private var creationBound = Date.distantPast

  /// A lower bound of all expiries; removals may leave it too low.
  private var expiryBound = Date.distantFuture

  /// Creates an empty jar.
  public init(policy: CookiePolicy = CookiePolicy()) {
    self.policy = policy
  }

  /// Creates a jar of saved cookies, without validation and including expired ones.
  ///
  /// Use it to load the cookies that ``all(now:)`` returned at `.distantPast`.
  ///
  /// - Parameters:
  ///   - policy: The policy that the jar applies.
  ///   - cookies: The cookies, in the order in which they were stored. The last of several cookies
  ///     with the same ``Cookie/ID`` is kept.
  public init(policy: CookiePolicy = CookiePolicy(), holding cookies: [Cookie]) {
    self.policy = policy
    for cookie in cookies {
      if let old = entry(of: cookie.id) { remove([old]) }
      insert(Entry(cookie: cookie, sequence: newSequence()))
    }
  }

  /// A cookie with its sequence number, which orders cookies of equal creation.
  private struct Entry: Sendable {
    var cookie: Cookie
    var sequence: UInt64

    /// Whether this cookie was created before another.
    func precedes(_ other: Entry) -> Bool {
      (cookie.creation, sequence) < (other.cookie.creation, other.sequence)
    }

    /// Whether this cookie is evicted before another.
    func isEvicted(before other: Entry) -> Bool {
      (cookie.lastAccess, cookie.creation, sequence)
        < (other.cookie.lastAccess, other.cookie.creation, other.sequence)
    }

    /// Whether this cookie precedes another in a header.
    func precedesInHeader(_ other: Entry) -> Bool {
      (other.cookie.path.utf8.count, cookie.creation, sequence)
        < (cookie.path.utf8.count, other.cookie.creation, other.sequence)
    }

    func hasExpired(now: Date) -> Bool {
      cookie.expires.map { $0 <= now } ?? false
    }
  }
}

// MARK: - Operations

extension CookieJar {
  /// Stores the cookie of one `Set-Cookie` header field.
  ///
  /// - Parameters:
  ///   - line: The field's value.
  ///   - request: The request whose response carried the field, or the script's page.
  ///   - now: The current time.
  ///   - onChange: Called for each change in order: expired cookies removed, the cookie stored or
  ///     removed, other cookies evicted.
  /// - Returns: The change, or `nil` if the cookie had expired and there was none to delete.
  /// - Throws: The rule that rejects the cookie; the jar is unchanged.
  @discardableResult
  public mutating func store(
    _ line: String, from request: CookieRequest, now: Date,
    onChange: (CookieChange) -> Void = { _ in }
  ) throws(CookieRejection) -> CookieChange? {
    var cookie = try policy.admit(line, from: request, now: now)
    // A secure cookie of such a request is not admitted.
    if policy.profile == .rfc6265bis, !policy.isSecure(request), overlaysSecure(cookie, now: now) {
      throw .overlaysSecure
    }
    let old = entry(like: cookie, now: now)
    if let old, old.cookie.isHTTPOnly, request.access == .script { throw .overwritesHTTPOnly }

    removeExpired(now: now, onChange: onChange)
    if let expires = cookie.expires, expires <= now {
      guard let old else { return nil }
      let change = CookieChange.removed(old.cookie, .expired)
      remove([old])
      onChange(change)
      return change
    }
    cookie.creation = old?.cookie.creation ?? nextCreation(now: now)
    let change = CookieChange.stored(cookie, replacing: old?.cookie)
    if let old { remove([old]) }
    insert(Entry(cookie: cookie, sequence: old?.sequence ?? newSequence()))
    onChange(change)
    if old == nil { evictExcess(in: [cookie.domain], onChange: onChange) }
    return change
  }

  /// Returns the cookies that a request carries, in header order, and sets their last access to
  /// `now`.
  public mutating func cookies(for request: CookieRequest, now: Date) -> [Cookie] {
    var found: [Entry] = []
    for domain in DomainMatch.domains(covering: request.host) {
      // Entries are changed through an index, so that the domain is hashed only once.
      guard let position = entries.index(forKey: domain) else { continue }
      // Looked up once per domain, and only if it has a cookie that isn't host-only.
      lazy var isPublicSuffix = policy.isPublicSuffix(domain)
      for index in entries.values[position].indices {
        let entry = entries.values[position][index]
        guard entry.cookie.isHostOnly ? domain == request.host : !isPublicSuffix,
          !entry.hasExpired(now: now), policy.sendsWithin(entry.cookie, request)
        else { continue }
        entries.values[position][index].cookie.lastAccess = now
        found.append(entries.values[position][index])
      }
    }
    return found.sorted { $0.precedesInHeader($1) }.map(\.cookie)
  }

  /// Returns every cookie that has not expired, earliest creation first.
  public func all(now: Date) -> [Cookie] {
    ordered { !$0.hasExpired(now: now) }.map(\.cookie)
  }

  /// Restores saved cookies, all or none; see ``CookieStore/restore(_:)``.
  ///
  /// They are ordered after existing cookies of equal creation.
  /// - Throws: The rule that rejects one of them; the jar is unchanged.
  public mutating func restore(
    _ cookies: [Cookie], now: Date, onChange: (CookieChange) -> Void = { _ in }
  ) throws(CookieRejection) {
    var restored: [Cookie] = []
    for cookie in cookies { restored.append(try policy.restorable(cookie, now: now)) }

    removeExpired(now: now, onChange: onChange)
    for cookie in restored {
      let entry = Entry(cookie: cookie, sequence: newSequence())
      guard !entry.hasExpired(now: now) else { continue }
      let old = self.entry(like: cookie, now: now)
      if let old { remove([old]) }
      insert(entry)
      onChange(.stored(cookie, replacing: old?.cookie))
    }
    evictExcess(in: Set(restored.map(\.domain)).sorted(), onChange: onChange)
  }

  /// Deletes one cookie.
  ///
  /// - Returns: Whether the cookie existed and had not expired.
  @discardableResult
  public mutating func delete(
    _ id: Cookie.ID, now: Date, onChange: (CookieChange) -> Void = { _ in }
  ) -> Bool {
    guard let found = entry(of: id), !found.hasExpired(now: now) else { return false }
    remove([found])
    onChange(.removed(found.cookie, .deleted))
    return true
  }

  /// Deletes the cookies of a domain and its subdomains; see ``CookieStore/deleteAll(under:)``.
  ///
  /// - Returns: The number of cookies deleted.
  @discardableResult
  public mutating func deleteAll(
    under domain: String, now: Date, onChange: (CookieChange) -> Void = { _ in }
  ) -> Int {
    guard let scope = CookieScope(domain) else { return 0 }
    return removeAll(.deleted, onChange: onChange) {
      !$0.hasExpired(now: now) && scope.contains($0.cookie)
    }
  }

  /// Deletes every cookie.
  public mutating func clear(onChange: (CookieChange) -> Void = { _ in }) {
    removeAll(.deleted, onChange: onChange) { _ in true }
  }

  /// Deletes the expired cookies.
  ///
  /// - Returns: The number of cookies deleted.
  @discardableResult
  public mutating func removeExpired(
    now: Date, onChange: (CookieChange) -> Void = { _ in }
  ) -> Int {
    // Negated so that a `now` of NaN, for which no comparison holds, doesn't return here.
    guard !(now < expiryBound) else { return 0 }
    let removed = removeAll(.expired, onChange: onChange) { $0.hasExpired(now: now) }
    expiryBound = entries.values.joined().compactMap(\.cookie.expires).min() ?? .distantFuture
    return removed
  }

  /// Deletes the session cookies, those without an expiry.
  public mutating func endSession(onChange: (CookieChange) -> Void = { _ in }) {
    removeAll(.sessionEnded, onChange: onChange) { $0.cookie.expires == nil }
  }
}

// MARK: - Rules that depend on the jar

extension CookieJar {
  /// Returns the cookie that a new one replaces, or `nil`.
  private func entry(like cookie: Cookie, now: Date) -> Entry? {
    func unexpired(_ id: Cookie.ID) -> Entry? {
      entry(of: id).flatMap { $0.hasExpired(now: now) ? nil : $0 }
    }
    var id = cookie.id
    if let found = unexpired(id) { return found }
    guard !policy.isHostOnlyPartOfIdentity else { return nil }
    id.isHostOnly.toggle()
    return unexpired(id)
  }

  /// Returns the cookie of an identity, expired or not.
  private func entry(of id: Cookie.ID) -> Entry? {
    let sameDomain = entries[id.domain] ?? []
    // By index, because copying each entry out of the array costs more than the comparison.
    let index = sameDomain.indices.first { index in
      sameDomain[index].cookie.isHostOnly == id.isHostOnly
        && sameDomain[index].cookie.name.hasSameBytes(as: id.name)
        && sameDomain[index].cookie.path.hasSameBytes(as: id.path)
    }
    return index.map { sameDomain[$0] }
  }

  /// Whether an insecure cookie would overlay a `Secure` one of the same name
  /// (RFC 6265bis §5.7, step 16).
  private func overlaysSecure(_ cookie: Cookie, now: Date) -> Bool {
    entries.contains { domain, entries in
      (DomainMatch.matches(host: domain, domain: cookie.domain)
        || DomainMatch.matches(host: cookie.domain, domain: domain))
        && entries.contains {
          $0.cookie.isSecure && !$0.hasExpired(now: now)
            && $0.cookie.name.hasSameBytes(as: cookie.name)
            && PathMatch.matches(request: cookie.path, cookie: $0.cookie.path)
        }
    }
  }

  /// Returns the creation of a new cookie: `now`, or the latest creation in the jar if that is
  /// later.
  private mutating func nextCreation(now: Date) -> Date {
    if now < creationBound {
      // The cookie with the latest creation may have been removed, so compute the bound again.
      creationBound = entries.values.joined().map(\.cookie.creation).max() ?? .distantPast
    }
    return max(now, creationBound)
  }

  /// Evicts cookies above the limits in the order of RFC 6265bis §5.7.
  ///
  /// A domain above its limit loses cookies without `Secure` first, then others. Then the whole jar
  /// loses cookies above the total limit.
  private mutating func evictExcess(in domains: [String], onChange: (CookieChange) -> Void) {
    for domain in domains {
      guard let candidates = entries[domain] else { continue }
      evict(candidates.count - policy.limits.perDomain, of: candidates, onChange: onChange) {
        $0.cookie.isSecure == $1.cookie.isSecure ? $0.isEvicted(before: $1) : !$0.cookie.isSecure
      }
    }
    evict(count - policy.limits.total, of: entries.values.joined(), onChange: onChange) {
      $0.isEvicted(before: $1)
    }
  }

  /// Evicts the first candidates of an order; none if their number isn't positive.
  private mutating func evict(
    _ excess: Int, of candidates: some Sequence<Entry>, onChange: (CookieChange) -> Void,
    by isEvictedFirst: (Entry, Entry) -> Bool
  ) {
    guard excess > 0 else { return }
    let victims =
      excess == 1
      ? candidates.min(by: isEvictedFirst).map { [$0] } ?? []
      : Array(candidates.sorted(by: isEvictedFirst).prefix(excess))
    remove(victims)
    for victim in victims { onChange(.removed(victim.cookie, .evicted)) }
  }
}

// MARK: - The collection

extension CookieJar {
  /// Returns the cookies that satisfy a condition, earliest creation first.
  private func ordered(where isIncluded: (Entry) -> Bool = { _ in true }) -> [Entry] {
    entries.values.joined().filter(isIncluded).sorted { $0.precedes($1) }
  }

  private mutating func newSequence() -> UInt64 {
    defer { nextSequence += 1 }
    return nextSequence
  }

  private mutating func insert(_ entry: Entry) {
    entries[entry.cookie.domain, default: []].append(entry)
    count += 1
    creationBound = max(creationBound, entry.cookie.creation)
    expiryBound = min(expiryBound, entry.cookie.expires ?? .distantFuture)
  }

  private mutating func remove(_ removed: [Entry]) {
    for (domain, removed) in Dictionary(grouping: removed, by: \.cookie.domain) {
      let sequences = Set(removed.map(\.sequence))
      let left = entries[domain]?.filter { !sequences.contains($0.sequence) } ?? []
      entries[domain] = left.isEmpty ? nil : left
    }
    count -= removed.count
  }

  /// Removes the cookies that satisfy a condition, earliest creation first.
  @discardableResult
  private mutating func removeAll(
    _ cause: CookieChange.Cause, onChange: (CookieChange) -> Void, where isRemoved: (Entry) -> Bool
  ) -> Int {
    let removed = ordered(where: isRemoved)
    remove(removed)
    for entry in removed { onChange(.removed(entry.cookie, cause)) }
    return removed.count
  }
}

extension CookieJar: Hashable {
  /// Whether both jars hold the same cookies in the same order.
  public static func == (one: CookieJar, other: CookieJar) -> Bool {
    one.count == other.count && one.ordered().map(\.cookie) == other.ordered().map(\.cookie)
  }

  /// Feeds the cookies into the hasher, independently of their order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entries.values.joined().reduce(0) { $0 &+ $1.cookie.hashValue })
  }
}
