import CSQLite
import CookiePort
import Foundation

/// The cookies of an open file: what RFC 6265bis does to a store, in SQL and Swift.
///
/// Every write is one transaction that keeps other writers out from its first look at the file, so
/// that limits and order hold across handles and processes. Changes are told once it is committed.
final class CookieTable {
  private let connection: Connection
  private let policy: CookiePolicy
  private let broadcaster: CookieChangeBroadcaster
  private var buffer = AccessBuffer()
  private var effects = Effects()
  private let texts = TextArena()

  private let selectDomain: Statement
  private let selectSame: Statement
  private let selectSecure: Statement
  private let selectAll: Statement
  private let selectExpired: Statement
  private let selectSession: Statement
  private let selectCrowd: Statement
  private let selectIdle: Statement
  private let upsert: Statement
  private let deleteRow: Statement
  private let countDomain: Statement
  private let selectTally: Statement
  private let updateTally: Statement
  private let updateAccess: Statement

  /// What a transaction has done, to be told when it is committed.
  private struct Effects {
    var isObserved = false
    var changes: [CookieChange] = []
    var accessed: [Int64] = []
    var hasWrittenAccesses = false

    mutating func removeAll() {
      changes.removeAll(keepingCapacity: true)
      accessed.removeAll(keepingCapacity: true)
      hasWrittenAccesses = false
    }
  }

  /// - Parameters:
  ///   - connection: A connection to a file that ``Schema/prepare(_:)`` has approved.
  ///   - policy: The rules.
  ///   - broadcaster: Sent every change, in the order in which they were committed.
  init(
    _ connection: Connection, policy: CookiePolicy, broadcaster: CookieChangeBroadcaster
  ) throws(CookieStoreError) {
    self.connection = connection
    self.policy = policy
    self.broadcaster = broadcaster
    let select = "SELECT \(CookieRow.columns) FROM cookie "
    let key = "domain = ?1 AND path = ?2 AND name = ?3"
    selectDomain = try connection.prepare(select + "WHERE domain = ?1")
    selectSame = try connection.prepare(select + "WHERE " + key)
    selectSecure = try connection.prepare(select + "WHERE name = ?1 AND secure")
    selectAll = try connection.prepare(select)
    selectExpired = try connection.prepare(select + "WHERE expires <= ?1")
    selectSession = try connection.prepare(select + "WHERE expires IS NULL")
    let idleFirst = "last_access, creation, sequence LIMIT ?1"
    selectCrowd = try connection.prepare(
      select + "WHERE domain = ?2 ORDER BY secure, " + idleFirst)
    selectIdle = try connection.prepare(select + "ORDER BY " + idleFirst)
    upsert = try connection.prepare(
      """
      INSERT INTO cookie (\(CookieRow.columns))
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      ON CONFLICT DO UPDATE SET value = ?5, expires = ?6, secure = ?7, http_only = ?8,
        same_site = ?9, creation = ?10, last_access = ?11, sequence = ?12
      """)
    deleteRow = try connection.prepare("DELETE FROM cookie WHERE \(key) AND host_only = ?4")
    countDomain = try connection.prepare("SELECT count(*) FROM cookie WHERE domain = ?1")
    selectTally = try connection.prepare("SELECT \(Tally.columns) FROM tally WHERE id = 1")
    updateTally = try connection.prepare(
      "UPDATE tally SET (\(Tally.columns)) = (?1, ?2, ?3, ?4) WHERE id = 1")
    updateAccess = try connection.prepare(
      "UPDATE cookie SET last_access = ?5 WHERE \(key) AND host_only = ?4")
  }
}

// MARK: - Operations

extension CookieTable {
  func store(
    _ line: String, from request: CookieRequest, now: Date
  ) throws(CookieStoreError) -> CookieChange? {
    var cookie: Cookie
    do throws(CookieRejection) {
      cookie = try policy.admit(line, from: request, now: now)
    } catch {
      throw .rejected(error)
    }
    return try write { tally throws(CookieStoreError) in
      if policy.profile == .rfc6265bis, !cookie.isSecure, !policy.isSecure(request),
        try overlaysSecure(cookie, now: now)
      {
        throw .rejected(.overlaysSecure)
      }
      let old = try same(as: cookie.id, now: now, policy.isHostOnlyPartOfIdentity)
      if request.access == .script, old?.cookie.isHTTPOnly == true {
        throw .rejected(.overwritesHTTPOnly)
      }
      try removeExpired(&tally, now: now)
      if cookie.hasExpired(now: now) {
        guard let old else { return nil }
        return try remove(old, .expired, &tally)
      }
      if let creation = old?.cookie.creation, let sequence = old?.sequence {
        cookie.creation = creation
        return try put(cookie, sequence: sequence, replacing: old, &tally)
      }
      cookie.creation = try nextCreation(&tally, now: now)
      let change = try put(cookie, sequence: newSequence(&tally), replacing: nil, &tally)
      try evictExcess(in: [cookie.domain], &tally)
      return change
    }
  }

