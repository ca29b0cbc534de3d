import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests the last accesses that a handle has not written yet.
@Suite struct AccessBufferTests {
  private let start = Date(timeIntervalSinceReferenceDate: 1000)
  private let stored: CookieRow

  init() throws {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 1)
    let connection = try Connection(path: directory.file(), busyTimeout: .zero)
    let row = try connection.row("SELECT \(CookieRow.columns()) FROM cookie") { CookieRow($0) }
    stored = try #require(row ?? nil)
  }

  private func row(_ sequence: Int64, stored date: Date) -> CookieRow {
    var row = stored
    row.sequence = sequence
    row.storedAccess = date
    return row
  }

  @Test func `the later of two handles' accesses counts`() {
    var buffer = AccessBuffer()
    buffer.add(7, stored: start, at: start + 10)
    #expect(buffer.lastAccess(of: row(7, stored: start)) == start + 10)
    #expect(buffer.lastAccess(of: row(7, stored: start + 5)) == start + 10)
    #expect(buffer.lastAccess(of: row(7, stored: start + 15)) == start + 15)
    #expect(buffer.lastAccess(of: row(8, stored: start)) == start)
    buffer.remove(7)
    #expect(buffer.lastAccess(of: row(7, stored: start + 5)) == start + 5)
  }

  @Test func `a write is due after 30 s or if the clock goes back, unless there is none`() {
    var buffer = AccessBuffer()
    #expect(!buffer.isDue(now: start))
    #expect(buffer.isEmpty)
    buffer.add(7, stored: start, at: start)
    buffer.add(8, stored: start, at: start + 20)
    #expect(!buffer.isEmpty)
    #expect(!buffer.isDue(now: start))
    #expect(!buffer.isDue(now: start + 29))
    #expect(buffer.isDue(now: start + 30))
    #expect(buffer.isDue(now: start - 1))
    buffer.postpone(now: start + 30)
    #expect(!buffer.isDue(now: start + 59))
    buffer.removeAll()
    #expect(!buffer.isDue(now: start + 90))
  }
}
