import CSQLite
import ExpiringStorePort
import ExpiringStoreSQLiteAdapter
import Foundation
import ManualClocks
import Testing

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
    var connection: OpaquePointer?
    try #require(sqlite3_open(folder.file, &connection) == SQLITE_OK)
    sqlite3_exec(connection, "CREATE TABLE expiring_values (a)", nil, nil, nil)
    sqlite3_close(connection)
    let error = #expect(throws: ExpiringStoreError.self) {
      _ = try SQLiteExpiringStore(path: folder.file)
    }
    #expect("\(try #require(error))".contains("no such column"))
  }

  @Test(arguments: ["missing/values.sqlite", "a\0b", ""])
  func `a path that cannot be opened is an error`(_ name: String) throws {
    let folder = try Folder()
    let path = name.isEmpty ? folder.url.path : folder.url.path + "/" + name
    #expect(throws: ExpiringStoreError.self) { _ = try SQLiteExpiringStore(path: path) }
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
    #expect(try count(in: folder.file) == 41)
    clock.advance(by: .seconds(1))
    #expect(try await open().value(of: "short 0") == nil)
    #expect(try await open().value(of: "long") == [2])
    let store = try open()
    for _ in 0..<20 { try await store.set("long", to: [3], lasting: nil) }
    #expect(try count(in: folder.file) == 1)
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

  private func count(in file: String) throws -> Int {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    try #require(sqlite3_open(file, &connection) == SQLITE_OK)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = "SELECT count(*) FROM expiring_values"
    try #require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK)
    try #require(sqlite3_step(statement) == SQLITE_ROW)
    return Int(sqlite3_column_int64(statement, 0))
  }
}
