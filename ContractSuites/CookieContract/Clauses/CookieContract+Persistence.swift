import ContractTesting
import CookiePort
import Foundation
import Testing

extension ClauseGroup<CookieStoreFixture> {
  static let persistence = ClauseGroup("Persistence") {
    Clause(
      "survives-reopen", "a store opened again has every cookie, with every field, in order",
      from: "this project", requires: .persistence
    ) { fixture in
      fixture.clock.advance(by: 0.123_456)
      let date = "; Expires=\(httpDate(fixture.now + 3600))"
      try await fixture.set(
        "z=é 日本; Secure; HttpOnly; SameSite=Strict; Path=/docs; Domain=example.com" + date)
      try await fixture.set("a=; SameSite=Lax" + date, at: "http://example.com/")
      try await fixture.set("a=2; SameSite=None; Secure; Path=/" + date)
      try await fixture.set("z\u{301}=1" + date, at: "https://[2001:db8::1]/")
      try await fixture.set("m; Max-Age=600")
      for name in ["q", "c", "x", "b"] { try await fixture.set("\(name)=1" + date) }
      fixture.clock.advance(by: 7.7)
      try await fixture.set("a=3; Secure; SameSite=None" + date)
      try await fixture.expectOrder("a=3; m; q=1; c=1; x=1; b=1", at: "https://example.com/page")
      let before = try await fixture.store.all()
      let again = try await fixture.reopened()
      expectEqual(try await again.store.all(), before, "the list after reopening")
      try await again.set("last=1")
      try await again.expectOrder("a=3; m; q=1; c=1; x=1; b=1; last=1")
    }
    Clause(
      "reopened-session", "a session lasts until it is ended, whether the store was closed or not",
      from: "this project", requires: .persistence
    ) { fixture in
      try await fixture.set("a=1; Secure")
      try await fixture.set("b=1; Expires=\(httpDate(fixture.now + 3600))")
      let again = try await fixture.reopened()
      try await again.expectAll(["a=1", "b=1"])
      try await again.store.endSession()
      try await again.reopened().expectAll(["b=1"])
    }
    Clause(
      "reopened-order",
      "cookies keep their order when the clock went back while the store was closed",
      from: "this project", requires: .persistence, .controllableClock
    ) { fixture in
      try await fixture.set("b=1")
      try await fixture.set("a=1")
      fixture.clock.advance(by: -3600)
      let again = try await fixture.reopened()
      try await again.set("0=1")
      try await again.set("b=2")
      try await again.expectOrder("b=2; a=1; 0=1")
    }
    Clause(
      "reopened-deletions", "what was deleted stays deleted after reopening",
      from: "this project", requires: .persistence
    ) { fixture in
      let date = httpDate(fixture.now + 3600)
      for name in ["a", "b", "c"] { try await fixture.set("\(name)=1; Expires=\(date)") }
      try await fixture.store.delete(Cookie.ID(name: "b", domain: "example.com"))
      try await fixture.setExpired("a=1; Expires=\(httpDate(fixture.now - 3600))")
      let again = try await fixture.reopened()
      try await again.expectAll(["c=1"])
      try await again.store.clear()
      try await again.reopened().expectAll([])
    }
    Clause(
      "crash-survival", "a write that was acknowledged is in the files at once",
      from: "this project", requires: .crashSurvival
    ) { fixture in
      let date = httpDate(fixture.now + 3600)
      try await fixture.set("a=1; Expires=\(date)")
      try await fixture.set("b=1; Expires=\(date); Secure")
      try await fixture.afterCrash().expectAll(["a=1", "b=1"])
      try await fixture.set("a=2; Expires=\(date)")
      try await fixture.store.delete(Cookie.ID(name: "b", domain: "example.com"))
      try await fixture.set("c=1; Expires=\(date)")
      try await fixture.afterCrash().expectAll(["a=2", "c=1"])
      try await fixture.store.clear()
      try await fixture.afterCrash().expectAll([])
    }
    Clause(
      "private-files", "the files of a store can be read and written by their owner alone",
      from: "this project", requires: .persistence
    ) { fixture in
      try await fixture.set("a=1; Expires=\(httpDate(fixture.now + 3600))")
      try fixture.expectPrivateFiles("after a write")
      try await fixture.store.flush()
      try fixture.expectPrivateFiles("after flushing")
    }
    Clause(
      "several-handles", "each of two handles sees what the other did", from: "this project",
      requires: .severalHandles
    ) { fixture in
      try await fixture.set("a=1")
      let second = try await fixture.secondHandle()
      try await second.expect("a=1")
      try await second.set("b=1")
      try await fixture.set("c=1")
      try await fixture.expect("a=1; b=1; c=1")
      try await second.expect("a=1; b=1; c=1")
      try await second.set("a=2")
      try await fixture.expect("a=2; b=1; c=1")
      try await fixture.store.delete(Cookie.ID(name: "b", domain: "example.com"))
      try await second.expect("a=2; c=1")
      try await second.store.clear()
      try await fixture.expectAll([])
    }
    Clause(
      "no-lost-writes", "two handles that write at once lose none of each other's writes",
      from: "this project", requires: .severalHandles
    ) { fixture in
      let second = try await fixture.secondHandle()
      let date = httpDate(fixture.now + 3600)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (name, handle) in [("a", fixture), ("b", second)] {
          group.addTask {
            for index in 0..<40 { try await handle.set("\(name)\(index)=1; Expires=\(date)") }
          }
        }
        try await group.waitForAll()
      }
      for handle in [fixture, second] {
        let names = Set(try await handle.store.all().map(\.name))
        expectEqual(names.count, 80, "the number of cookies of 80 written by two handles")
      }
      let kept = try await fixture.reopened().store.all().count
      expectEqual(kept, 80, "the number of cookies kept of 80 written by two handles")
    }
    Absence(
      of: .persistence, "a store opened again is empty", from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Max-Age=3600")
      try await fixture.reopened().expectAll([])
    }
    Absence(
      of: .severalHandles, "a second handle is refused, or doesn't see what the first did",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Max-Age=3600")
      guard let second = try? await fixture.secondHandle() else { return }
      try await fixture.set("b=1; Max-Age=3600")
      try await second.set("c=1; Max-Age=3600")
      let seen = try await [fixture, second].asyncMap { try await $0.store.all().count }
      #expect(
        seen != [3, 3], "both handles see all three cookies: the store can do several handles")
    }
    Absence(
      of: .crashSurvival, "a write that was acknowledged isn't in the files yet",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Max-Age=3600")
      let left = try await fixture.afterCrash().store.all().count
      expectEqual(left, 0, "the number of cookies in the files of a store that was not flushed")
    }
  }
}

extension CookieStoreFixture {
  /// Checks that the files of the store's folder, if it has any, are closed to all but their owner.
  fileprivate func expectPrivateFiles(
    _ when: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (file, mode) in try fileModes().sorted(by: { $0.key < $1.key }) {
      #expect(
        mode & 0o077 == 0,
        "\(file) has mode \(String(mode, radix: 8)) \(when), expected none but its owner let in",
        sourceLocation: sourceLocation)
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
