import Foundation
import Synchronization

// Stores of other projects, called by the symbols of their shared libraries, so that the tests build
// without their headers. Each keeps the notes as keys and values.

/// A shared library that may be installed.
struct SharedLibrary: @unchecked Sendable {
  // The handle is never closed, and dlsym(3) may be called by any thread.
  private let handle: UnsafeMutableRawPointer

  init?(_ name: String) {
    guard let handle = dlopen(name, RTLD_NOW) else { return nil }
    self.handle = handle
  }

  /// A function of the library, by its C type.
  func callAsFunction<Function>(_ name: String, _ type: Function.Type) throws -> Function {
    guard let symbol = dlsym(handle, name) else { throw ForeignError("no function \(name)") }
    return unsafeBitCast(symbol, to: type)
  }
}

struct ForeignError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

private typealias Pointer = OpaquePointer

/// LMDB: each change is one transaction.
final class LMDBStore: NoteStore {
  static let library = SharedLibrary("liblmdb.so.0")

  /// What a commit does besides writing; see mdb_env_open of lmdb.h.
  enum Mode: UInt32, Sendable {
    case durable = 0
    /// MDB_NOMETASYNC: a crash may undo the last commit.
    case withoutMetaSync = 0x40000
    /// MDB_NOSYNC: a crash may corrupt the database.
    case withoutSync = 0x10000
  }

  private struct Value {
    var count = 0
    var bytes: UnsafeMutableRawPointer?
  }

  private typealias Open = @convention(c) (Pointer, UnsafePointer<CChar>, UInt32, UInt32) -> Int32
  private typealias Close = @convention(c) (Pointer?) -> Void
  private typealias Create = @convention(c) (UnsafeMutablePointer<Pointer?>) -> Int32
  private typealias Begin =
    @convention(c) (Pointer, Pointer?, UInt32, UnsafeMutablePointer<Pointer?>) -> Int32
  private typealias OpenTable =
    @convention(c) (Pointer, UnsafePointer<CChar>?, UInt32, UnsafeMutablePointer<UInt32>) -> Int32
  private typealias Put =
    @convention(c) (Pointer, UInt32, UnsafeMutableRawPointer, UnsafeMutableRawPointer?, UInt32) ->
    Int32
  private typealias Delete =
    @convention(c) (Pointer, UInt32, UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Int32
  private typealias End = @convention(c) (Pointer) -> Int32
  private typealias OpenCursor =
    @convention(c) (Pointer, UInt32, UnsafeMutablePointer<Pointer?>) -> Int32
  private typealias Get =
    @convention(c) (Pointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, UInt32) -> Int32
  private typealias Message = @convention(c) (Int32) -> UnsafePointer<CChar>

  private let library: SharedLibrary
  // LMDB's environment may be used by any thread; a transaction begins and ends within one call.
  nonisolated(unsafe) private let environment: OpaquePointer

  init(in folder: URL, _ mode: Mode = .durable) throws {
    guard let library = Self.library else { throw ForeignError("install liblmdb0") }
    self.library = library
    var environment: OpaquePointer?
    _ = try library("mdb_env_create", Create.self)(&environment)
    guard let environment else { throw ForeignError("no memory") }
    self.environment = environment
    do {
      try check(
        try library("mdb_env_open", Open.self)(environment, folder.path, mode.rawValue, 0o600))
      // LMDB leaves the name of its file to the caller.
      try Disk(folder.path).synchronize()
    } catch {
      close()
      throw error
    }
  }

  func close() { try? library("mdb_env_close", Close.self)(environment) }

  private func check(_ code: Int32) throws {
    guard code != 0 else { return }
    throw ForeignError(String(cString: try library("mdb_strerror", Message.self)(code)))
  }

  /// Calls a closure with a transaction and the table, and commits.
  private func transaction(
    readsOnly: Bool = false, _ body: (OpaquePointer, UInt32) throws -> Void
  ) throws {
    var transaction: OpaquePointer?
    var table: UInt32 = 0
    let flags: UInt32 = readsOnly ? 0x20000 : 0
    try check(library("mdb_txn_begin", Begin.self)(environment, nil, flags, &transaction))
    guard let transaction else { throw ForeignError("no transaction") }
    do {
      try check(library("mdb_dbi_open", OpenTable.self)(transaction, nil, 0, &table))
      try body(transaction, table)
    } catch {
      try library("mdb_txn_abort", Close.self)(transaction)
      throw error
    }
    try check(library("mdb_txn_commit", End.self)(transaction))
  }

  func notes() throws -> [String: String] {
    var notes: [String: String] = [:]
    try transaction(readsOnly: true) { transaction, table in
      var cursor: OpaquePointer?
      try check(library("mdb_cursor_open", OpenCursor.self)(transaction, table, &cursor))
      guard let cursor else { throw ForeignError("no cursor") }
      defer { try? library("mdb_cursor_close", Close.self)(cursor) }
      let get = try library("mdb_cursor_get", Get.self)
      var (key, value) = (Value(), Value())
      // MDB_NEXT
      var code = get(cursor, &key, &value, 8)
      while code == 0 {
        notes[Self.text(key)] = Self.text(value)
        code = get(cursor, &key, &value, 8)
      }
      // MDB_NOTFOUND
      if code != -30_798 { try check(code) }
    }
    return notes
  }

  private static func text(_ value: Value) -> String {
    String(decoding: UnsafeRawBufferPointer(start: value.bytes, count: value.count), as: UTF8.self)
  }

  func change(_ body: (inout [String: String]) -> Void) throws {
    let old = try notes()
    var new = old
    body(&new)
    guard new != old else { return }
    try transaction { transaction, table in
      for name in Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
        var (key, text) = (Array(name.utf8), Array((new[name] ?? "").utf8))
        try key.withUnsafeMutableBytes { key in
          try text.withUnsafeMutableBytes { text in
            var key = Value(count: key.count, bytes: key.baseAddress)
            var value = Value(count: text.count, bytes: text.baseAddress)
            if new[name] == nil {
              try check(library("mdb_del", Delete.self)(transaction, table, &key, nil))
            } else {
              try check(library("mdb_put", Put.self)(transaction, table, &key, &value, 0))
            }
          }
        }
      }
    }
  }
}

