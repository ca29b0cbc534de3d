import ContractTesting
import CookiePort
import CookieSQLiteAdapter
import Foundation
import ManualClocks
import Testing

private let format = "sqlite.org, Database File Format"
private let project = "this project"

extension Contract<CookieSalvageFixture> {
  /// What a store does with files that it did not leave as they are: it refuses them, and repairs its own.
  static let cookieSalvage = Contract("cookie-salvage", "Damaged and foreign cookie files") {
    repairs
    refusals
  } saboteurs: {
    Saboteur.cookieSalvage
  }

  @ClauseBuilder<CookieSalvageFixture>
  private static var repairs: [Clause<CookieSalvageFixture>] {
    Clause("sound", "a sound file is left as it is", from: project) { fixture in
      let cookies = try fixture.fill(10)
      let before = try Data(contentsOf: fixture.file)
      let salvage = try fixture.expect(kept: cookies, "in a sound file")
      checkEqual(salvage.isSound, true, "whether the file was sound")
      checkEqual(salvage.missing, 0, "the number of missing cookies")
      checkEqual(try Data(contentsOf: fixture.file) == before, true, "whether the file is the same")
      checkEqual("\(salvage)", "the file is sound; it has 10 cookies", "the text")
    }
    Clause("lost-page", "a damaged page loses only the cookies on it", from: format) { fixture in
      try fixture.expectLosses(of: try fixture.fill(40)) { bytes in
        // The roots of the tables and of the index, a page of the schema, and pages of rows.
        [2, 3, 4, 5] + bytes.pages(having: 1).suffix(2)
      }
    }
    Clause(
      "lost-inner-page", "a damaged inner page loses no cookies of the pages below", from: format
    ) { fixture in
      try fixture.expectLosses(of: try fixture.fill(60)) { bytes in
        let inner = bytes.pages.filter { bytes.bytes[bytes.start(of: $0)] == 2 }
        checkEqual(inner.count > 2, true, "whether the tree has more than two levels")
        return inner
      }
    }
    Clause("long", "values that continue on other pages are kept", from: format) { fixture in
      try fixture.expectLosses(of: try fixture.fill(12, length: 1500, pageSize: 4096)) { bytes in
        Array(bytes.pages(having: 1).prefix(2))
      }
    }
    Clause("page-size", "files with pages of any size are repaired", from: format) { fixture in
      for size in [1024, 4096, 65_536] {
        let cookies = try fixture.fill(20, pageSize: size)
        let bytes = try DatabaseBytes(fixture, having: cookies)
        checkEqual(bytes.pageSize, size, "the size of the pages")
        let page = try #require(bytes.pages(having: 3).last)
        let lost = try #require(bytes.cookies[page]?.first)
        let cell = try bytes.cell(of: lost, on: page)
        try bytes.overwriting(cell, with: Array(repeating: 0xff, count: 9)).write(fixture)
        try fixture.expect(
          kept: cookies.filter { $0 != lost }, "with a damaged row in pages of \(size) bytes")
      }
    }
    Clause("lost-pages", "several damaged pages lose only the cookies on them", from: format) {
      fixture in
      let cookies = try fixture.fill(60)
      let bytes = try DatabaseBytes(fixture, having: cookies)
      let pages = bytes.pages(having: 1).filter { $0.isMultiple(of: 2) }
      try pages.reduce(bytes) { $0.overwriting($0.start(of: $1)) }.write(fixture)
      let lost = Set(pages.flatMap { bytes.cookies[$0] ?? [] })
      let salvage = try fixture.expect(
        kept: cookies.filter { !lost.contains($0) }, "with every other page damaged")
      checkEqual(salvage.missing, lost.count, "the number of missing cookies")
      checkEqual(
        "\(salvage)", "kept \(60 - lost.count) cookies, dropped 0, could not read \(lost.count)",
        "the text")
    }
    Clause("lost-rows", "damaged rows lose no others of their page", from: format) { fixture in
      for areInner in [false, true] {
        let unlike = try fixture.fill(50)
        // Only the last column of the key distinguishes some cookies.
        try fixture.execute(
          """
          INSERT INTO cookie SELECT domain, path, name, 1 - host_only, value || 'v', expires, secure,
            http_only, same_site, creation, last_access, sequence + 100 FROM cookie WHERE sequence > 45;
          UPDATE tally SET cookies = (SELECT count(*) FROM cookie), last_sequence = 150
          """)
        let cookies = try fixture.cookies()
        let bytes = try DatabaseBytes(fixture, having: unlike)
        let page = try #require(bytes.pages(having: 3, areInner: areInner).first)
        let lost = Array(try #require(bytes.cookies[page]?.prefix(2)))
        try lost.reduce(bytes) {
          // An inner page's cell begins with the number of a page, which need not be right.
          let cell = try $0.cell(of: $1, on: page) + (areInner ? 4 : 0)
          return $0.overwriting(cell, with: Array(repeating: 0xff, count: 9))
        }.write(fixture)
        let salvage = try fixture.expect(
          kept: cookies.filter { !lost.contains($0) },
          "with two damaged rows in page \(page), which is \(areInner ? "an inner" : "a leaf") page"
        )
        checkEqual(salvage.missing, 2, "the number of missing cookies")
      }
    }
    Clause("lost-pointers", "a damaged pointer to a row loses only this row", from: format) {
      fixture in
      let cookies = try fixture.fill(50)
      let bytes = try DatabaseBytes(fixture, having: cookies)
      let page = try #require(bytes.pages(having: 3).first)
      for pointer in [[0xff, 0xff], [0, 9], [2, 0]] as [[UInt8]] {
        try bytes.overwriting(bytes.start(of: page) + 8 + 2 * 2, with: pointer).write(fixture)
        let kept = try fixture.salvage().kept
        checkEqual(kept.count, 49, "the number of cookies kept")
        checkEqual(
          Set(cookies).subtracting(kept).isSubset(of: bytes.cookies[page] ?? []), true,
          "whether the cookie lost was on the page")
      }
    }
    Clause("row-count", "a damaged number of rows loses none", from: format) { fixture in
      let cookies = try fixture.fill(50)
      let bytes = try DatabaseBytes(fixture, having: cookies)
      let page = try #require(bytes.pages(having: 3).first)
      try bytes.overwriting(bytes.start(of: page) + 3, with: [0xff, 0xff]).write(fixture)
      try fixture.expect(kept: cookies, "with a page that claims 65,535 rows")
    }
    Clause("deleted", "deleted cookies don't return", from: project) { fixture in
      let (cookies, bytes) = try fixture.fillAndDelete()
      let page = try #require(bytes.pages(having: 2).first)
      let lost = Set(bytes.cookies[page] ?? [])
      let trunk = bytes.start(of: bytes.number(at: 32))
      let leaves = bytes.number(at: trunk + 4)
      let last = bytes.number(at: trunk + 4 + 4 * leaves)
      // The last free page becomes the second of two that list others.
      let chained = bytes.settingNumber(at: trunk, to: last)
        .settingNumber(at: trunk + 4, to: leaves - 1)
        .settingNumber(at: bytes.start(of: last), to: 0)
        .settingNumber(at: bytes.start(of: last) + 4, to: 0)
      for (what, list) in [("a list of free pages", bytes), ("a list in two pages", chained)] {
        try list.overwriting(bytes.start(of: page)).write(fixture)
        try fixture.expect(
          kept: cookies.filter { !lost.contains($0) }, "with a damaged page and \(what)")
      }
    }
    Clause(
      "deleted-by-damage", "deleted cookies don't return if the list of free pages is damaged",
      from: project
    ) { fixture in
      let (cookies, bytes) = try fixture.fillAndDelete()
      let root = bytes.start(of: 2)
      let trunk = (bytes.number(at: 32) - 1) * bytes.pageSize
      let first = bytes.number(at: trunk + 8)
      for (what, damaged) in [
        ("no list", bytes.settingNumber(at: 32, to: 0)),
        ("a list at a page that doesn't exist", bytes.settingNumber(at: 32, to: 9999)),
        ("a list at page 1", bytes.settingNumber(at: 32, to: 1)),
        ("a wrong number of free pages", bytes.settingNumber(at: 36, to: 1)),
        ("a list that leads to itself", bytes.settingNumber(at: trunk, to: bytes.number(at: 32))),
        ("a list that goes on nowhere", bytes.settingNumber(at: trunk, to: 9999)),
        ("a list with too many pages", bytes.settingNumber(at: trunk + 4, to: 5000)),
        ("a list with a page too few", bytes.settingNumber(at: trunk + 4, to: 3)),
        ("a list with a page that doesn't exist", bytes.settingNumber(at: trunk + 8, to: 9999)),
        ("a list with a page twice", bytes.settingNumber(at: trunk + 12, to: first)),
      ] {
        try damaged.write(fixture)
        checkEqual(try fixture.salvage().kept == cookies, true, "whether all are kept with \(what)")
        // Without its root only the pages themselves have cookies.
        try damaged.overwriting(root).write(fixture)
        let kept = try fixture.salvage().kept
        checkEqual(
          Set(kept).isSubset(of: cookies), true,
          "whether only cookies that were not deleted are kept with \(what) and no root")
      }
    }
    Clause("truncated", "a shortened file keeps the cookies of its pages", from: format) {
      fixture in
      let cookies = try fixture.fill(50)
      let bytes = try DatabaseBytes(fixture, having: cookies)
      for (pages, rest) in [(1, 0), (2, 0), (3, 1), (4, 0), (5, 1), (9, 0)] {
        try bytes.prefix(pages * bytes.pageSize + rest).write(fixture)
        let left = Set((1...pages).flatMap { bytes.cookies[$0] ?? [] })
        try fixture.expect(
          kept: cookies.filter(left.contains), "of \(pages) pages and \(rest) bytes")
      }
    }
    Clause("schema", "damaged tables other than that of the cookies lose none", from: project) {
      fixture in
      let cookies = try fixture.fill(20)
      let bytes = try DatabaseBytes(fixture, having: cookies)
      for sql in [
        "DROP INDEX cookie_secure", "DROP TABLE tally", "CREATE TABLE note (text)",
        "ALTER TABLE cookie ADD COLUMN extra", "PRAGMA user_version = 0",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER greedy AFTER INSERT ON cookie BEGIN DELETE FROM cookie; END",
      ] {
        try bytes.write(fixture)
        try fixture.execute(sql)
        let salvage = try fixture.expect(kept: cookies, "after \(sql)")
        checkEqual(salvage.isSound, false, "whether the file was sound")
        checkEqual(salvage.missing, 0, "the number of missing cookies")
      }
      try bytes.overwriting(100).write(fixture)
      let salvage = try fixture.expect(kept: cookies, "without a schema")
      checkEqual(salvage.missing, nil, "the number of missing cookies without a schema")
    }
    Clause("tally", "a damaged tally loses no cookies", from: project) { fixture in
      let cookies = try fixture.fill(20)
      let bytes = try DatabaseBytes(fixture, having: cookies)
      for sql in [
        "DELETE FROM tally", "UPDATE tally SET cookies = 7", "UPDATE tally SET cookies = 'many'",
        "UPDATE tally SET cookies = -1", "UPDATE tally SET last_sequence = -1",
        "UPDATE tally SET last_sequence = 9223372036854775807",
        // The greatest valid number, after which there is none.
        "UPDATE tally SET last_sequence = 9007199254740992",
        "UPDATE tally SET latest_creation = 'now'", "UPDATE tally SET latest_creation = 9e999",
        "UPDATE tally SET earliest_expiry = 'later'",
      ] {
        try bytes.write(fixture)
        try fixture.execute(sql)
        let salvage = try fixture.expect(kept: cookies, "after \(sql)")
        checkEqual(salvage.isSound, false, "whether the file was sound after \(sql)")
        checkEqual(salvage.missing, 0, "the number of missing cookies after \(sql)")
        let last = try fixture.execute(
          "SELECT last_sequence >= (SELECT max(sequence) FROM cookie) FROM tally")
        checkEqual(last, ["1"], "whether the last sequence number is one, after \(sql)")
      }
      try bytes.write(fixture)
      try fixture.execute("UPDATE tally SET cookies = 1")
      let few = try DatabaseBytes(fixture, having: cookies)
      let page = try #require(few.pages(having: 1).last)
      try few.overwriting(few.start(of: page)).write(fixture)
      let salvage = try fixture.salvage()
      checkEqual(salvage.missing, 0, "the number of missing cookies with too small a tally")
    }
    Clause(
      "bad-fields", "a row with a field that the store never writes is dropped and named",
      from: project
    ) { fixture in
      _ = try fixture.fill(70)
      // The first and the last instant are valid.
      try fixture.execute(
        """
        UPDATE cookie SET expires = 252423993599.0 WHERE name = 'name68';
        UPDATE cookie SET last_access = -63114076800.0 WHERE name = 'name69'
        """)
      let cookies = try fixture.cookies()
      try fixture.executeAllowingNull(
        invalidFields.enumerated().map { index, field in
          "UPDATE cookie SET \(field.column) = \(field.value) WHERE name = 'name\(index)'"
        }.joined(separator: ";"))
      let kept = Array(cookies.dropFirst(invalidFields.count))
      let salvage = try fixture.expect(kept: kept, "with \(invalidFields.count) bad rows")
      checkEqual(salvage.missing, 0, "the number of missing cookies")
      for (index, field) in invalidFields.enumerated() where field.column != "name" {
        let dropped = salvage.dropped.first { $0.name == "name\(index)" }
        checkEqual(
          dropped?.problem, .column(field.column), "the problem of \(field.column) = \(field.value)"
        )
        if field.column != "domain" {
          checkEqual(dropped?.domain, cookies[index].domain, "the domain of a dropped row")
        }
        if field.column != "path" { checkEqual(dropped?.path, "/", "the path of a dropped row") }
      }
      checkEqual(salvage.dropped.count, invalidFields.count, "the number of dropped rows")
      checkEqual(
        salvage.dropped.filter { $0.problem == .column("name") }.count,
        invalidFields.filter { $0.column == "name" }.count, "the number of bad names")
    }
    Clause(
      "displayed", "the text of a dropped row has no control characters and an end", from: project
    ) { fixture in
      _ = try fixture.fill(2)
      try fixture.execute(
        """
        UPDATE cookie SET name = 'a' || char(27) || '[2J ~' || char(10) || char(31) || 'b' || char(127)
          WHERE name = 'name0';
        UPDATE cookie SET name = char(1) || hex(zeroblob(2000)) WHERE name = 'name1'
        """)
      let dropped = try fixture.salvage().dropped.sorted { $0.name.count < $1.name.count }
      checkEqual(dropped.first?.name, "a\\u{1b}[2J ~\\u{a}\\u{1f}b\\u{7f}", "the name")
      checkEqual(
        dropped.last?.name, "\\u{1}" + String(repeating: "0", count: 255), "the name of 4,001 bytes"
      )
      checkEqual(
        dropped.last.map { "\($0)".hasSuffix("' of host1.example.com/: invalid name") }, true,
        "whether the text names domain, path and problem")
    }
    Clause(
      "unproducible", "a cookie that no Set-Cookie line produces is dropped",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      let cookies = try fixture.fill(40)
      let fields: [(String, CookieRejection)] = [
        ("name = 'a=b'", .notRestorable), ("value = 'a; b'", .notRestorable),
        ("value = ' a'", .notRestorable), ("path = '/ '", .notRestorable),
        ("name = '', value = ''", .emptyNameAndValue),
      ]
      for (index, field) in fields.enumerated() {
        try fixture.execute("UPDATE cookie SET \(field.0) WHERE name = 'name\(index)'")
      }
      let bytes = try DatabaseBytes(fixture, having: cookies)
      let lost = cookies[20]
      let page = try #require(bytes.cookies.first { $0.value.contains(lost) }?.key)
      try bytes.overwriting(
        bytes.cell(of: lost, on: page), with: Array(repeating: 0xff, count: 9)
      ).write(fixture)
      let salvage = try fixture.expect(
        kept: cookies.dropFirst(fields.count).filter { $0 != lost },
        "with unproducible cookies and a damaged row")
      checkEqual(salvage.missing, 1, "the number of missing cookies")
      checkEqual(
        Set(salvage.dropped.map { "\($0.problem)" }), Set(fields.map { "\($0.1)" }), "the problems")
      checkEqual(salvage.dropped.count, fields.count, "the number of dropped rows")
    }
    Clause("used-again", "a repaired file takes cookies and keeps their order", from: project) {
      fixture in
      let cookies = try fixture.fill(50)
      let bytes = try DatabaseBytes(fixture, having: cookies)
      // The cookie with the highest number is lost.
      let page = try #require(bytes.cookies.first { $0.value.contains(cookies[49]) }?.key)
      for sql in ["SELECT 1", "UPDATE cookie SET sequence = 5"] {
        try bytes.write(fixture)
        try fixture.execute(sql)
        let last = try fixture.execute("SELECT last_sequence FROM tally")
        let damaged = try DatabaseBytes(fixture, having: cookies)
        try damaged.overwriting(damaged.start(of: page)).write(fixture)
        try fixture.setMode(0o644)
        let kept = try fixture.salvage().kept
        checkEqual(fixture.mode(), 0o600, "the mode of the repaired file")
        checkEqual(
          try fixture.execute("SELECT last_sequence FROM tally"), last, "the last sequence number")
        let store = try fixture.open()
        let request = try CookieRequest(isSecure: true, host: "host0.example.com")
        try store.store("new=1", from: request)
        try store.store("newer=1", from: request)
        let found = try store.all().map(\.name)
        checkEqual(Array(found.suffix(2)), ["new", "newer"], "the last two names")
        checkEqual(found.dropLast(2).sorted(), kept.map(\.name).sorted(), "the other names")
        store.close()
        let sequences = try fixture.execute("SELECT sequence FROM cookie")
        checkEqual(Set(sequences).count, sequences.count, "the number of sequence numbers")
      }
    }
    Clause("open-handles", "an open store sees what was kept and goes on writing", from: project) {
      fixture in
      let cookies = try fixture.fill(40)
      let store = try fixture.open()
      let request = try CookieRequest(isSecure: true, host: "other.example")
      try store.store("before=1", from: request)
      try fixture.execute("UPDATE cookie SET expires = 'soon' WHERE name = 'name3'")
      do {
        checkEqual(try store.all().isEmpty, nil, "whether all() succeeds")
      } catch CookieStoreError.storage(let failure) {
        checkEqual(failure.kind, .corrupt, "the kind of failure")
        checkEqual(failure.subject, fixture.file.path, "the subject of the failure")
      }
      checkEqual(try fixture.salvage().kept.count, 40, "the number of cookies kept")
      try store.store("after=1", from: request)
      checkEqual(
        try store.cookies(for: request).map(\.name), ["before", "after"], "the new cookies")
      store.close()
      checkEqual(
        try fixture.cookies().map(\.name),
        cookies.map(\.name).filter { $0 != "name3" } + ["before", "after"], "all names")
    }
    Clause(
      "cleared", "a store whose pages were damaged while it was open can be cleared", from: project
    ) {
      fixture in
      let cookies = try fixture.fill(50)
      let clock = ManualWallClock()
      let store = try fixture.open(at: clock)
      // The first cookie, whose sequence number the next store assigns again.
      _ = try store.cookies(for: try CookieRequest(isSecure: true, host: "host0.example.com"))
      clock.advance(by: -5)
      try fixture.damageOpenFile(having: cookies)
      do {
        checkEqual(try store.all().isEmpty, nil, "whether all() succeeds")
      } catch CookieStoreError.storage(let failure) {
        checkEqual(failure.kind, .corrupt, "the kind of failure")
      }
      let changes = store.changes()
      try fixture.clear(store)
      checkEqual(try store.all(), [], "the cookies after clear()")
      try store.store("new=1", from: try CookieRequest(isSecure: true, host: "a.example"))
      checkEqual(try store.all().map(\.lastAccess), [clock.now], "the last access of a new cookie")
      store.close()
      checkEqual(fixture.mode("-wal"), nil, "the mode of the log after close()")
      checkEqual(try fixture.cookies().map(\.name), ["new"], "the names")
      var reported: [CookieChange] = []
      for await change in changes { reported.append(change) }
      checkEqual(reported.count > 20, true, "whether cookies that could be read are reported")
    }
  }
}

extension CookieSalvageFixture {
  /// Damages the beginning of one page after another, and expects the cookies of the others.
  fileprivate func expectLosses(
    of cookies: [Cookie], with pages: (DatabaseBytes) -> [Int]
  ) throws {
    let bytes = try DatabaseBytes(self, having: cookies)
    checkEqual(bytes.cookies[0], nil, "the cookies without a page")
    for page in pages(bytes) {
      try bytes.overwriting(bytes.start(of: page)).write(self)
      let lost = bytes.cookies[page] ?? []
      let salvage = try expect(
        kept: cookies.filter { !lost.contains($0) }, "with page \(page) damaged")
      checkEqual(salvage.isSound, false, "whether the file was sound")
      checkEqual(salvage.dropped.count, 0, "the number of dropped rows")
      // The number is not known if its own page, or a page of the schema, is damaged.
      if salvage.missing == nil, lost.isEmpty { continue }
      checkEqual(salvage.missing, lost.count, "the number missing with page \(page) damaged")
    }
  }

