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
  private let onChange: (CookieChange) -> Void
  private var buffer = AccessBuffer()
  private var effects = Effects()

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
    var changes: [CookieChange] = []
    var accessed: [Int64] = []
    var hasWrittenAccesses = false
  }

  /// - Parameters:
  ///   - connection: A connection to a file that ``Schema/prepare(_:)`` has approved.
  ///   - policy: The rules.
  ///   - onChange: Told every change, in the order in which they were committed.
  init(
    _ connection: Connection, policy: CookiePolicy, onChange: @escaping (CookieChange) -> Void
  ) throws(CookieStoreError) {
    self.connection = connection
    self.policy = policy
    self.onChange = onChange
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
    // Another handle may have noted a later access since; it stands.
    updateAccess = try connection.prepare(
      """
      UPDATE cookie SET last_access = iif(last_access = ?6, ?7, max(last_access, ?7))
      WHERE \(key) AND host_only = ?4 AND sequence = ?5
      """)
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
      if let old, old.cookie.isHTTPOnly, request.access == .script {
        throw .rejected(.overwritesHTTPOnly)
      }
      try removeExpired(&tally, now: now)
      if cookie.hasExpired(now: now) {
        guard let old else { return nil }
        return try remove(old, .expired, &tally)
      }
      if let old {
        cookie.creation = old.cookie.creation
        return try put(cookie, sequence: old.sequence, replacing: old, &tally)
      }
      cookie.creation = try nextCreation(&tally, now: now)
      let change = try put(cookie, sequence: newSequence(&tally), replacing: nil, &tally)
      try evictExcess(in: [cookie.domain], &tally)
      return change
    }
  }

  func cookies(for request: CookieRequest, now: Date) throws(CookieStoreError) -> [Cookie] {
    var found: [CookieRow] = []
    try connection.read { () throws(CookieStoreError) in
      for domain in DomainMatch.domains(covering: request.host) {
        let isHost = domain.utf8.count == request.host.utf8.count
        var isOpen: Bool?
        selectDomain.bind(1, domain)
        try read(selectDomain, domain: domain) { row in
          if row.cookie.isHostOnly {
            guard isHost else { return }
          } else {
            let open = isOpen ?? !policy.isPublicSuffix(domain)
            isOpen = open
            guard open else { return }
          }
          guard !row.cookie.hasExpired(now: now), policy.sendsWithin(row.cookie, request) else {
            return
          }
          found.append(row)
        }
      }
    }
    for row in found { buffer.note(row, at: now) }
    if buffer.isDue(now: now) { writeAccessesIfFree(now: now) }
    return found.sorted { $0.leads($1) }.map {
      var cookie = $0.cookie
      cookie.lastAccess = now
      return cookie
    }
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
    guard !buffer.accesses.isEmpty else { return }
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
    selectSecure.bind(1, cookie.name)
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
    let twins = try rows(selectSame).filter { !$0.cookie.hasExpired(now: now) }
    let same = twins.first { $0.cookie.isHostOnly == id.isHostOnly }
    return comparesHostOnly ? same : same ?? twins.first
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
      countDomain.bind(1, domain)
      let crowd = try connection.integer(countDomain)
      selectCrowd.bind(2, domain)
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
    var victims: [CookieRow] = []
    try read(select) { victims.append($0) }
    for row in victims { _ = try remove(row, .evicted, &tally) }
  }
}

// MARK: - Rows

extension CookieTable {
  /// Writes one cookie in place of another, or as one more.
  private func put(
    _ cookie: Cookie, sequence: Int64, replacing old: CookieRow?, _ tally: inout Tally
  ) throws(CookieStoreError) -> CookieChange {
    if let old {
      effects.accessed.append(old.sequence)
      if old.cookie.isHostOnly != cookie.isHostOnly {
        try connection.check(delete(old.cookie.id))
      }
    } else {
      tally.cookies += 1
    }
    tally.include(cookie)
    bindKey(of: cookie.id, to: upsert)
    upsert.bind(4, cookie.isHostOnly)
    upsert.bind(5, cookie.value)
    upsert.bind(6, cookie.expires)
    upsert.bind(7, cookie.isSecure)
    upsert.bind(8, cookie.isHTTPOnly)
    upsert.bind(9, cookie.sameSite.code)
    upsert.bind(10, cookie.creation)
    upsert.bind(11, cookie.lastAccess)
    upsert.bind(12, sequence)
    try connection.check(upsert.run())
    let change = CookieChange.stored(cookie, replacing: old?.cookie)
    effects.changes.append(change)
    return change
  }

  private func remove(
    _ row: CookieRow, _ cause: CookieChange.Cause, _ tally: inout Tally
  ) throws(CookieStoreError) -> CookieChange {
    try connection.check(delete(row.cookie.id))
    tally.cookies -= 1
    effects.accessed.append(row.sequence)
    let change = CookieChange.removed(row.cookie, cause)
    effects.changes.append(change)
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
    for (sequence, access) in buffer.accesses {
      bindKey(of: access.id, to: updateAccess)
      updateAccess.bind(4, access.id.isHostOnly)
      updateAccess.bind(5, sequence)
      updateAccess.bind(6, access.stored)
      updateAccess.bind(7, access.time)
      try connection.check(updateAccess.run())
    }
    effects.hasWrittenAccesses = true
  }

  /// Binds the textual columns of the key, as parameters 1 to 3.
  private func bindKey(of id: Cookie.ID, to statement: Statement) {
    statement.bind(1, id.domain)
    statement.bind(2, id.path)
    statement.bind(3, id.name)
  }

  /// The rows that a bound statement gives, earliest creation first, as this handle sees them.
  private func rows(_ statement: Statement) throws(CookieStoreError) -> [CookieRow] {
    var rows: [CookieRow] = []
    try read(statement) { rows.append($0) }
    return rows.sorted { $0.precedes($1) }
  }

  /// Reads the rows that a bound statement gives, with the accesses that wait.
  private func read(
    _ statement: Statement, _ body: (CookieRow) -> Void
  ) throws(CookieStoreError) {
    try read(statement, domain: nil) { row in
      var row = row
      row.cookie.lastAccess = buffer.lastAccess(of: row)
      body(row)
    }
  }

  /// Reads the rows that a bound statement gives, as they stand in the file.
  private func read(
    _ statement: Statement, domain: String?, _ body: (CookieRow) -> Void
  ) throws(CookieStoreError) {
    defer { statement.reset() }
    var code = statement.step()
    while code == SQLITE_ROW {
      guard let row = CookieRow(statement, domain: domain) else {
        throw connection.corrupt("a row of cookies holds what no cookie can")
      }
      body(row)
      code = statement.step()
    }
    try connection.check(code)
  }
}

// MARK: - Transactions

extension CookieTable {
  /// Writes in one transaction, and tells what has changed when it is committed.
  private func write<Result>(
    _ body: (inout Tally) throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    effects = Effects()
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
    for change in effects.changes { onChange(change) }
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