/// LevelDB: each change is one batch.
final class LevelDBStore: NoteStore {
  static let library = SharedLibrary("libleveldb.so.1d")

  private typealias Make = @convention(c) () -> Pointer
  private typealias Close = @convention(c) (Pointer?) -> Void
  private typealias Set = @convention(c) (Pointer, UInt8) -> Void
  private typealias Failure = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private typealias Open = @convention(c) (Pointer, UnsafePointer<CChar>, Failure) -> Pointer?
  private typealias Put =
    @convention(c) (Pointer, UnsafePointer<UInt8>, Int, UnsafePointer<UInt8>, Int) -> Void
  private typealias Delete = @convention(c) (Pointer, UnsafePointer<UInt8>, Int) -> Void
  private typealias Write = @convention(c) (Pointer, Pointer, Pointer, Failure) -> Void
  private typealias Iterate = @convention(c) (Pointer, Pointer) -> Pointer
  private typealias IsValid = @convention(c) (Pointer) -> UInt8
  private typealias Read =
    @convention(c) (Pointer, UnsafeMutablePointer<Int>) -> UnsafePointer<UInt8>?

  private let library: SharedLibrary
  private let synchronizes: Bool
  // LevelDB's database may be used by any thread; see its documentation, Concurrency.
  nonisolated(unsafe) private let database: OpaquePointer

  init(in folder: URL, synchronizes: Bool) throws {
    guard let library = Self.library else { throw ForeignError("install libleveldb1d") }
    (self.library, self.synchronizes) = (library, synchronizes)
    let options = try library("leveldb_options_create", Make.self)()
    defer { try? library("leveldb_options_destroy", Close.self)(options) }
    try library("leveldb_options_set_create_if_missing", Set.self)(options, 1)
    try library("leveldb_options_set_paranoid_checks", Set.self)(options, 0)
    var failure: UnsafeMutablePointer<CChar>?
    let database = try library("leveldb_open", Open.self)(options, folder.path + "/db", &failure)
    try Self.check(failure)
    guard let database else { throw ForeignError("no database") }
    self.database = database
    // LevelDB leaves the name of its folder to the caller.
    try Disk(folder.path).synchronize()
  }

  func close() { try? library("leveldb_close", Close.self)(database) }

  private static func check(_ failure: UnsafeMutablePointer<CChar>?) throws {
    guard let failure else { return }
    defer { free(failure) }
    throw ForeignError(String(cString: failure))
  }

