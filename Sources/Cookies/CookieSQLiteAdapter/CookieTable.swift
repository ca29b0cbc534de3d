import CSQLite
import CookiePort
import Foundation

/// The cookies of an open file, with the store operations of RFC 6265bis.
///
/// Every write is one `BEGIN IMMEDIATE` transaction: it excludes other writers before it reads, so
/// that limits and order hold across handles and processes. Changes are published after the commit.
/// The type isn't thread-safe; the store's lock protects it.
final class CookieTable {
  private let connection: Connection
  private let policy: CookiePolicy
  private let broadcaster: CookieChangeBroadcaster
  private var buffer = AccessBuffer()
  private var effects = Effects()

  private let selectDomains: Statement
  private let selectIdentity: Statement
  private let selectSecure: Statement
  private let selectAll: Statement
  private let selectExpired: Statement
  private let selectSession: Statement
  private let selectEvictionOrderOfDomain: Statement
  private let selectEvictionOrder: Statement
  private let upsert: Statement
  private let update: Statement
  private let deleteRow: Statement
  private let countDomain: Statement
  private let selectTally: Statement
  private let updateTally: Statement
  private let updateAccess: Statement

  /// The effects of a transaction outside the file, which apply only if it is committed.
  private struct Effects {
    var changes: [CookieChange] = []
    /// The sequence numbers of cookies whose buffered access is obsolete.
    var accessed: [Int64] = []
    /// Whether the transaction has written the buffered accesses.
    var hasWrittenAccesses = false
  }

