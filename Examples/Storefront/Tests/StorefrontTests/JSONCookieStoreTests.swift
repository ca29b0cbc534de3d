import CookiePort
import Foundation
import Storefront
import Testing

/// What the contract of cookie stores can't see: the files.
@Suite struct JSONCookieStoreTests {
  @Test func `without its folder the store fails, with the file and the system's reason`() {
    let store = JSONCookieStore(URL(filePath: "/nowhere/cookies.json"))
    let error = #expect(throws: CookieStoreError.self) { try store.clear() }
    guard case .storage(let failure)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.kind == .notPermitted)
    #expect(failure.subject == "/nowhere/cookies.json.lock")
    #expect(failure.detail == String(cString: strerror(ENOENT)))
  }

  @Test(.timeLimit(.minutes(1))) func `the changes end with the store`() async {
    var changes: [AsyncStream<CookieChange>] = []
    do {
      let store = JSONCookieStore(URL(filePath: "/nowhere/cookies.json"))
      changes = [store.changes(), store.changes()]
    }
    for stream in changes { for await change in stream { Issue.record("\(change)") } }
  }

  @Test func `what is in the way of the new file is an error, and the old file stays`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cookies-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "cookies.json")
    let store = JSONCookieStore(file)
    let request = try CookieRequest("https://shop.example/")
    try store.store("a=1; Max-Age=60", from: request)
    let content = try Data(contentsOf: file)
    try FileManager.default.createDirectory(
      at: folder.appending(path: "cookies.json.new"), withIntermediateDirectories: false)
    let error = #expect(throws: CookieStoreError.self) {
      try store.store("b=1; Max-Age=60", from: request)
    }
    guard case .storage(let failure)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.kind == .notPermitted)
    #expect(failure.subject == file.path)
    #expect(failure.detail.contains("cookies.json.new"))
    #expect(try Data(contentsOf: file) == content)
  }
}