  /// Creates a file in which free pages have most cookies; returns the others, and the file's bytes.
  fileprivate func fillAndDelete() throws -> ([Cookie], DatabaseBytes) {
    let all = try fill(80)
    try execute(
      """
      -- Some builds of SQLite overwrite what is deleted, others don't.
      PRAGMA secure_delete = OFF;
      DELETE FROM cookie WHERE substr(name, 5) + 0 >= 30;
      UPDATE tally SET cookies = 30
      """)
    let cookies = Array(all.prefix(30))
    let bytes = try DatabaseBytes(self, having: cookies)
    let isKept = try DatabaseBytes(self, having: all).cookies[0, default: []].count < 50
    checkEqual(isKept, true, "whether the file still has a deleted cookie")
    checkEqual(bytes.number(at: 36) > 4, true, "whether the file has more than four free pages")
    return (cookies, bytes)
  }

  /// Damages every third page but the tally's, and makes an open store read its pages again.
  fileprivate func damageOpenFile(having cookies: [Cookie]) throws {
    let bytes = try DatabaseBytes(self, having: cookies)
    let handle = try FileHandle(forUpdating: file)
    for page in bytes.pages(having: 1) where page == 2 || page.isMultiple(of: 3) {
      try handle.seek(toOffset: UInt64(bytes.start(of: page)))
      try handle.write(contentsOf: Data(repeating: 0xff, count: 64))
    }
    try handle.close()
    try execute("UPDATE tally SET last_sequence = last_sequence + 1")
  }
}

/// SQL values that make a column invalid.
private let invalidFields: [(column: String, value: String)] =
  [
    (
      "domain",
      [
        "x'ff'", "CAST(x'ff' AS TEXT)", "'a' || char(10)", "''", "'.example.com'", "'a b'",
        "'Example.com'", "'a..b'", "'bücher.example'", "'1.2.3'", "'[::1]'", "'0::1'",
      ]
    ),
    ("path", ["x'2f'", "''", "'docs'", "CAST(x'2fff' AS TEXT)", "'/' || char(0) || 'x'"]),
    ("name", ["x'61'", "CAST(x'c3' AS TEXT)", "'a' || char(13)", "'a' || char(31)"]),
    ("host_only", ["7", "-1", "'yes'", "x'01'", "0.5"]),
    (
      "value",
      [
        "NULL", "zeroblob(100000)", "CAST(x'eda080' AS TEXT)", "'a' || char(0) || 'b'",
        "'a' || char(127)",
      ]
    ),
    ("expires", ["'soon'", "9e999", "-9e999", "1e300", "x'00'"]),
    ("secure", ["NULL", "2", "'true'"]), ("http_only", ["NULL", "2", "9223372036854775807"]),
    ("same_site", ["NULL", "4", "-9223372036854775808", "'Lax'"]),
    ("creation", ["NULL", "'now'", "9e999", "-1e300", "252423993600.0", "-63114076801.0"]),
    ("last_access", ["NULL", "x''", "9e999"]),
    ("sequence", ["NULL", "'first'", "1.5", "1e300", "-1", "9223372036854775807"]),
    // Rows of which one column is left.
    (
      "value",
      ["NULL, expires = NULL, secure = NULL, \(others), creation = NULL, last_access = NULL"]
    ),
    (
      "secure",
      ["NULL, expires = NULL, sequence = NULL, \(others), creation = NULL, last_access = NULL"]
    ),
  ].flatMap { column, values in values.map { (column, $0) } }

private let others = "http_only = NULL, same_site = NULL"
