import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests invalid rows in a file whose pages are valid.
@Suite struct HostileRowTests {
  private static let host = "host3.example.com"

  /// SQL values that make a column invalid, as pairs of column and value.
  static let invalidFields: [[String]] =
    [
      "domain": [
        "x'ff'", "CAST(x'ff' AS TEXT)", "'a' || char(10)", "''", "'.example.com'", "'a b'",
        "'Example.com'", "'a..b'", "'bücher.example'", "'1.2.3'", "'[::1]'", "'0::1'",
      ],
      "path": ["x'2f'", "''", "'docs'", "CAST(x'2fff' AS TEXT)", "'/' || char(0) || 'x'"],
      "name": ["x'61'", "CAST(x'c3' AS TEXT)", "'a' || char(13)", "'a' || char(31)"],
      "host_only": ["7", "-1", "'yes'", "x'01'", "0.5"],
      "value": [
        "NULL", "zeroblob(100000)", "CAST(x'eda080' AS TEXT)", "'a' || char(0) || 'b'",
        "'a' || char(127)",
      ],
      "expires": ["'soon'", "9e999", "-9e999", "1e300", "x'00'"],
      "secure": ["NULL", "2", "'true'"],
      "http_only": ["NULL", "2", "9223372036854775807"],
      "same_site": ["NULL", "4", "-9223372036854775808", "'Lax'"],
      "creation": ["NULL", "'now'", "9e999", "-1e300", "252423993600.0", "-63114076801.0"],
      "last_access": ["NULL", "x''", "9e999"],
      "sequence": ["NULL", "'first'", "1.5", "1e300", "-1", "9223372036854775807"],
    ].flatMap { column, values in values.map { [column, $0] } }

  @Test(arguments: invalidFields)
  func `an invalid field is an error`(assignment: [String]) throws {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 40)
    try directory.executeAllowingNull(
      in: "cookie", "UPDATE cookie SET \(assignment[0]) = \(assignment[1]) WHERE name = 'name3'")
    #expect(failureKind { try exercise(directory.file()) } == .corrupt)
  }

  @Test func `an invalid field fails every operation that reads it, and nothing is written`() throws
  {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 40)
    try directory.execute("UPDATE cookie SET same_site = 9 WHERE name = 'name3'")
    let before = try directory.contents()
    let store = try SQLiteCookieStore(path: directory.file())
    let request = try CookieRequest.to(Self.host)
    #expect(failureKind { _ = try store.all() } == .corrupt)
    #expect(failureKind { _ = try store.cookies(for: request) } == .corrupt)
    #expect(failureKind { try store.store("name3=1", from: request) } == .corrupt)
    store.close()
    #expect(try directory.contents()["cookies.db"] == before["cookies.db"])
  }

  @Test(arguments: [
    "UPDATE cookie SET same_site = 9 WHERE name = 'name3'", "DROP TABLE tally", "DROP TABLE cookie",
  ])
  func `clearing works although rows or tables are damaged, and reports the sound cookies`(
    sql: String
  ) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 40)
    let store = try SQLiteCookieStore(path: directory.file())
    let sound = try store.all().filter { $0.name != "name3" }
    try directory.execute(sql)
    let changes = store.changes()
    try store.clear()
    #expect(try store.all().isEmpty)
    try store.store("new=1", from: .to())
    store.close()
    var reported: [CookieChange] = []
    for await change in changes { reported.append(change) }
    if sql.hasPrefix("UPDATE") {
      #expect(Array(reported.dropLast()) == sound.map { .removed($0, .deleted) })
    }
    #expect(try SQLiteCookieStore(path: directory.file()).all().map(\.name) == ["new"])
    #expect(failureKind { try exercise(directory.file()) } == nil)
  }

  @Test func `the highest sequence number is refused before the write, and salvaged`() throws {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 40)
    do {
      let store = try SQLiteCookieStore(path: directory.file())
      try directory.execute("UPDATE tally SET last_sequence = \(Tally.range.upperBound)")
      for _ in 1...2 { #expect(failureKind { try store.store("a=1", from: .to()) } == .corrupt) }
      #expect(try store.all().count == 40)
      try store.clear()
      try store.store("a=1", from: .to())
    }
    for last in [Tally.range.upperBound, Tally.range.upperBound + 1] {
      try directory.execute("UPDATE tally SET last_sequence = \(last)")
      #expect(failureKind { _ = try SQLiteCookieStore(path: directory.file()) } == .corrupt)
      #expect(try SQLiteCookieStore.salvage(path: directory.file()).kept.count == 1)
      try SQLiteCookieStore(path: directory.file()).store("a=1", from: .to())
    }
  }

  @Test(arguments: [
    "UPDATE tally SET cookies = NULL", "UPDATE tally SET cookies = -1",
    "UPDATE tally SET cookies = 41", "UPDATE tally SET cookies = 9223372036854775807",
    "UPDATE tally SET cookies = 'many'", "UPDATE tally SET last_sequence = 9223372036854775807",
    "UPDATE tally SET last_sequence = -1", "UPDATE tally SET latest_creation = 'now'",
    "UPDATE tally SET latest_creation = 9e999", "UPDATE tally SET earliest_expiry = 'later'",
    "DELETE FROM tally",
  ])
  func `an invalid tally is an error`(sql: String) throws {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 40)
    try directory.executeAllowingNull(in: "tally", sql)
    #expect(failureKind { try exercise(directory.file()) } == .corrupt)
  }

  @Test(arguments: [Int64.min, -1, 9_007_199_254_740_993, .max])
  func `a count that becomes invalid while the store is open is an error`(count: Int64) throws {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 3)
    let store = try SQLiteCookieStore(path: directory.file())
    try directory.execute("UPDATE tally SET cookies = \(count)")
    let failure = storageFailure { try store.store("a=1", from: .to()) }
    #expect(failure?.kind == .corrupt && failure?.detail == "the tally is invalid")
  }
}