  /// - Parameters:
  ///   - connection: A connection to a file that ``Schema/prepare(_:)`` has checked.
  ///   - policy: The policy.
  ///   - broadcaster: Receives every change, in commit order.
  init(
    _ connection: Connection, policy: CookiePolicy, broadcaster: CookieChangeBroadcaster
  ) throws(CookieStoreError) {
    self.connection = connection
    self.policy = policy
    self.broadcaster = broadcaster
    let select = "SELECT \(CookieRow.columns()) FROM cookie "
    let key = "domain = ?1 AND path = ?2 AND name = ?3"
    selectDomains = try connection.prepare(
      (1...Self.domainsAtOnce).map {
        "SELECT \(CookieRow.columns(domain: "?\($0)")), \($0 - 1) FROM cookie WHERE domain = ?\($0)"
      }.joined(separator: " UNION ALL "))
    selectIdentity = try connection.prepare(select + "WHERE " + key)
    selectSecure = try connection.prepare(select + "WHERE name = ?1 AND secure")
    selectAll = try connection.prepare(select)
    selectExpired = try connection.prepare(select + "WHERE expires <= ?1")
    selectSession = try connection.prepare(select + "WHERE expires IS NULL")
    let leastRecentlyUsed = "last_access, creation, sequence LIMIT ?1"
    selectEvictionOrderOfDomain = try connection.prepare(
      select + "WHERE domain = ?2 ORDER BY secure, " + leastRecentlyUsed)
    selectEvictionOrder = try connection.prepare(select + "ORDER BY " + leastRecentlyUsed)
    let notIndexed = """
      value = ?5, expires = ?6, http_only = ?8, same_site = ?9, creation = ?10, last_access = ?11,
        sequence = ?12
      """
    upsert = try connection.prepare(
      """
      INSERT INTO cookie (\(CookieRow.columns()))
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      ON CONFLICT DO UPDATE SET secure = ?7, \(notIndexed)
      """)
    // Setting `secure` would write the index too, even if it is the same.
    update = try connection.prepare(
      "UPDATE cookie SET \(notIndexed) WHERE \(key) AND host_only = ?4")
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
      if policy.profile == .rfc6265bis, !policy.isSecure(request),
        try overlaysSecure(cookie, now: now)
      {
        throw .rejected(.overlaysSecure)
      }
      let old = try row(like: cookie.id, now: now, policy.isHostOnlyPartOfIdentity)
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
      let sequence = try newSequence(&tally)
      let change = try put(cookie, sequence: sequence, replacing: nil, &tally)
      try evictExcess(in: [cookie.domain], &tally)
      return change
    }
  }

  func cookies(for request: CookieRequest, now: Date) throws(CookieStoreError) -> [Cookie] {
    var found = HeaderOrder()
    // No other host receives a public suffix's cookies, and nearly every host's last parent is one.
    var domains = DomainMatch.domains(covering: request.host)
    domains.removeAll { $0.utf8.count < request.host.utf8.count && policy.isPublicSuffix($0) }
    // not mutated (comparison): a transaction around one statement changes no result.
    if domains.count <= Self.domainsAtOnce {
      // A single statement needs no transaction to read one snapshot.
      try find(domains[...], for: request, now: now, &found)
    } else {
      try connection.read { () throws(CookieStoreError) in
        var rest = domains[...]
        while !rest.isEmpty {
          try find(rest.prefix(Self.domainsAtOnce), for: request, now: now, &found)
          rest = rest.dropFirst(Self.domainsAtOnce)
        }
      }
    }
    found.addAccesses(to: &buffer, at: now)
    if buffer.isDue(now: now) { writeAccessesIfFree(now: now) }
    return found.sorted()
  }

  /// The number of domains that one statement looks up: a host seldom has more parents.
  // not mutated (number): it only decides how many statements a lookup needs.
  private static var domainsAtOnce: Int { 3 }

  /// Finds the cookies of some domains that a request carries.
  private func find(
    _ domains: ArraySlice<String>, for request: CookieRequest, now: Date,
    _ found: inout HeaderOrder
  ) throws(CookieStoreError) {
    lazy var isPublicSuffix = policy.isPublicSuffix(request.host)
    try selectDomains.withSuffixes(domains, of: request.host) { () throws(CookieStoreError) in
      defer { selectDomains.reset() }
      while try connection.hasRow(selectDomains) {
        guard let terms = CookieRow.Terms(selectDomains),
          let place = selectDomains.integer(CookieRow.columnCount)
        else { throw invalidRow(of: selectDomains) }
        let index = domains.startIndex + Int(place)
        // Another handle's policy may have stored a cookie for a whole public suffix.
        guard index == 0 ? terms.isHostOnly || !isPublicSuffix : !terms.isHostOnly else { continue }
        if let expires = terms.expires, expires <= now { continue }
        guard
          policy.sendsWithin(
            path: terms.path, isSecure: terms.isSecure, isHTTPOnly: terms.isHTTPOnly,
            sameSite: terms.sameSite, request)
        else { continue }
        guard let content = CookieRow.Content(selectDomains) else {
          throw invalidRow(of: selectDomains)
        }
        found.append(domains[index], terms, content, accessed: now)
      }
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
        let old = try row(like: cookie.id, now: now, policy.isHostOnlyPartOfIdentity)
        let sequence = try newSequence(&tally)
        _ = try put(cookie, sequence: sequence, replacing: old, &tally)
      }
      try evictExcess(in: Set(restored.map(\.domain)).sorted(), &tally)
    }
  }

  func delete(_ id: Cookie.ID, now: Date) throws(CookieStoreError) -> Bool {
    try write { tally throws(CookieStoreError) in
      guard let row = try row(like: id, now: now, true) else { return false }
      _ = try remove(row, .deleted, &tally)
      return true
    }
  }

  func deleteAll(under domain: String, now: Date) throws(CookieStoreError) -> Int {
    guard let scope = CookieScope(domain) else { return 0 }
    return try write { tally throws(CookieStoreError) in
      let found = try rows(selectAll).filter {
        !$0.cookie.hasExpired(now: now) && scope.contains($0.cookie)
      }
      for row in found { _ = try remove(row, .deleted, &tally) }
      return found.count
    }
  }

  /// Deletes every cookie without reading one, so that it works on a damaged file.
  func clear() throws(CookieStoreError) {
    effects = Effects()
    let last =
      "SELECT last_sequence FROM tally WHERE last_sequence < \(Tally.usableSequences.upperBound)"
    do throws(CookieStoreError) {
      try connection.write { () throws(CookieStoreError) in
        reportAllDeleted()
        try connection.execute(
          """
          DELETE FROM cookie;
          INSERT OR REPLACE INTO tally VALUES (1, 0, ifnull((\(last)), 0), NULL, NULL)
          """)
      }
    } catch {
      guard case .storage(let failure) = error, [.corrupt, .other].contains(failure.kind) else {
        throw error
      }
      try connection.replaceContents { _ in }
    }
    connection.setCheckpointsOnClose(true)
    buffer.removeAll()
    for change in effects.changes { broadcaster.send(change) }
  }

  /// Adds a change for each cookie that can be read, if anybody observes the changes.
  private func reportAllDeleted() {
    // not mutated (dropped-condition): it only saves reading what nobody hears of.
    guard broadcaster.hasSubscriptions else { return }
    for var row in RowRecovery(connection).rows {
      row.cookie.lastAccess = buffer.lastAccess(of: row)
      effects.changes.append(.removed(row.cookie, .deleted))
    }
  }

  /// Fills an empty table with what is left of a damaged one.
  ///
  /// - Parameters:
  ///   - found: The rows of the damaged file.
  ///   - copy: The path of the copy of the damaged file.
  func adopt(_ found: RowRecovery, copy: String) throws(CookieStoreError) -> CookieSalvage {
    let rows = found.rows
    let areUsable =
      Set(rows.map(\.sequence)).count == rows.count
      && rows.allSatisfy { Tally.usableSequences.contains($0.sequence) }
    try write { tally throws(CookieStoreError) in
      // Other handles have buffered accesses of sequence numbers that must not be assigned again.
      if let last = found.tally?.lastSequence, Tally.usableSequences.contains(last) {
        tally.lastSequence = last
      }
      for (index, row) in rows.enumerated() {
        let sequence = areUsable ? row.sequence : Int64(index)
        _ = try put(row.cookie, sequence: sequence, replacing: nil, &tally)
        tally.lastSequence = max(tally.lastSequence, sequence)
      }
    }
    let read = Int64(rows.count + found.dropped.count)
    return CookieSalvage(
      kept: rows.map(\.cookie), dropped: found.dropped,
      missing: found.metDamage ? found.tally.map { Int(max(0, $0.cookies - read)) } : 0,
      damagedCopy: copy)
  }

  func removeExpired(now: Date) throws(CookieStoreError) -> Int {
    try write { tally throws(CookieStoreError) in try removeExpired(&tally, now: now) }
  }

  func endSession() throws(CookieStoreError) {
    try write { tally throws(CookieStoreError) in
      for row in try rows(selectSession) { _ = try remove(row, .sessionEnded, &tally) }
    }
  }

  /// Writes the buffered last-access times.
  func writeAccesses() throws(CookieStoreError) {
    // not mutated (dropped-condition): it only saves a transaction that writes nothing.
    guard !buffer.isEmpty else { return }
    try write { _ throws(CookieStoreError) in try updateAccesses() }
  }

  /// Prevents closing the connection from changing the file and its log.
  func preserveFile() { connection.setCheckpointsOnClose(false) }

  /// Writes everything to the file and synchronizes it.
  func flush() throws(CookieStoreError) {
    try writeAccesses()
    try connection.checkpoint()
  }

  /// Tries to write the buffered last-access times without waiting; on failure they stay buffered.
  func writeAccessesIfFree(now: Date) {
    do throws(CookieStoreError) {
      try connection.withoutWaiting { () throws(CookieStoreError) in try writeAccesses() }
    } catch {
      buffer.postpone(now: now)
    }
  }
}

