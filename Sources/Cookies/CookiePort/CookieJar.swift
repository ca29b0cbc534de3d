import Foundation

/// The behaviour of a cookie store as a plain value: no clock, no lock, no medium.
///
/// Every operation that depends on time takes the present as a parameter. The rules are those of
/// RFC 6265bis §5.7 and §5.8.3, or of RFC 6265 §5.3 and §5.4, as the policy's profile says; where
/// they leave room, this is what holds:
/// - A cookie has expired at the instant of its expiry. From then on no operation finds it; it is
///   evicted by the next cookie accepted, by ``restore(_:now:onChange:)`` or by
///   ``removeExpired(now:onChange:)``.
/// - A new cookie's creation is never before that of another in the jar, even when the clock goes
///   backwards. Cookies of equal creation keep the order in which they came.
/// - Where cookies must go, those least recently used go first, then those created first.
///
/// Two jars are equal when they hold the same cookies in the same order; policies aren't compared.
public struct CookieJar: Sendable {
  /// The rules that the jar goes by.
  public let policy: CookiePolicy

  /// The cookies, by domain, in no order.
  private var entries: [String: [Entry]] = [:]

  /// How many cookies the jar holds, those that have expired since the last eviction included.
  public private(set) var count = 0

  /// The sequence number of the next cookie that is new.
  private var nextSequence: UInt64 = 0

  /// No cookie was created later.
  private var creationBound = Date.distantPast

  /// No cookie expires earlier.
  private var expiryBound = Date.distantFuture

  /// An empty jar.
  public init(policy: CookiePolicy = CookiePolicy()) {
    self.policy = policy
  }

  /// A jar of cookies as they are, unchecked and those that have expired included: the way back from
  /// a medium that keeps what ``all(now:)`` gave at `.distantPast`.
  ///
  /// - Parameters:
  ///   - policy: The rules that the jar goes by from now on.
  ///   - cookies: The cookies, in the order in which they came; of several of one identity the last.
  public init(policy: CookiePolicy = CookiePolicy(), holding cookies: [Cookie]) {
    self.policy = policy
    for cookie in cookies {
      if let old = entry(like: cookie) { remove([old]) }
      insert(Entry(cookie: cookie, sequence: newSequence()))
    }
  }

  /// A cookie and when, in the order of arrivals, it came.
  private struct Entry: Sendable {
    var cookie: Cookie
    var sequence: UInt64

    /// Whether this one was created before another.
    func precedes(_ other: Entry) -> Bool {
      (cookie.creation, sequence) < (other.cookie.creation, other.sequence)
    }

    /// Whether this one makes room before another does.
    func yields(to other: Entry) -> Bool {
      cookie.lastAccess == other.cookie.lastAccess
        ? precedes(other) : cookie.lastAccess < other.cookie.lastAccess
    }

    /// Whether this one stands before another in a header.
    func leads(_ other: Entry) -> Bool {
      let length = cookie.path.utf8.count
      let otherLength = other.cookie.path.utf8.count
      return length == otherLength ? precedes(other) : length > otherLength
    }

    func hasExpired(now: Date) -> Bool {
      cookie.expires.map { $0 <= now } ?? false
    }
  }
}

// MARK: - Operations

extension CookieJar {
  /// Takes the value of one `Set-Cookie` header field.
  ///
  /// - Parameters:
  ///   - line: The field's value.
  ///   - request: The request whose response carried it, or the script's page.
  ///   - now: The present.
  ///   - onChange: Called for each change in order: expired cookies evicted, the cookie stored or
  ///     removed, others evicted for it.
  /// - Returns: The change asked for, or `nil` when an expired cookie met nothing to delete.
  /// - Throws: The rule that refuses the cookie; the jar is as before.
  @discardableResult
  public mutating func store(
    _ line: String, from request: CookieRequest, now: Date,
    onChange: (CookieChange) -> Void = { _ in }
  ) throws(CookieRejection) -> CookieChange? {
    var cookie = try policy.admit(line, from: request, now: now)
    if policy.profile == .rfc6265bis, !cookie.isSecure, !policy.isSecure(request),
      overlaysSecure(cookie, now: now)
    {
      throw .overlaysSecure
    }
    let old = entry(like: cookie).flatMap { $0.hasExpired(now: now) ? nil : $0 }
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
    evictExcess(in: [cookie.domain], onChange: onChange)
    return change
  }