  func cookies(for request: CookieRequest, now: Date) throws(CookieStoreError) -> [Cookie] {
    var found = HeaderOrder()
    let host = Array(request.host.utf8)
    try connection.read { () throws(CookieStoreError) in
      try host.withUnsafeBufferPointer { octets throws(CookieStoreError) in
        try find(octets, isHost: true, for: request, now: now, &found)
        guard !CanonicalHost.isAddress(request.host) else { return }
        var start = 0
        while let next = DomainMatch.nextStart(after: start, in: octets) {
          try find(octets.extracting(next...), isHost: false, for: request, now: now, &found)
          start = next
        }
      }
    }
    found.noteAccesses(in: &buffer, at: now)
    if buffer.isDue(now: now) { writeAccessesIfFree(now: now) }
    return found.sorted()
  }

  /// Finds the cookies of one domain that a request carries.
  private func find(
    _ octets: UnsafeBufferPointer<UInt8>, isHost: Bool, for request: CookieRequest,
    now: Date, _ found: inout HeaderOrder
  ) throws(CookieStoreError) {
    selectDomain.bind(1, borrowed: octets)
    defer { selectDomain.reset() }
    guard try connection.hasRow(selectDomain) else { return }
    let domain = isHost ? request.host : String(decoding: octets, as: UTF8.self)
    var isOpen: Bool?
    var path = "/"
    repeat {
      guard let terms = CookieRow.Terms(selectDomain, path: path) else { throw badRow }
      path = terms.path
      if terms.isHostOnly {
        guard isHost else { continue }
      } else {
        let open = isOpen ?? !policy.isPublicSuffix(domain)
        isOpen = open
        guard open else { continue }
      }
      if let expires = terms.expires, expires <= now { continue }
      guard
        policy.sendsWithin(
          path: path, isSecure: terms.isSecure, isHTTPOnly: terms.isHTTPOnly,
          sameSite: terms.sameSite, request)
      else { continue }
      guard let content = CookieRow.Content(selectDomain) else { throw badRow }
      found.append(domain, terms, content, accessed: now)
    } while try connection.hasRow(selectDomain)
  }

  func all(now: Date) throws(CookieStoreError) -> [Cookie] {
    try rows(selectAll).lazy.map(\.cookie).filter { !$0.hasExpired(now: now) }
  }

  func restore(_ cookies: [Cookie], now: Date) throws(CookieStoreError) {
    var restored: [Cookie] = []
    do throws(CookieRejection) {
      for cookie in cookies { restored.append(try policy.restorable(cookie, now: now)) }
    } catch {
      throw .rejected(error)
    }
    try write { tally throws(CookieStoreError) in
      try removeExpired(&tally, now: now)
      for cookie in restored where !cookie.hasExpired(now: now) {
        let old = try same(as: cookie.id, now: now, policy.isHostOnlyPartOfIdentity)
        _ = try put(cookie, sequence: newSequence(&tally), replacing: old, &tally)
      }
      try evictExcess(in: Set(restored.map(\.domain)).sorted(), &tally)
    }
  }

  func delete(_ id: Cookie.ID, now: Date) throws(CookieStoreError) -> Bool {
    try write { tally throws(CookieStoreError) in
      guard let row = try same(as: id, now: now, true) else { return false }
      _ = try remove(row, .deleted, &tally)
      return true
    }
  }

  func clear() throws(CookieStoreError) {
    try write { tally throws(CookieStoreError) in
      for row in try rows(selectAll) { _ = try remove(row, .deleted, &tally) }
    }
  }

  func removeExpired(now: Date) throws(CookieStoreError) -> Int {
    try write { tally throws(CookieStoreError) in try removeExpired(&tally, now: now) }
  }

  func endSession() throws(CookieStoreError) {
    try write { tally throws(CookieStoreError) in
      for row in try rows(selectSession) { _ = try remove(row, .sessionEnded, &tally) }
    }
  }

  /// Writes the last-access times that wait.
  func writeAccesses() throws(CookieStoreError) {
    guard !buffer.isEmpty else { return }
    try write { _ throws(CookieStoreError) in try updateAccesses() }
  }

  /// Leaves the file and its log as they are when the connection ends.
  func leaveFile() { connection.setCheckpointsOnClose(false) }