// MARK: - Rules that depend on the table

extension CookieTable {
  /// Whether an insecure cookie would overlay a `Secure` one of the same name
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

  /// Returns the unexpired cookie of an identity.
  ///
  /// - Parameter comparesHostOnly: Whether the host-only flag is part of the identity.
  private func row(
    like id: Cookie.ID, now: Date, _ comparesHostOnly: Bool
  ) throws(CookieStoreError) -> CookieRow? {
    bindKey(of: id, to: selectIdentity)
    var twin: CookieRow?
    defer { selectIdentity.reset() }
    while let row = try nextRow(of: selectIdentity) {
      if row.cookie.hasExpired(now: now) { continue }
      if row.cookie.isHostOnly == id.isHostOnly { return row }
      twin = row
    }
    return comparesHostOnly ? nil : twin
  }

  /// Returns the creation of a new cookie: `now`, or the latest creation in the table if it is
  /// later.
  private func nextCreation(_ tally: inout Tally, now: Date) throws(CookieStoreError) -> Date {
    // not mutated (dropped-condition): otherwise the latest creation is read, and it is not later.
    guard let latest = tally.latestCreation, now < latest else { return now }
    // The tally's latest creation is an upper bound: its cookie may have been removed.
    let left = try connection.row("SELECT max(creation) FROM cookie") { $0.optionalDate(0) }
    guard let latest = left ?? nil else { throw connection.corrupt("a creation is not a date") }
    // not mutated (removal): it only saves reading the latest creation again.
    tally.latestCreation = latest
    return max(now, latest ?? now)
  }

