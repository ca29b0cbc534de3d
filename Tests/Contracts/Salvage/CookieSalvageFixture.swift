import CSQLite
import ContractTesting
import CookiePort
import CookieSQLiteAdapter
import Foundation
import Testing

/// A repair of damaged cookie files under test.
///
/// What is left of a file is known from outside: the value of each cookie has a marker, and the file's bytes
/// say on which page it is.
struct CookieSalvageFixture: Sendable {
  /// The file.
  let file: URL

  /// How a store is opened or repaired.
  struct Opening: Sendable {
    var path: String
    /// How long to wait for the locks of others.
    var timeout = Duration.seconds(5)
    var now: @Sendable () -> Date = { Date() }

    /// Opens a store as it is meant to be.
    func store() throws -> SQLiteCookieStore {
      try SQLiteCookieStore(
        path: path, policy: CookiePolicy(limits: .init(perDomain: .max)), busyTimeout: timeout,
        now: now)
    }
  }

  /// Repairs a file.
  let salvaging: @Sendable (Opening) throws -> CookieSalvage

  /// Deletes all cookies of an open store, whose file may be damaged.
  let clear: @Sendable (SQLiteCookieStore) throws -> Void

  /// Closes a store, whose file may be damaged.
  let close: @Sendable (SQLiteCookieStore) -> Void

  /// Opens a store.
  let opening: @Sendable (Opening) throws -> SQLiteCookieStore

  /// Creates a fixture with a file in a temporary folder.
  init(
    in scope: FixtureScope,
    salvaging: @escaping @Sendable (Opening) throws -> CookieSalvage = {
      try SQLiteCookieStore.salvage(path: $0.path, busyTimeout: $0.timeout)
    },
    clearing clear: @escaping @Sendable (SQLiteCookieStore) throws -> Void = { try $0.clear() },
    closing close: @escaping @Sendable (SQLiteCookieStore) -> Void = { $0.close() },
    opening: @escaping @Sendable (Opening) throws -> SQLiteCookieStore = { try $0.store() }
  ) throws {
    let file = try scope.temporaryDirectory().appending(path: "cookies.sqlite")
    scope.witnessDatabase(file)
    self.init(file: file, salvaging: salvaging, clear: clear, close: close, opening: opening)
  }

  /// The fixture with another repair.
  func salvaging(
    _ salvage: @escaping @Sendable (CookieSalvageFixture) throws -> CookieSalvage
  ) -> CookieSalvageFixture {
    CookieSalvageFixture(
      file: file, salvaging: { _ in try salvage(self) }, clear: clear, close: close,
      opening: opening)
  }

  private init(
    file: URL, salvaging: @escaping @Sendable (Opening) throws -> CookieSalvage,
    clear: @escaping @Sendable (SQLiteCookieStore) throws -> Void,
    close: @escaping @Sendable (SQLiteCookieStore) -> Void,
    opening: @escaping @Sendable (Opening) throws -> SQLiteCookieStore
  ) {
    self.file = file
    self.salvaging = salvaging
    self.clear = clear
    self.close = close
    self.opening = opening
  }

  // MARK: Files

  /// Creates the file of a closed store; returns its cookies, earliest creation first.
  ///
  /// The smallest pages have about five cookies each.
  func fill(_ count: Int, length: Int = 20, pageSize: Int = 512) throws -> [Cookie] {
    try removeFiles()
    try execute("PRAGMA page_size = \(pageSize); VACUUM")
    let cookies = (0..<count).map { number in
      Cookie(
        name: "name\(number)", value: "<\(number)>" + String(repeating: "v", count: length),
        domain: "host\(number % 10).example.com", isHostOnly: number.isMultiple(of: 2),
        expires: number.isMultiple(of: 7) ? nil : .distantFuture,
        isSecure: number.isMultiple(of: 3), isHTTPOnly: number.isMultiple(of: 5),
        // Only Secure cookies may have SameSite=None.
        sameSite: [.none, .lax, .strict, .unspecified, .lax, .strict][number % 6],
        // Each instant occurs twice, so that the order among equals counts.
        creation: Date(timeIntervalSinceReferenceDate: Double(number / 2)))
    }
    let store = try open()
    try store.restore(cookies)
    let written = try store.all()
    store.close()
    checkEqual(written.map(\.name), cookies.map(\.name), "the cookies that were written")
    return written
  }

  /// Opens a store, which waits so long for the locks of others.
  func open(waiting time: Duration = .seconds(5)) throws -> SQLiteCookieStore {
    try opening(Opening(path: file.path, timeout: time))
  }