  func notes() throws -> [String: String] {
    let options = try library("leveldb_readoptions_create", Make.self)()
    defer { try? library("leveldb_readoptions_destroy", Close.self)(options) }
    let iterator = try library("leveldb_create_iterator", Iterate.self)(database, options)
    defer { try? library("leveldb_iter_destroy", Close.self)(iterator) }
    func text(_ function: String) throws -> String {
      var count = 0
      let start = try library(function, Read.self)(iterator, &count)
      return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
    var notes: [String: String] = [:]
    try library("leveldb_iter_seek_to_first", Close.self)(iterator)
    while try library("leveldb_iter_valid", IsValid.self)(iterator) != 0 {
      notes[try text("leveldb_iter_key")] = try text("leveldb_iter_value")
      try library("leveldb_iter_next", Close.self)(iterator)
    }
    return notes
  }

  func change(_ body: (inout [String: String]) -> Void) throws {
    let old = try notes()
    var new = old
    body(&new)
    guard new != old else { return }
    let batch = try library("leveldb_writebatch_create", Make.self)()
    defer { try? library("leveldb_writebatch_destroy", Close.self)(batch) }
    for name in Swift.Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
      let key = Array(name.utf8)
      if let text = new[name].map({ Array($0.utf8) }) {
        try library("leveldb_writebatch_put", Put.self)(batch, key, key.count, text, text.count)
      } else {
        try library("leveldb_writebatch_delete", Delete.self)(batch, key, key.count)
      }
    }
    let options = try library("leveldb_writeoptions_create", Make.self)()
    defer { try? library("leveldb_writeoptions_destroy", Close.self)(options) }
    try library("leveldb_writeoptions_set_sync", Set.self)(options, synchronizes ? 1 : 0)
    var failure: UnsafeMutablePointer<CChar>?
    try library("leveldb_write", Write.self)(database, options, batch, &failure)
    try Self.check(failure)
  }
}

/// SQLite: each change is one transaction.
final class SQLiteNoteStore: NoteStore {
  static let library = SharedLibrary("libsqlite3.so.0")

  private typealias Open =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Pointer?>) -> Int32
  private typealias Close = @convention(c) (Pointer?) -> Int32
  private typealias Row =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32
  private typealias Execute =
    @convention(c) (
      Pointer, UnsafePointer<CChar>, Row?, UnsafeMutableRawPointer?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32

  private let library: SharedLibrary
  // The library is built with SQLITE_THREADSAFE, and the connection is used by one thread at a time.
  nonisolated(unsafe) private let connection: OpaquePointer

  /// - Parameters:
  ///   - journal: The mode of the journal: `delete`, `truncate`, `persist`, `wal`.
  ///   - synchronous: The level of synchronization: `off`, `normal`, `full`, `extra`.
  init(in folder: URL, journal: String, synchronous: String) throws {
    guard let library = Self.library else { throw ForeignError("install libsqlite3-0") }
    self.library = library
    var connection: OpaquePointer?
    _ = try library("sqlite3_open", Open.self)(folder.path + "/notes.db", &connection)
    guard let connection else { throw ForeignError("no memory") }
    self.connection = connection
    do {
      _ = try execute("pragma journal_mode=\(journal)")
      _ = try execute("pragma synchronous=\(synchronous)")
      _ = try execute("create table if not exists notes(name text primary key, text text)")
    } catch {
      close()
      throw error
    }
  }

  func close() { _ = try? library("sqlite3_close", Close.self)(connection) }

  private final class Rows { var all: [[String]] = [] }

  private func execute(_ statement: String) throws -> [[String]] {
    let rows = Rows()
    var message: UnsafeMutablePointer<CChar>?
    let code = try library("sqlite3_exec", Execute.self)(
      connection, statement,
      { context, count, values, _ in
        guard let context, let values else { return 1 }
        Unmanaged<Rows>.fromOpaque(context).takeUnretainedValue().all.append(
          (0..<Int(count)).map { values[$0].map { String(cString: $0) } ?? "" })
        return 0
      }, Unmanaged.passUnretained(rows).toOpaque(), &message)
    guard code == 0 else {
      throw ForeignError(message.map { String(cString: $0) } ?? "error \(code)")
    }
    return rows.all
  }

  func notes() throws -> [String: String] {
    let rows = try execute("select name, text from notes")
    return Dictionary(rows.map { ($0[0], $0[1]) }) { $1 }
  }

  func change(_ body: (inout [String: String]) -> Void) throws {
    let old = try notes()
    var new = old
    body(&new)
    guard new != old else { return }
    let statements = Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map {
      name in
      new[name].map { "replace into notes values('\(name)', '\($0)')" }
        ?? "delete from notes where name = '\(name)'"
    }
    _ = try execute(
      (["begin immediate"] + statements + ["commit"]).joined(separator: ";"))
  }
}
