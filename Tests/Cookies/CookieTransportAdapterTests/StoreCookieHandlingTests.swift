import CookiePort
import CookieTransportAdapter
import Foundation
import SystemLocks
import Testing
import TransportPort

@Suite struct StoreCookieHandlingTests {
  /// A store whose storage has failed.
  struct Full: CookieStore {
    static let failure = CookieStoreError.storage(
      CookieStorageFailure(.full, subject: "/cookies.db", detail: ""))

    func store(_: String, from: CookieRequest) throws(CookieStoreError) -> CookieChange? {
      throw Self.failure
    }
    func cookies(for: CookieRequest) throws(CookieStoreError) -> [Cookie] { [] }
    func all() throws(CookieStoreError) -> [Cookie] { [] }
    func restore(_: [Cookie]) throws(CookieStoreError) { throw Self.failure }
    func delete(_: Cookie.ID) throws(CookieStoreError) -> Bool { false }
    func clear() {}
    func removeExpired() -> Int { 0 }
    func endSession() {}
    func flush() throws(CookieStoreError) { throw Self.failure }
    func changes() -> AsyncStream<CookieChange> { AsyncStream { $0.finish() } }
  }

  private let request = HTTPRequest(url: "https://example.com/docs/")

  @Test func `a transport with a store sends what it has received`() async throws {
    let fake = FakeTransport { _ in
      .respond(headerFields: ["Set-Cookie": "a=1; Secure; HttpOnly", "set-cookie": "b=2; Path=/"])
    }
    let store = InMemoryCookieStore()
    let transport = fake.handlingCookies(with: store)
    for _ in 0..<2 { _ = try await transport.send(request) }
    #expect(fake.requests.map { $0.head.headerFields[.cookie] } == [nil, "a=1; b=2"])
    #expect(store.all().map(\.path) == ["/docs", "/"])
  }

  @Test func `rejected lines are handed to the closure with their reason`() async throws {
    let fake = FakeTransport { _ in
      .respond(headerFields: ["Set-Cookie": "a=1; Domain=com", "set-cookie": "b=2"])
    }
    let rejected = Mutex<[String]>([])
    let transport = fake.handlingCookies(with: InMemoryCookieStore()) { line, url, reason in
      rejected.withLock { $0.append("\(line) from \(url): \(reason.rawValue)") }
    }
    _ = try await transport.send(request)
    #expect(
      rejected.withLock { $0 } == ["a=1; Domain=com from https://example.com/docs/: publicSuffix"])
  }

  @Test func `a failure of the storage fails the request with the store's error`() async throws {
    let fake = FakeTransport { _ in .respond(headerFields: ["Set-Cookie": "a=1"]) }
    let error = await #expect(throws: TransportError.self) {
      try await fake.handlingCookies(with: Full()).send(request)
    }
    #expect(error?.kind == .cookieStoreFailed)
    #expect(error?.underlying as? CookieStoreError == Full.failure)
  }

  @Test func `a store without its own deletion by domain deletes the cookies one by one`()
    async throws
  {
    #expect(try await Full().deleteAll(under: "example.com") == 0)
  }
}