  /// Repairs the file.
  func salvage(waiting time: Duration = .seconds(5)) throws -> CookieSalvage {
    try salvaging(Opening(path: file.path, timeout: time))
  }

  /// The files of the folder, by name, but that of memory which SQLite's handles share.
  func contents() throws -> [String: Data] {
    let folder = file.deletingLastPathComponent()
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where !name.hasSuffix("-shm") {
      let path = folder.appending(path: name).path
      let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      contents[name] = type == .typeRegular ? try Data(contentsOf: URL(filePath: path)) : Data()
    }
    return contents
  }

  /// The permissions of a file, or `nil` if there is none.
  func mode(_ suffix: String = "") -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path + suffix)
    return attributes?[.posixPermissions] as? Int
  }

  /// Sets the permissions of a file.
  func setMode(_ mode: Int, _ suffix: String = "") throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: file.path + suffix)
  }

  /// Takes the file and its logs away.
  func removeFiles() throws {
    let folder = file.deletingLastPathComponent()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }

  /// The cookies of the file.
  func cookies() throws -> [Cookie] {
    let store = try open()
    defer { store.close() }
    return try store.all()
  }

  /// Runs SQL, as another program could; returns the first column of each row.
  @discardableResult
  func execute(_ sql: String) throws -> [String] {
    try execute(sql) { $0 }
  }

  /// Runs SQL, and calls a closure with what it returned before the database is closed.
  func execute<Result>(_ sql: String, _ body: ([String]) throws -> Result) throws -> Result {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    try #require(sqlite3_open(file.path, &database) == SQLITE_OK)
    var found: [String] = []
    let code = withUnsafeMutablePointer(to: &found) {
      sqlite3_exec(
        database, sql,
        { found, _, values, _ in
          let text = (values?[0]).map { String(cString: $0) } ?? ""
          found?.assumingMemoryBound(to: [String].self).pointee.append(text)
          return 0
        }, $0, nil)
    }
    try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database))): \(sql)")
    return try body(found)
  }

  /// Runs SQL that changes the table of cookies, while its columns may be NULL.
  func executeAllowingNull(_ sql: String) throws {
    try execute(
      """
      CREATE TEMP TABLE kept AS SELECT name, sql FROM main.sqlite_schema WHERE name = 'cookie';
      PRAGMA writable_schema = ON;
      UPDATE main.sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'cookie';
      PRAGMA writable_schema = RESET;
      \(sql);
      PRAGMA writable_schema = ON;
      UPDATE main.sqlite_schema SET sql = (SELECT sql FROM kept) WHERE name = 'cookie';
      """)
  }

  // MARK: Checks

  /// Repairs the file, and checks what is kept and that the file is a store of just that again.
  ///
  /// - Parameter what: What was done to the file, for messages.
  @discardableResult
  func expect(
    kept: [Cookie], _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CookieSalvage {
    let salvage = try salvage()
    check(
      Difference(of: salvage.kept, kept), "the list of cookies kept \(what)",
      sourceLocation: sourceLocation)
    check(
      Difference(of: try cookies(), kept), "the list of cookies in the repaired file \(what)",
      sourceLocation: sourceLocation)
    checkEqual(
      try execute("PRAGMA integrity_check; PRAGMA journal_mode"), ["ok", "wal"],
      "what SQLite says of integrity and journal of the repaired file \(what)",
      sourceLocation: sourceLocation)
    return salvage
  }

  /// Expects a call to fail, with the path, and to leave every file as it is.
  func expectRefusal(
    _ kind: CookieStorageFailure.Kind, of what: String, at path: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, by call: () throws -> Void
  ) throws {
    let before = try contents()
    var found: CookieStorageFailure?
    do {
      try call()
    } catch CookieStoreError.storage(let failure) {
      found = failure
    }
    checkEqual(found?.kind, kind, "the failure of \(what)", sourceLocation: sourceLocation)
    checkEqual(
      found?.subject, path ?? file.path, "the subject of the failure of \(what)",
      sourceLocation: sourceLocation)
    checkEqual(
      found?.detail.isEmpty, kind == .closed, "whether the failure of \(what) has no detail",
      sourceLocation: sourceLocation)
    checkEqual(
      try contents() == before, true, "whether \(what) leaves the files as they were",
      sourceLocation: sourceLocation)
  }

  private func check(
    _ difference: Difference, _ what: String, sourceLocation: SourceLocation
  ) {
    checkEqual(difference, Difference(), what, sourceLocation: sourceLocation)
  }
}