  /// The cookies that a request carries, in the header's order, with their last access set to `now`.
  public mutating func cookies(for request: CookieRequest, now: Date) -> [Cookie] {
    var found: [Entry] = []
    for domain in DomainMatch.domains(covering: request.host) {
      guard let place = entries.index(forKey: domain) else { continue }
      let isHost = domain == request.host
      var isOpen: Bool?
      for index in entries.values[place].indices {
        let entry = entries.values[place][index]
        if entry.cookie.isHostOnly {
          guard isHost else { continue }
        } else {
          let open = isOpen ?? !policy.isPublicSuffix(domain)
          isOpen = open
          guard open else { continue }
        }
        guard !entry.hasExpired(now: now), policy.sendsWithin(entry.cookie, request) else {
          continue
        }
        entries.values[place][index].cookie.lastAccess = now
        found.append(entries.values[place][index])
      }
    }
    return found.sorted { $0.leads($1) }.map(\.cookie)
  }

  /// Every cookie that has not expired, earliest creation first.
  public func all(now: Date) -> [Cookie] {
    ordered { !$0.hasExpired(now: now) }.map(\.cookie)
  }

  /// Puts cookies back as they are, all or none, as ``CookieStore/restore(_:)`` says.
  ///
  /// They take their places after cookies of equal creation that are there already.
  /// - Throws: The rule that refuses one of them; the jar is as before.
  public mutating func restore(
    _ cookies: [Cookie], now: Date, onChange: (CookieChange) -> Void = { _ in }
  ) throws(CookieRejection) {
    var restored: [Cookie] = []
    for cookie in cookies { restored.append(try policy.restorable(cookie, now: now)) }

    removeExpired(now: now, onChange: onChange)
    for cookie in restored {
      let entry = Entry(cookie: cookie, sequence: newSequence())
      guard !entry.hasExpired(now: now) else { continue }
      let old = self.entry(like: cookie)
      if let old { remove([old]) }
      insert(entry)
      onChange(.stored(cookie, replacing: old?.cookie))
    }
    evictExcess(in: Set(restored.map(\.domain)).sorted(), onChange: onChange)
  }

  /// Deletes one cookie.
  ///
  /// - Returns: Whether it was there and had not expired.
  @discardableResult
  public mutating func delete(
    _ id: Cookie.ID, now: Date, onChange: (CookieChange) -> Void = { _ in }
  ) -> Bool {
    let found = entries[id.domain]?.first { $0.cookie.id == id && !$0.hasExpired(now: now) }
    guard let found else { return false }
    remove([found])
    onChange(.removed(found.cookie, .deleted))
    return true
  }

  /// Deletes every cookie.
  public mutating func clear(onChange: (CookieChange) -> Void = { _ in }) {
    removeAll(.deleted, onChange: onChange) { _ in true }
  }

