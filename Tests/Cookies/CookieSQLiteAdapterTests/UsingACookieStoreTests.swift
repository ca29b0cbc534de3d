import CookiePort
import CookiePublicSuffixAdapter
import CookieSQLiteAdapter
import CookieTestSupport
import Foundation
import Testing

/// The code of CookiePort's article on using a store.
@Suite struct UsingACookieStoreTests {
  @Test func `the code of the article works`() async throws {
    let temporary = try TemporaryDirectory()
    let directory = temporary.path
    let path = temporary.file()
    var log: [String] = []

    let policy = CookiePolicy(publicSuffixes: try LibPSLPublicSuffixList.latest())

    let store = try SQLiteCookieStore(path: path, policy: policy)

    let salvage = try SQLiteCookieStore.salvage(path: path)
    log.append("\(salvage)")
    #expect(log == ["the file is sound; it has 0 cookies"])
    log = []

    let request = try CookieRequest("https://www.example.com/login")
    try store.store("sid=31d4d96e; Secure; HttpOnly; Max-Age=3600", from: request)

    let header = try await store.header(for: request)  // "sid=31d4d96e"
    #expect(header == "sid=31d4d96e")

    do {
      try store.store("sid=1; Domain=co.uk", from: request)
    } catch {
      switch error {
      case .rejected(let reason): log.append("cookie ignored: \(reason)")
      case .storage(let failure): log.append("\(failure.kind): \(failure)")
      }
    }
    #expect(log == ["cookie ignored: \(CookieRejection.publicSuffix)"])

    let line = "example.org\tFALSE\t/\tFALSE\t0\tname\tvalue\n"
    try Data(line.utf8).write(to: URL(filePath: "\(directory)/cookies.txt"))
    let data = try Data(contentsOf: URL(filePath: "\(directory)/cookies.txt"))
    try store.restore(NetscapeCookieFile.cookies(in: data, now: Date()))
    #expect(try store.all().map(\.name) == ["sid", "name"])

    let names = try await store.all(under: "example.org").map(\.name)
    try await store.deleteAll(under: "example.org")
    #expect(names == ["name"])
    #expect(try store.all().map(\.name) == ["sid"])

    let url = try #require(URL(string: "https://api.example.com/"))
    let api = try StoreCookieProvider(store, for: url)
    try await api.set(NamedCookie(name: "theme", value: "dark"))
    let theme = try await api.cookie(named: "theme")?.value
    #expect(theme == "dark")
  }

  @Test func `every line of code in the article is in the test above`() throws {
    let page = URL(filePath: #filePath)
      .appending(
        path: "../../../../Sources/Cookies/CookiePort/CookiePort.docc/UsingACookieStore.md")
    let code = try String(contentsOf: page.standardized, encoding: .utf8)
      .split(separator: "```").enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }
      .flatMap { $0.element.split(separator: "\n").dropFirst() }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    try #require(code.count > 10)
    let test = try String(contentsOfFile: #filePath, encoding: .utf8)
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    for line in code { #expect(test.contains(line), "\(line)") }
  }
}