/// What distinguishes the cookies of a repaired file from those expected.
private struct Difference: Equatable, CustomTestStringConvertible {
  var lost: [String] = []
  var added: [String] = []
  var changed: [String] = []
  var isReordered = false

  init() {}

  init(of found: [Cookie], _ expected: [Cookie]) {
    if found == expected { return }
    let foundByName = Dictionary(grouping: found, by: \.name)
    let expectedByName = Dictionary(grouping: expected, by: \.name)
    lost = expected.map(\.name).filter { foundByName[$0] == nil }
    added = found.map(\.name).filter { expectedByName[$0] == nil }
    changed = expected.map(\.name)
      .filter { foundByName[$0] != nil && foundByName[$0] != expectedByName[$0] }
    isReordered = lost + added + changed == [] && found != expected
  }

  var testDescription: String {
    guard self != Difference() else { return "as expected" }
    return "without \(lost), with \(added) too, changed \(changed)"
      + (isReordered ? ", in another order" : "")
  }
}

/// The bytes of a database file, and their damage.
///
/// Source: <https://www.sqlite.org/fileformat2.html>.
struct DatabaseBytes {
  private(set) var bytes: [UInt8]
  let pageSize: Int

  /// The cookies by the page that has their marker.
  let cookies: [Int: [Cookie]]

  /// The offset of each marker.
  private let places: [String: Int]

  /// Reads a file.
  init(_ fixture: CookieSalvageFixture, having cookies: [Cookie]) throws {
    bytes = Array(try Data(contentsOf: fixture.file))
    // The bytes 16 and 17 of the header, in which 65,536 is written as 1.
    pageSize = bytes[17] == 1 ? 65_536 : Int(bytes[16]) << 8
    let byMarker = Dictionary(
      uniqueKeysWithValues: cookies.map { (String($0.value.prefix { $0 != "v" }), $0) })
    var places: [String: Int] = [:]
    for start in bytes.indices where bytes[start] == UInt8(ascii: "<") {
      let marker = bytes[start...].prefix(8).prefix { $0 != UInt8(ascii: "v") }
      places[String(decoding: marker, as: UTF8.self)] = start
    }
    self.places = places
    let size = pageSize
    self.cookies = Dictionary(grouping: byMarker.keys) { places[$0].map { $0 / size + 1 } ?? 0 }
      .mapValues { $0.compactMap { byMarker[$0] } }
  }

  var pages: ClosedRange<Int> { 1...bytes.count / pageSize }

  /// The pages that have at least so many cookies, and are (not) inner pages.
  func pages(having count: Int, areInner: Bool = false) -> [Int] {
    pages.filter { (cookies[$0]?.count ?? 0) >= count && (bytes[start(of: $0)] == 2) == areInner }
  }

  /// The offset of a page's first byte behind the header of the file.
  func start(of page: Int) -> Int { (page - 1) * pageSize + (page == 1 ? 100 : 0) }

  /// The offset of the cell that has a cookie.
  func cell(of cookie: Cookie, on page: Int) throws -> Int {
    let marker = try #require(places[String(cookie.value.prefix { $0 != "v" })])
    let pointers = start(of: page) + (bytes[start(of: page)] == 2 ? 12 : 8)
    let count = Int(bytes[start(of: page) + 3]) << 8 | Int(bytes[start(of: page) + 4])
    let cells = (0..<count).map { index in
      start(of: page)
        + (Int(bytes[pointers + 2 * index]) << 8 | Int(bytes[pointers + 2 * index + 1]))
    }
    return try #require(cells.filter { $0 < marker }.max())
  }

  /// Overwrites bytes.
  func overwriting(_ offset: Int, with new: [UInt8] = Array(repeating: 0xff, count: 64))
    -> DatabaseBytes
  {
    var copy = self
    copy.bytes.replaceSubrange(offset..<offset + new.count, with: new)
    return copy
  }

  /// The first bytes of the file.
  func prefix(_ length: Int) -> DatabaseBytes {
    var copy = self
    copy.bytes = Array(bytes.prefix(length))
    return copy
  }

  /// A number of four bytes.
  func number(at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Overwrites a number of four bytes.
  func settingNumber(at offset: Int, to value: Int) -> DatabaseBytes {
    overwriting(offset, with: (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) })
  }

  /// Replaces the file, and takes its logs away.
  func write(_ fixture: CookieSalvageFixture) throws {
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: fixture.file.path + suffix)
    }
    try Data(bytes).write(to: fixture.file)
  }
}