  /// Moves everything into the file, synchronised.
  func flush() throws(CookieStoreError) {
    try writeAccesses()
    try connection.checkpoint()
  }

  /// Writes the last-access times unless that would take waiting or fails: they are advice.
  func writeAccessesIfFree(now: Date) {
    do throws(CookieStoreError) {
      try connection.withoutWaiting { () throws(CookieStoreError) in try writeAccesses() }
    } catch {
      buffer.postpone(now: now)
    }
  }
}

// MARK: - Rules that look at the table

extension CookieTable {
  /// Whether a `Secure` cookie stands where an insecure one would be sent in its place
  /// (RFC 6265bis §5.7, step 16).
  private func overlaysSecure(_ cookie: Cookie, now: Date) throws(CookieStoreError) -> Bool {
    texts.bind(cookie.name, to: selectSecure, 1)
    return try rows(selectSecure).contains {
      let other = $0.cookie
      return !other.hasExpired(now: now)
        && (DomainMatch.matches(host: other.domain, domain: cookie.domain)
          || DomainMatch.matches(host: cookie.domain, domain: other.domain))
        && PathMatch.matches(request: cookie.path, cookie: other.path)
    }
  }

  /// The unexpired cookie of an identity, the host-only flag being part of it or not.
  private func same(
    as id: Cookie.ID, now: Date, _ comparesHostOnly: Bool
  ) throws(CookieStoreError) -> CookieRow? {
    bindKey(of: id, to: selectSame)
    var twin: CookieRow?
    defer { selectSame.reset() }
    while let row = try nextRow(of: selectSame, known: id) {
      if row.cookie.hasExpired(now: now) { continue }
      if row.cookie.isHostOnly == id.isHostOnly { return row }
      twin = row
    }
    return comparesHostOnly ? nil : twin
  }

  /// The creation of a new cookie: now, or the latest in the table if that is later.
  private func nextCreation(_ tally: inout Tally, now: Date) throws(CookieStoreError) -> Date {
    guard let latest = tally.latestCreation, now < latest else { return now }
    // The latest may be gone.
    let left = try connection.rows("SELECT max(creation) FROM cookie", { $0.optionalDate(0) })
    guard let latest = left.first ?? nil else { throw connection.corrupt("a creation is no date") }
    tally.latestCreation = latest
    return max(now, latest ?? now)
  }

  private func newSequence(_ tally: inout Tally) -> Int64 {
    tally.lastSequence += 1
    return tally.lastSequence
  }

  /// Removes the cookies whose expiry has come, if there may be any.
  @discardableResult
  private func removeExpired(_ tally: inout Tally, now: Date) throws(CookieStoreError) -> Int {
    guard let earliest = tally.earliestExpiry, earliest <= now else { return 0 }
    selectExpired.bind(1, now)
    let gone = try rows(selectExpired)
    for row in gone { _ = try remove(row, .expired, &tally) }
    let left = try connection.rows("SELECT min(expires) FROM cookie", { $0.optionalDate(0) })
    guard let next = left.first ?? nil else { throw connection.corrupt("an expiry is no date") }
    tally.earliestExpiry = next
    return gone.count
  }

  /// Removes cookies above the limits, in the order of RFC 6265bis §5.7: from crowded domains those
  /// that are not `Secure`, then others; at last from the whole table. Ties go to the least
  /// recently used.
  private func evictExcess(
    in domains: [String], _ tally: inout Tally
  ) throws(CookieStoreError) {
    for domain in domains where tally.cookies > policy.limits.perDomain {
      texts.bind(domain, to: countDomain, 1)
      let crowd = try connection.integer(countDomain)
      texts.bind(domain, to: selectCrowd, 2)
      try evict(crowd - Int64(policy.limits.perDomain), by: selectCrowd, &tally)
    }
    try evict(tally.cookies - Int64(policy.limits.total), by: selectIdle, &tally)
  }

  private func evict(
    _ excess: Int64, by select: Statement, _ tally: inout Tally
  ) throws(CookieStoreError) {
    guard excess > 0 else { return }
    try updateAccesses()
    select.bind(1, excess)
    for row in try rowsAsOrdered(select) { _ = try remove(row, .evicted, &tally) }
  }
}

// MARK: - Rows