  private func newSequence(_ tally: inout Tally) throws(CookieStoreError) -> Int64 {
    guard tally.lastSequence != Tally.range.upperBound else {
      throw connection.corrupt("the last sequence number is \(tally.lastSequence)")
    }
    tally.lastSequence += 1
    return tally.lastSequence
  }

  /// Removes the expired cookies, if the tally says that there may be any.
  @discardableResult
  private func removeExpired(_ tally: inout Tally, now: Date) throws(CookieStoreError) -> Int {
    // not mutated (dropped-condition): it only saves looking for cookies that can't have expired.
    guard let earliest = tally.earliestExpiry, earliest <= now else { return 0 }
    selectExpired.bind(1, now)
    let expired = try rows(selectExpired)
    for row in expired { _ = try remove(row, .expired, &tally) }
    let left = try connection.row("SELECT min(expires) FROM cookie") { $0.optionalDate(0) }
    guard let next = left ?? nil else { throw connection.corrupt("an expiry is not a date") }
    // not mutated (removal): it only saves looking for expired cookies again.
    tally.earliestExpiry = next
    return expired.count
  }

  /// Evicts cookies above the limits in the order of RFC 6265bis §5.7.
  ///
  /// A domain above its limit loses cookies without `Secure` first, then others; then the whole
  /// table loses cookies above the total limit. The least recently used cookie goes first.
  private func evictExcess(
    in domains: [String], _ tally: inout Tally
  ) throws(CookieStoreError) {
    for domain in domains {
      countDomain.bind(1, domain)
      let count = try connection.integer(countDomain)
      selectEvictionOrderOfDomain.bind(2, domain)
      try evict(
        count - Int64(policy.limits.perDomain), by: selectEvictionOrderOfDomain, &tally)
    }
    try evict(tally.cookies - Int64(policy.limits.total), by: selectEvictionOrder, &tally)
  }

  private func evict(
    _ excess: Int64, by select: Statement, _ tally: inout Tally
  ) throws(CookieStoreError) {
    guard excess >= 1 else { return }
    // SQL orders by the last access in the file, so the buffered ones must be written first.
    try updateAccesses()
    select.bind(1, excess)
    for row in try rowsAsOrdered(select) { _ = try remove(row, .evicted, &tally) }
  }
}

// MARK: - Rows

extension CookieTable {
  /// Writes a cookie as a new row, or replaces an old one.
  private func put(
    _ cookie: Cookie, sequence: Int64, replacing old: CookieRow?, _ tally: inout Tally
  ) throws(CookieStoreError) -> CookieChange {
    if let sequence = old?.sequence {
      effects.accessed.append(sequence)
    } else {
      tally.cookies += 1
    }
    // In RFC 6265 the host-only flag isn't part of the identity, but it is part of the primary key.
    if let isHostOnly = old?.cookie.isHostOnly, isHostOnly != cookie.isHostOnly,
      let id = old?.cookie.id
    {
      try connection.check(delete(id))
    }
    tally.include(cookie)
    // not mutated (optional): an upsert has the same result, but also writes the indexes.
    let isSameRow = old?.cookie.id == cookie.id && old?.cookie.isSecure == cookie.isSecure
    let statement = isSameRow ? update : upsert
    bindKey(of: cookie.id, to: statement)
    statement.bind(4, cookie.isHostOnly)
    statement.bind(5, cookie.value)
    statement.bind(6, cookie.expires)
    statement.bind(7, cookie.isSecure)
    statement.bind(8, cookie.isHTTPOnly)
    statement.bind(9, cookie.sameSite.code)
    statement.bind(10, cookie.creation)
    statement.bind(11, cookie.lastAccess)
    statement.bind(12, sequence)
    try connection.check(statement.run())
    let change = CookieChange.stored(cookie, replacing: old?.cookie)
    effects.changes.append(change)
    return change
  }