  /// Deletes the cookies whose expiry has come.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public mutating func removeExpired(
    now: Date, onChange: (CookieChange) -> Void = { _ in }
  ) -> Int {
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

// MARK: - Rules that look at the jar

extension CookieJar {
  /// The cookie of the same identity, as the policy's profile has it.
  private func entry(like cookie: Cookie) -> Entry? {
    let crowd = entries[cookie.domain] ?? []
    let isHostOnlyCounted = policy.isHostOnlyPartOfIdentity
    // By index, as taking each entry out would cost more than the comparison.
    let index = crowd.indices.first { index in
      crowd[index].cookie.name.hasSameOctets(as: cookie.name)
        && crowd[index].cookie.path.hasSameOctets(as: cookie.path)
        && (crowd[index].cookie.isHostOnly == cookie.isHostOnly || !isHostOnlyCounted)
    }
    return index.map { crowd[$0] }
  }

  /// Whether a `Secure` cookie stands where an insecure one would be sent in its place
  /// (RFC 6265bis §5.7, step 16).
  private func overlaysSecure(_ cookie: Cookie, now: Date) -> Bool {
    entries.contains { domain, entries in
      (DomainMatch.matches(host: domain, domain: cookie.domain)
        || DomainMatch.matches(host: cookie.domain, domain: domain))
        && entries.contains {
          $0.cookie.isSecure && !$0.hasExpired(now: now)
            && $0.cookie.name.hasSameOctets(as: cookie.name)
            && PathMatch.matches(request: cookie.path, cookie: $0.cookie.path)
        }
    }
  }

  /// The creation of a new cookie: now, or the latest in the jar if that is later.
  private mutating func nextCreation(now: Date) -> Date {
    if now < creationBound {
      creationBound = entries.values.joined().map(\.cookie.creation).max() ?? .distantPast
    }
    return max(now, creationBound)
  }

  /// Removes cookies above the limits, in the order of RFC 6265bis §5.7: from crowded domains those
  /// that are not `Secure`, then others; at last from the whole jar.
  private mutating func evictExcess(in domains: [String], onChange: (CookieChange) -> Void) {
    for domain in domains {
      guard let crowd = entries[domain] else { continue }
      evict(crowd.count - policy.limits.perDomain, of: crowd, onChange: onChange) {
        $0.cookie.isSecure == $1.cookie.isSecure ? $0.yields(to: $1) : !$0.cookie.isSecure
      }
    }
    guard count > policy.limits.total else { return }
    evict(count - policy.limits.total, of: Array(entries.values.joined()), onChange: onChange) {
      $0.yields(to: $1)
    }
  }

  /// Removes the first of some cookies, by the order given.
  private mutating func evict(
    _ excess: Int, of candidates: [Entry], onChange: (CookieChange) -> Void,
    by goesFirst: (Entry, Entry) -> Bool
  ) {
    guard excess > 0 else { return }
    let victims =
      excess == 1
      ? candidates.min(by: goesFirst).map { [$0] } ?? []
      : Array(candidates.sorted(by: goesFirst).prefix(excess))
    remove(victims)
    for victim in victims { onChange(.removed(victim.cookie, .evicted)) }
  }
}

// MARK: - Keeping the collection

extension CookieJar {
  /// The cookies that fulfil a condition, earliest creation first.
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

  private mutating func remove(_ gone: [Entry]) {
    for (domain, gone) in Dictionary(grouping: gone, by: \.cookie.domain) {
      let sequences = Set(gone.map(\.sequence))
      entries[domain]?.removeAll { sequences.contains($0.sequence) }
      if entries[domain]?.isEmpty == true { entries[domain] = nil }
    }
    count -= gone.count
  }

  /// Removes the cookies that fulfil a condition, earliest creation first.
  @discardableResult
  private mutating func removeAll(
    _ cause: CookieChange.Cause, onChange: (CookieChange) -> Void, where isGone: (Entry) -> Bool
  ) -> Int {
    let gone = ordered(where: isGone)
    remove(gone)
    for entry in gone { onChange(.removed(entry.cookie, cause)) }
    return gone.count
  }
}

extension CookieJar: Hashable {
  /// Whether both hold the same cookies in the same order.
  public static func == (one: CookieJar, other: CookieJar) -> Bool {
    one.count == other.count && one.ordered().map(\.cookie) == other.ordered().map(\.cookie)
  }

  /// Feeds the cookies, whatever their order, into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entries.values.joined().reduce(0) { $0 &+ $1.cookie.hashValue })
  }
}
