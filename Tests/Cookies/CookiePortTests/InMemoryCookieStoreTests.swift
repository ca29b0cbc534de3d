import CookiePort
import Foundation
import ManualClocks
import Testing

@Suite("InMemoryCookieStore")
struct InMemoryCookieStoreTests {
  private let clock = ManualWallClock(at: .start)
  private let request: CookieRequest

  init() throws {
    request = try CookieRequest("https://example.com/")
  }

  @Test("every subscription receives the later changes in order")
  func changes() async throws {
    var store: InMemoryCookieStore? = InMemoryCookieStore(clock: clock)
    try store?.store("early=1", from: request)
    let first = try #require(store?.changes())
    try store?.store("a=1", from: request)
    let second = try #require(store?.changes())
    try store?.store("a=2", from: request)
    try store?.restore([Cookie(name: "r", value: "", domain: "a.b", creation: .start)])
    store?.delete(Cookie.ID(name: "early", domain: "example.com"))
    store?.endSession()
    try store?.store("b=1; Max-Age=1", from: request)
    clock.advance(by: 1)
    store?.removeExpired()
    try store?.store("c=1", from: request)
    store?.clear()
    store = nil
    let expected = [
      "stored a", "stored r", "deleted early", "sessionEnded a", "sessionEnded r", "stored b",
      "expired b",
      "stored c", "deleted c",
    ]
    var seen: [String] = []
    for await change in second { seen.append(change.summary) }
    #expect(seen == expected)
    seen = []
    for await change in first { seen.append(change.summary) }
    #expect(seen == ["stored a"] + expected)
  }

  @Test("concurrent tasks lose no cookie and no change")
  func parallel() async throws {
    let store = InMemoryCookieStore(
      policy: CookiePolicy(limits: .init(perDomain: 10_000, total: 10_000)))
    let changes = store.changes()
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask { [request] in
          for index in 0..<100 {
            _ = try? store.store("n\(task)-\(index)=1", from: request)
            _ = store.cookies(for: request)
          }
        }
      }
    }
    #expect(store.all().count == 800)
    var mirror: [String] = []
    for await change in changes {
      mirror.append(change.summary)
      if mirror.count == 800 { break }
    }
    #expect(mirror == store.all().map { "stored \($0.name)" })
  }
}

@Suite("CookieChangeBroadcaster")
struct CookieChangeBroadcasterTests {
  private let cookie = Cookie(name: "a", value: "1", domain: "example.com", creation: .start)

  @Test("a subscription ends when its stream is released")
  func dropped() {
    let broadcaster = CookieChangeBroadcaster()
    do {
      let stream = broadcaster.stream()
      #expect(broadcaster.subscriptionCount == 1)
      withExtendedLifetime(stream) {}
    }
    #expect(broadcaster.subscriptionCount == 0)
  }

  @Test("a subscription ends when its task is cancelled")
  func cancelled() async {
    let broadcaster = CookieChangeBroadcaster()
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let reader = Task { [stream = broadcaster.stream()] in
      for await _ in stream { begin.yield() }
      begin.finish()
    }
    broadcaster.send(.removed(cookie, .deleted))
    for await _ in began { break }
    reader.cancel()
    await reader.value
    #expect(broadcaster.subscriptionCount == 0)
  }

  @Test("finishing ends the streams after the changes already sent, and allows new subscriptions")
  func finish() async {
    let broadcaster = CookieChangeBroadcaster()
    let stream = broadcaster.stream()
    broadcaster.send(.removed(cookie, .deleted))
    broadcaster.finish()
    broadcaster.send(.removed(cookie, .evicted))
    var seen: [String] = []
    for await change in stream { seen.append(change.summary) }
    #expect(seen == ["deleted a"])
    let again = broadcaster.stream()
    #expect(broadcaster.subscriptionCount == 1)
    withExtendedLifetime(again) {}
  }
}