  private func remove(
    _ row: CookieRow, _ cause: CookieChange.Cause, _ tally: inout Tally
  ) throws(CookieStoreError) -> CookieChange {
    try connection.check(delete(row.cookie.id))
    tally.cookies -= 1
    let change = CookieChange.removed(row.cookie, cause)
    effects.changes.append(change)
    return change
  }

  private func delete(_ id: Cookie.ID) -> Int32 {
    bindKey(of: id, to: deleteRow)
    deleteRow.bind(4, id.isHostOnly)
    return deleteRow.run()
  }

  /// Writes the buffered last-access times, at most once per transaction.
  private func updateAccesses() throws(CookieStoreError) {
    // not mutated (dropped-condition): it only saves reading rows that need no change.
    guard !effects.hasWrittenAccesses, !buffer.isEmpty else { return }
    // Reading every cookie at most every 30 s is cheaper than buffering the keys in each lookup.
    for row in try rows(selectAll) where row.cookie.lastAccess != row.storedAccess {
      bindKey(of: row.cookie.id, to: updateAccess)
      updateAccess.bind(4, row.cookie.isHostOnly)
      updateAccess.bind(5, row.cookie.lastAccess)
      try connection.check(updateAccess.run())
    }
    effects.hasWrittenAccesses = true
  }

  /// Binds the text columns of the key as parameters 1 to 3.
  private func bindKey(of id: Cookie.ID, to statement: Statement) {
    statement.bind(1, id.domain)
    statement.bind(2, id.path)
    statement.bind(3, id.name)
  }

  /// Returns the rows of a bound statement, earliest creation first.
  private func rows(_ statement: Statement) throws(CookieStoreError) -> [CookieRow] {
    try rowsAsOrdered(statement).sorted { $0.precedes($1) }
  }

  /// Returns the rows of a bound statement in the statement's order.
  private func rowsAsOrdered(_ statement: Statement) throws(CookieStoreError) -> [CookieRow] {
    defer { statement.reset() }
    var rows: [CookieRow] = []
    while let row = try nextRow(of: statement) { rows.append(row) }
    return rows
  }

  /// Returns the next row of a statement with its buffered last access, or `nil` at the end.
  private func nextRow(of statement: Statement) throws(CookieStoreError) -> CookieRow? {
    guard try connection.hasRow(statement) else { return nil }
    guard var row = CookieRow(statement) else { throw invalidRow(of: statement) }
    row.cookie.lastAccess = buffer.lastAccess(of: row)
    return row
  }

  @inline(never)
  private func invalidRow(of statement: Statement) -> CookieStoreError {
    connection.corrupt("a row is not a valid cookie: \(CookieSalvage.DroppedRow(statement))")
  }
}

// MARK: - Transactions

extension CookieTable {
  /// Runs a closure in a write transaction and publishes the changes after the commit.
  private func write<Result>(
    _ body: (inout Tally) throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    effects = Effects()
    let result = try connection.write { () throws(CookieStoreError) in
      let old = try tally()
      var tally = old
      let result = try body(&tally)
      // not mutated (dropped-condition): it only saves writing what is there.
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
    for sequence in effects.accessed { buffer.remove(sequence) }
    for change in effects.changes { broadcaster.send(change) }
    return result
  }

  private func tally() throws(CookieStoreError) -> Tally {
    defer { selectTally.reset() }
    try connection.check(selectTally.step())
    guard let tally = Tally(selectTally) else {
      throw connection.corrupt("the tally is invalid")
    }
    return tally
  }
}