extension CookieTable {
  /// Writes one cookie in place of another, or as one more.
  private func put(
    _ cookie: Cookie, sequence: Int64, replacing old: CookieRow?, _ tally: inout Tally
  ) throws(CookieStoreError) -> CookieChange {
    if let sequence = old?.sequence {
      effects.accessed.append(sequence)
    } else {
      tally.cookies += 1
    }
    if let isHostOnly = old?.cookie.isHostOnly, isHostOnly != cookie.isHostOnly,
      let id = old?.cookie.id
    {
      try connection.check(delete(id))
    }
    tally.include(cookie)
    bindKey(of: cookie.id, to: upsert)
    upsert.bind(4, cookie.isHostOnly)
    texts.bind(cookie.value, to: upsert, 5)
    upsert.bind(6, cookie.expires)
    upsert.bind(7, cookie.isSecure)
    upsert.bind(8, cookie.isHTTPOnly)
    upsert.bind(9, cookie.sameSite.code)
    upsert.bind(10, cookie.creation)
    upsert.bind(11, cookie.lastAccess)
    upsert.bind(12, sequence)
    try connection.check(upsert.run())
    let change = CookieChange.stored(cookie, replacing: old?.cookie)
    if effects.isObserved { effects.changes.append(change) }
    return change
  }

  private func remove(
    _ row: CookieRow, _ cause: CookieChange.Cause, _ tally: inout Tally
  ) throws(CookieStoreError) -> CookieChange {
    try connection.check(delete(row.cookie.id))
    tally.cookies -= 1
    effects.accessed.append(row.sequence)
    let change = CookieChange.removed(row.cookie, cause)
    if effects.isObserved { effects.changes.append(change) }
    return change
  }

  private func delete(_ id: Cookie.ID) -> Int32 {
    bindKey(of: id, to: deleteRow)
    deleteRow.bind(4, id.isHostOnly)
    return deleteRow.run()
  }

  /// Writes the last-access times that wait, once in a transaction.
  private func updateAccesses() throws(CookieStoreError) {
    guard !effects.hasWrittenAccesses else { return }
    guard !buffer.isEmpty else { return }
    // A look at every cookie, seldom, is cheaper than keys noted by each lookup.
    for row in try rows(selectAll) where row.cookie.lastAccess != row.storedAccess {
      bindKey(of: row.cookie.id, to: updateAccess)
      updateAccess.bind(4, row.cookie.isHostOnly)
      updateAccess.bind(5, row.cookie.lastAccess)
      try connection.check(updateAccess.run())
    }
    effects.hasWrittenAccesses = true
  }

  /// Binds the textual columns of the key, as parameters 1 to 3.
  private func bindKey(of id: Cookie.ID, to statement: Statement) {
    texts.bind(id.domain, to: statement, 1)
    texts.bind(id.path, to: statement, 2)
    texts.bind(id.name, to: statement, 3)
  }

  /// The rows that a bound statement gives, earliest creation first.
  private func rows(_ statement: Statement) throws(CookieStoreError) -> [CookieRow] {
    try rowsAsOrdered(statement).sorted { $0.precedes($1) }
  }

  /// The rows that a bound statement gives.
  private func rowsAsOrdered(_ statement: Statement) throws(CookieStoreError) -> [CookieRow] {
    defer { statement.reset() }
    var rows: [CookieRow] = []
    while let row = try nextRow(of: statement) { rows.append(row) }
    return rows
  }

  /// The next row of a statement, with the access that this handle has noted, or `nil` at the end.
  private func nextRow(
    of statement: Statement, known: Cookie.ID? = nil
  ) throws(CookieStoreError) -> CookieRow? {
    guard try connection.hasRow(statement) else { return nil }
    guard var row = CookieRow(statement, known: known) else { throw badRow }
    row.cookie.lastAccess = buffer.lastAccess(of: row)
    return row
  }

  private var badRow: CookieStoreError {
    connection.corrupt("a row of cookies holds what no cookie can")
  }
}

// MARK: - Transactions

extension CookieTable {
  /// Writes in one transaction, and tells what has changed when it is committed.
  private func write<Result>(
    _ body: (inout Tally) throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    effects.removeAll()
    effects.isObserved = broadcaster.subscriptionCount > 0
    texts.removeAll()
    let result = try connection.write { () throws(CookieStoreError) in
      let old = try tally()
      var tally = old
      let result = try body(&tally)
      if tally != old {
        updateTally.bind(1, tally.cookies)
        updateTally.bind(2, tally.lastSequence)
        updateTally.bind(3, tally.latestCreation)
        updateTally.bind(4, tally.earliestExpiry)
        try connection.check(updateTally.run())
      }
      return result
    }
    if effects.hasWrittenAccesses { buffer.removeAll() }
    for sequence in effects.accessed { buffer.forget(sequence) }
    for change in effects.changes { broadcaster.send(change) }
    return result
  }

  private func tally() throws(CookieStoreError) -> Tally {
    defer { selectTally.reset() }
    try connection.check(selectTally.step())
    guard let tally = Tally(selectTally) else {
      throw connection.corrupt("the tally holds what no store writes")
    }
    return tally
  }
}
