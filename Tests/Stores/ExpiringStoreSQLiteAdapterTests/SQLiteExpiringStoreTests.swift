import CSQLite
import ExpiringStorePort
import Foundation
import ManualClocks
import Testing

@testable import ExpiringStoreSQLiteAdapter

/// The file. The contract checks the rest.
@Suite struct SQLiteExpiringStoreTests {
  /// A folder that is removed with the value.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
    var file: String { url.appending(path: "values.sqlite").path }

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  @Test func `many stores open and use one new file at the same time`() async throws {
    let folder = try Folder()
    let file = folder.file
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in UInt8(0)..<16 {
        group.addTask {
          let store = try SQLiteExpiringStore(path: file, busyTimeout: .seconds(60))
          for count in UInt8(0)..<5 {
            try await store.set("\(number)", to: [count], lasting: .seconds(3600))
          }
        }
      }
      try await group.waitForAll()
    }
    let store = try SQLiteExpiringStore(path: file)
    for number in 0..<16 { #expect(try await store.value(of: "\(number)") == [4]) }
  }

  @Test func `a file with other contents is an error, and stays as it is`() throws {
    let folder = try Folder()
    let text = Data(repeating: 7, count: 5_000)
    try text.write(to: URL(filePath: folder.file))
    let error = #expect(throws: ExpiringStoreError.self) {
      _ = try SQLiteExpiringStore(path: folder.file)
    }
    #expect("\(try #require(error))".contains("not a database"))
    #expect(try Data(contentsOf: URL(filePath: folder.file)) == text)
  }

  @Test func `a table of another program with the name is an error`() throws {
    let folder = try Folder()
    try Connection(folder.file).run("CREATE TABLE expiring_values (a)")
    let error = #expect(throws: ExpiringStoreError.self) {
      _ = try SQLiteExpiringStore(path: folder.file)
    }
    #expect("\(try #require(error))".contains("no such column"))
  }

  @Test(arguments: ["missing/values.sqlite", "a\0b", ""])
  func `a path that cannot be opened is an error`(_ name: String) throws {
    let folder = try Folder()
    let path = name.isEmpty ? folder.url.path : folder.url.path + "/" + name
    let error = #expect(throws: ExpiringStoreError.self) { _ = try SQLiteExpiringStore(path: path) }
    let text = "\(try #require(error))"
    #expect(text.contains("unable to open database file") || text.contains("NUL"))
  }

  @Test func `a call waits for another program that writes, and for no longer than it may`()
    async throws
  {
    let folder = try Folder()
    let (calls, call) = AsyncStream.makeStream(of: Void.self)
    let patient = try SQLiteExpiringStore(path: folder.file, busyTimeout: .seconds(600)) {
      // A call asks for the time just before it asks for the file.
      call.yield()
      return StoreTime.system()
    }
    #expect(patient.maximumValueSize == 8_388_608)
    let hasty = try SQLiteExpiringStore(path: folder.file, busyTimeout: .milliseconds(50))
    let other = try Connection(folder.file)
    other.run("BEGIN IMMEDIATE")
    let start = ContinuousClock.now
    for call in [
      { try await hasty.set("key", to: [1], lasting: nil) }, { try await hasty.remove("key") },
    ] {
      let error = await #expect(throws: ExpiringStoreError.self) { try await call() }
      #expect("\(try #require(error))".contains("locked"))
    }
    #expect(ContinuousClock.now - start > .milliseconds(40))
    async let write: Void = patient.set("key", to: [2], lasting: nil)
    for await _ in calls { break }
    other.run("COMMIT")
    try await write
    #expect(try await hasty.value(of: "key") == [2])
  }

  @Test func `a commit does not wait for the disk, and other programs are waited for`() throws {
    let folder = try Folder()
    for (timeout, milliseconds): (Duration?, Int) in [
      (nil, 5_000), (.seconds(2_000_000), 2_000_000_000), (.seconds(2_200_000), 2_147_483_647),
    ] {
      let store =
        try timeout.map { try SQLiteExpiringStore(path: folder.file, busyTimeout: $0) }
        ?? SQLiteExpiringStore(path: folder.file)
      // 1 is NORMAL.
      for (name, expected) in [("synchronous", 1), ("busy_timeout", milliseconds)] {
        var value: Int?
        try store.database.withLock { database in
          try database.run("PRAGMA \(name)") { value = Int(sqlite3_column_int64($0, 0)) }
        }
        #expect(value == expected, "\(name)")
      }
    }
  }

  @Test func `the file has a write-ahead log while it is open, and an index of ends`() async throws
  {
    let folder = try Folder()
    do {
      let store = try SQLiteExpiringStore(path: folder.file)
      try await store.set("key", to: [1], lasting: nil)
      #expect(FileManager.default.fileExists(atPath: folder.file + "-wal"))
    }
    // SQLite removes it with the last connection.
    #expect(!FileManager.default.fileExists(atPath: folder.file + "-wal"))
    let other = try Connection(folder.file)
    #expect(
      other.number("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql <> ''") == 1)
  }

  @Test func `values and lifetimes outlive the store, and expired values leave the file`()
    async throws
  {
    let folder = try Folder()
    let clock = ManualClock()
    func open() throws -> SQLiteExpiringStore {
      try SQLiteExpiringStore(path: folder.file, now: { .seconds(1_000) + clock.now.offset })
    }
    for number in 0..<40 {
      try await open().set("short \(number)", to: [1], lasting: .seconds(1))
    }
    try await open().set("long", to: [2], lasting: .seconds(100))
    #expect(try Connection(folder.file).number("SELECT count(*) FROM expiring_values") == 41)
    clock.advance(by: .seconds(1))
    #expect(try await open().value(of: "short 0") == nil)
    #expect(try await open().value(of: "long") == [2])
    let store = try open()
    for _ in 0..<20 { try await store.set("long", to: [3], lasting: nil) }
    #expect(try Connection(folder.file).number("SELECT count(*) FROM expiring_values") == 1)
  }

  @Test func `a value of the longest size is stored, and a limit above SQLite's is lowered`()
    async throws
  {
    let folder = try Folder()
    let store = try SQLiteExpiringStore(path: folder.file, maximumValueSize: .max)
    #expect(store.maximumValueSize == 1 << 30)
    let value = [UInt8](repeating: 9, count: 20 << 20)
    try await store.set("key", to: value, lasting: nil)
    #expect(try await store.value(of: "key") == value)
  }
}

/// Another user of a file.
private final class Connection {
  private var connection: OpaquePointer?

  init(_ file: String) throws { try #require(sqlite3_open(file, &connection) == SQLITE_OK) }

  deinit { sqlite3_close(connection) }

  func run(_ sql: String) { #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK) }

  func number(_ sql: String) -> Int {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : -1
  }
}
