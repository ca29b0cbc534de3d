import ContractTesting
import CookiePort
import Foundation
import Testing

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var persistence: [Clause<CookieStoreFixture>] {
    Clause(
      "survives-reopen", "a reopened store has every cookie, with every field, in order",
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
      checkEqual(try await again.store.all(), before, "the list after reopening")
      try await again.set("last=1")
      try await again.expectOrder("a=3; m; q=1; c=1; x=1; b=1; last=1")
    }
    Clause(
      "reopened-session", "session cookies survive closing the store and end with the session",
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
      "cookies keep their order if the clock went backwards while the store was closed",
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
      "reopened-deletions", "deleted cookies stay deleted after reopening",
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
      "crash-survival", "an acknowledged write is in the files at once",
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
      "flush-last-access", "a flush writes when cookies were last used",
      from: "this project", requires: .persistence, .controllableClock
    ) { fixture in
      try await fixture.set("a=1; Max-Age=600")
      fixture.clock.advance(by: 5)
      try await fixture.expect("a=1")
      try await fixture.store.flush()
      let copy = try await fixture.afterCrash()
      checkEqual(
        try await copy.listed("a").lastAccess, fixture.now, "the last access in the files")
    }
    Clause(
      "private-files", "only their owner can read and write the files of a store",
      from: "this project", requires: .persistence
    ) { fixture in
      try await fixture.set("a=1; Expires=\(httpDate(fixture.now + 3600))")
      try fixture.expectPrivateFiles("after a write")
      try await fixture.store.flush()
      try fixture.expectPrivateFiles("after flushing")
    }
    Clause(
      "several-handles", "each of two handles sees the other's changes", from: "this project",
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
      "several-last-accesses", "the latest use counts, whichever handle it was",
      from: "this project", requires: .severalHandles, .controllableClock
    ) { fixture in
      try await fixture.set("a=1")
      let second = try await fixture.secondHandle()
      func use(_ handle: CookieStoreFixture, after seconds: TimeInterval) async throws {
        fixture.clock.advance(by: seconds)
        try await handle.expect("a=1")
        try await handle.store.flush()
        for each in [fixture, second] {
          checkEqual(
            try await each.listed("a").lastAccess, fixture.now, "the last access after \(seconds) s"
          )
        }
      }
      try await use(fixture, after: 10)
      try await use(second, after: -5)
      try await use(fixture, after: -2)
      fixture.clock.advance(by: 1)
      try await fixture.expect("a=1")
      try await use(second, after: 1)
    }
    Clause(
      "no-lost-writes", "two handles that write concurrently lose no writes",
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
        checkEqual(names.count, 80, "the number of cookies of 80 written by two handles")
      }
      let kept = try await fixture.reopened().store.all().count
      checkEqual(kept, 80, "the number of cookies kept of 80 written by two handles")
    }
    Clause(
      "flush-at-once", "handles may write and flush concurrently; every flush succeeds",
      from: "this project", requires: .severalHandles
    ) { fixture in
      let handles = [fixture, try await fixture.secondHandle(), try await fixture.secondHandle()]
      let failures = try await withThrowingTaskGroup(of: [String].self) { group in
        for (number, handle) in handles.enumerated() {
          group.addTask {
            var failures: [String] = []
            for index in 0..<60 {
              try await handle.set("n\(number)=\(index); Max-Age=600")
              do { try await handle.store.flush() } catch { failures.append("\(error)") }
            }
            return failures
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      checkEqual(
        failures.count, 0, "the number of 180 flushes that failed (\(failures.first ?? ""))")
    }
    Absence(
      of: .persistence, "a reopened store is empty", from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Max-Age=3600")
      try await fixture.reopened().expectAll([])
    }
    Absence(
      of: .severalHandles,
      "opening a second handle fails, or it doesn't see the first one's changes",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Max-Age=3600")
      guard let second = try? await fixture.secondHandle() else { return }
      try await fixture.set("b=1; Max-Age=3600")
      try await second.set("c=1; Max-Age=3600")
      let seen = try await [fixture, second].asyncMap { try await $0.store.all().count }
      check(
        seen != [3, 3], "both handles see all three cookies: the store supports several handles")
    }
    Absence(
      of: .crashSurvival, "an acknowledged write isn't in the files before a flush",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Max-Age=3600")
      let left = try await fixture.afterCrash().store.all().count
      checkEqual(left, 0, "the number of cookies in the files of a store that was not flushed")
    }
  }
}

extension CookieStoreFixture {
  /// Checks that only their owner may access the files in the store's directory, if there are any.
  fileprivate func expectPrivateFiles(
    _ when: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (file, mode) in try fileModes().sorted(by: { $0.key < $1.key }) {
      check(
        mode & 0o077 == 0,
        "\(file) has mode \(String(mode, radix: 8)) \(when), expected access for its owner only",
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
