import CSQLite
import CookiePort
import CookieSQLiteAdapter
import CookieTestSupport
import Foundation
import Testing

extension CookieRequest {
  /// Creates a secure same-site request.
  static func to(_ host: String = "example.com", path: String = "/") throws -> CookieRequest {
    try CookieRequest(isSecure: true, host: host, path: path)
  }
}

extension TemporaryDirectory {
  // MARK: Stores

  /// Opens the store in the directory, without a limit per domain.
  func open(
    _ name: String = "cookies.db", waiting time: Duration = .seconds(5),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> SQLiteCookieStore {
    try SQLiteCookieStore(
      path: file(name), policy: CookiePolicy(limits: .init(perDomain: .max)), busyTimeout: time,
      now: now)
  }

  /// Creates the file of a closed store and returns its cookies, earliest creation first.
  ///
  /// The cookie `name3` belongs to `host3.example.com`. A third of the cookies are `Secure`. Each value
  /// begins with the cookie's number in angle brackets, by which ``DatabaseBytes`` finds it.
  @discardableResult
  func makeStore(
    of count: Int = 200, pageSize: Int = 4096, now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> [Cookie] {
    try removeFiles()
    try execute("PRAGMA page_size = \(pageSize); VACUUM")
    let cookies = (0..<count).map { number in
      Cookie(
        name: "name\(number)", value: "<\(number)>" + String(repeating: "v", count: 20),
        domain: "host\(number % 10).example.com", isHostOnly: number.isMultiple(of: 2),
        expires: number.isMultiple(of: 7) ? nil : .distantFuture,
        isSecure: number.isMultiple(of: 3), isHTTPOnly: number.isMultiple(of: 5),
        // Only Secure cookies may have SameSite=None.
        sameSite: [.none, .lax, .strict, .unspecified, .lax, .strict][number % 6],
        // Each instant occurs twice, so that the order among equals counts.
        creation: Date(timeIntervalSinceReferenceDate: Double(number / 2)))
    }
    let store = try open(now: now)
    defer { store.close() }
    try store.restore(cookies)
    return try store.all()
  }

  /// Opens the store and returns its cookies.
  func cookies(_ name: String = "cookies.db") throws -> [Cookie] {
    let store = try open(name)
    defer { store.close() }
    return try store.all()
  }

  // MARK: Files

  func removeFiles() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.removeItem(atPath: file(name))
    }
  }

  /// Returns the permissions of a file, or `nil` if there is none.
  func mode(_ name: String = "cookies.db") -> Int? {
    try? FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
  }

  /// Changes the file by SQL, as another program could, and returns the first column of each row.
  @discardableResult
  func execute(_ sql: String, in name: String = "cookies.db") throws -> [String] {
    try execute(sql, in: name) { $0 }
  }

  /// Runs SQL, and calls a closure with the result before the database is closed.
  func execute<Result>(
    _ sql: String, in name: String = "cookies.db", _ body: ([String]) throws -> Result
  ) throws -> Result {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    try #require(sqlite3_open(file(name), &database) == SQLITE_OK)
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

  /// Runs SQL while a table has no NOT NULL constraints.
  func executeAllowingNull(in table: String, _ sql: String) throws {
    try execute(
      """
      CREATE TEMP TABLE kept AS SELECT name, sql FROM main.sqlite_schema WHERE name = '\(table)';
      PRAGMA writable_schema = ON;
      UPDATE main.sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = '\(table)';
      PRAGMA writable_schema = RESET;
      \(sql);
      PRAGMA writable_schema = ON;
      UPDATE main.sqlite_schema SET sql = (SELECT sql FROM kept) WHERE name = '\(table)';
      """)
  }

  // MARK: Checks

  /// Expects a call to fail with a kind, the path and a detail, and to leave every file as it is.
  func expectFailure(
    _ kind: CookieStorageFailure.Kind, of what: String = "", at path: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ call: () throws -> Void
  ) throws {
    let before = try contents()
    var found: CookieStorageFailure?
    do {
      try call()
    } catch CookieStoreError.storage(let failure) {
      found = failure
    }
    let what = Comment(rawValue: what)
    #expect(found?.kind == kind, what, sourceLocation: sourceLocation)
    #expect(found?.subject == path ?? file(), what, sourceLocation: sourceLocation)
    #expect(found?.detail.isEmpty == (kind == .closed), what, sourceLocation: sourceLocation)
    #expect(try contents() == before, what, sourceLocation: sourceLocation)
  }

  /// Expects opening and salvaging the file to fail with a kind, and to leave every file as it is.
  func expectRefusal(
    _ kind: CookieStorageFailure.Kind, of what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectFailure(kind, of: "opening \(what)", sourceLocation: sourceLocation) {
      _ = try open()
    }
    try expectFailure(kind, of: "salvaging \(what)", sourceLocation: sourceLocation) {
      _ = try SQLiteCookieStore.salvage(path: file())
    }
  }

  /// Expects a call to fail because of another program's lock, no sooner than the timeout.
  func expectBusy(
    after timeout: Duration, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Void
  ) throws {
    let time = try ContinuousClock().measure {
      try expectFailure(.busy, sourceLocation: sourceLocation, call)
    }
    #expect(time >= timeout, sourceLocation: sourceLocation)
    #expect(time < timeout + .seconds(20), sourceLocation: sourceLocation)
  }
}

/// Returns the kind of the storage failure that a closure throws, or `nil` if it throws nothing.
func failureKind(_ body: () throws -> Void) -> CookieStorageFailure.Kind? {
  storageFailure(body)?.kind
}

/// Returns the storage failure that a closure throws, or `nil` if it throws nothing.
func storageFailure(_ body: () throws -> Void) -> CookieStorageFailure? {
  do {
    try body()
    return nil
  } catch CookieStoreError.storage(let failure) {
    return failure
  } catch {
    Issue.record("expected a storage failure, got \(error)")
    return nil
  }
}

/// The bytes of a database file, and their damage.
///
/// Source: <https://www.sqlite.org/fileformat2.html>.
struct DatabaseBytes {
  private(set) var bytes: [UInt8]

  /// Reads the file of a directory.
  init(_ directory: TemporaryDirectory) throws {
    bytes = Array(try Data(contentsOf: URL(filePath: directory.file())))
  }

  var pageSize: Int { Int(bytes[16]) << 8 | Int(bytes[17]) }

  var pages: ClosedRange<Int> { 1...bytes.count / pageSize }

  /// The leaf pages of the cookie table, each with the numbers of its cookies.
  var leaves: [Int: Set<Int>] {
    var leaves: [Int: Set<Int>] = [:]
    for (start, byte) in bytes.enumerated() where byte == UInt8(ascii: "<") {
      let text = String(decoding: bytes[(start + 1)...].prefix { $0 != 0x3e }, as: UTF8.self)
      let page = start / pageSize + 1
      guard let number = Int(text), bytes[self.start(of: page)] == 10 else { continue }
      leaves[page, default: []].insert(number)
    }
    return leaves
  }

  /// A big-endian number.
  func number(at offset: Int, count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The offset of a page's first byte behind the header of the file.
  func start(of page: Int) -> Int { (page - 1) * pageSize + (page == 1 ? 100 : 0) }

  /// Overwrites bytes.
  func overwriting(
    _ offset: Int, with new: [UInt8] = Array(repeating: 0xff, count: 64)
  ) -> DatabaseBytes {
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

  /// Makes this the only file of a directory.
  func write(_ directory: TemporaryDirectory) throws {
    try directory.removeFiles()
    try Data(bytes).write(to: URL(filePath: directory.file()))
  }
}
