import CookiePort
import CookieSQLiteAdapter
import CookieTestSupport
import Foundation
import ManualClocks
import SeededRandom
import Testing

/// Compares the SQLite store with the model on random sequences of operations.
@Suite struct LockStepTests {
  struct World: Sendable, CustomTestStringConvertible {
    var seed: UInt64
    var profile: CookiePolicy.Profile
    var limits: CookiePolicy.Limits
    var trustsLocalhost = false
    var testDescription: String { "\(profile), \(limits), seed \(seed)" }
  }

  static let worlds: [World] = (1...12).flatMap { seed in
    [
      World(seed: seed, profile: .rfc6265bis, limits: .init()),
      World(seed: seed, profile: .rfc6265bis, limits: .init(perDomain: 3, total: 6)),
      World(
        seed: seed, profile: .rfc6265, limits: .init(perDomain: 4, total: 100),
        trustsLocalhost: true),
    ]
  }

  @Test(arguments: worlds)
  func `the SQLite store responds like the model`(_ world: World) async throws {
    let directory = try TemporaryDirectory()
    let clock = ManualWallClock()
    var generator = SplitMix64(seed: world.seed)
    var policy = CookiePolicy(
      profile: world.profile, limits: world.limits, trustsLocalhost: world.trustsLocalhost)
    var model: InMemoryCookieStore? = InMemoryCookieStore(policy: policy, now: { clock.now })
    var expectedStreams = [try #require(model?.changes())]
    func open() throws -> SQLiteCookieStore {
      try SQLiteCookieStore(path: directory.file(), policy: policy, now: { clock.now })
    }
    var store = try open()
    var streams = [store.changes()]

    for step in 0..<400 {
      let command = Command.random(&generator)
      if case .advance(let seconds) = command { clock.advance(by: seconds) }
      if case .reopen(let limits, let profile) = command {
        store.close()
        policy.limits = limits ?? policy.limits
        policy.profile = profile ?? policy.profile
        let held = try #require(model?.jar.all(now: .distantPast))
        model = InMemoryCookieStore(
          CookieJar(policy: policy, holding: held), now: { clock.now })
        expectedStreams.append(try #require(model?.changes()))
        store = try open()
        streams.append(store.changes())
      }
      let expected = await command.response(of: try #require(model))
      let actual = await command.response(of: store)
      try #require(actual == expected, "step \(step): \(command)")
    }
    store.close()
    let reopened = try open()
    #expect(try reopened.all() == model?.all())
    model = nil
    var changes: [CookieChange] = []
    for stream in streams { for await change in stream { changes.append(change) } }
    var expectedChanges: [CookieChange] = []
    for stream in expectedStreams { for await change in stream { expectedChanges.append(change) } }
    #expect(changes == expectedChanges)
  }
}

/// One operation on a store.
private enum Command {
  case store(String, CookieRequest)
  case cookies(CookieRequest)
  case all
  case restore([Cookie])
  case delete(Cookie.ID)
  case clear
  case removeExpired
  case endSession
  case flush
  case advance(TimeInterval)
  /// Opens the file again, with other limits or another profile if they are given.
  case reopen(CookiePolicy.Limits?, CookiePolicy.Profile?)
  case deleteAll(String)

  /// The result of an operation.
  enum Response: Equatable {
    case change(CookieChange?)
    case cookies([Cookie])
    case flag(Bool)
    case count(Int)
    case done
    case failure(CookieStoreError)
  }

  func response(of store: some CookieStore) async -> Response {
    do throws(CookieStoreError) {
      switch self {
      case .store(let line, let request): return .change(try await store.store(line, from: request))
      case .cookies(let request): return .cookies(try await store.cookies(for: request))
      case .all: return .cookies(try await store.all())
      case .restore(let cookies): try await store.restore(cookies)
      case .delete(let id): return .flag(try await store.delete(id))
      case .clear: try await store.clear()
      case .deleteAll(let domain): return .count(try await store.deleteAll(under: domain))
      case .removeExpired: return .count(try await store.removeExpired())
      case .endSession: try await store.endSession()
      case .flush: try await store.flush()
      case .advance, .reopen: return .cookies(try await store.all())
      }
      return .done
    } catch {
      return .failure(error)
    }
  }

  static func random(_ generator: inout SplitMix64) -> Command {
    switch generator.number(below: 100) {
    case ..<45: .store(line(&generator), request(&generator))
    case ..<70: .cookies(request(&generator))
    case ..<78: .advance(generator.pick([-3, -1, 0, 0.1, 1, 1, 2, 5, 31]))
    case ..<84: .all
    case ..<88: .restore((0...generator.number(below: 4)).map { _ in cookie(&generator) })
    case ..<91: .delete(cookie(&generator).id)
    case ..<92: .deleteAll(generator.pick(hosts))
    case ..<94:
      .reopen(
        generator.chance(0.3) ? .init(perDomain: generator.pick([1, 3, 9]), total: 12) : nil,
        generator.chance(0.3) ? generator.pick(CookiePolicy.Profile.allCases) : nil)
    case ..<96: .flush
    case ..<98: .removeExpired
    case ..<99: .endSession
    default: .clear
    }
  }

  private static let hosts = [
    "example.com", "a.example.com", "b.a.example.com", "other.org", "127.0.0.1", "localhost",
    "org", "1.127.0.0.1.example.com",
  ]
  private static let names = [
    "a", "b", "c", "", "A", "\u{e9}", "e\u{301}", "__Host-x", "__Secure-y",
  ]

  private static func request(_ generator: inout SplitMix64) -> CookieRequest {
    let path = generator.pick(["/", "/docs", "/docs/web", "/docsets"])
    let host = generator.pick(hosts)
    guard var request = try? CookieRequest(isSecure: true, host: host, path: path) else {
      return request(&generator)
    }
    request.isSecure = generator.chance(0.6)
    request.access = generator.chance(0.2) ? .script : .http
    request.isSameSite = generator.chance(0.85)
    request.isTopLevelNavigation = generator.chance(0.5)
    request.isSafeMethod = generator.chance(0.5)
    return request
  }

  private static func line(_ generator: inout SplitMix64) -> String {
    var line = generator.pick(names) + "=" + generator.pick(["", "1", "2", "\u{e9}", "e\u{301}"])
    if generator.chance(0.3) {
      line +=
        "; Domain=" + generator.pick(["example.com", ".a.example.com", "org", "127.0.0.1", ""])
    }
    if generator.chance(0.6) {
      line += "; Path=" + generator.pick(["/", "/docs", "/docs/", "/docs/web", "x"])
    }
    if generator.chance(0.3) {
      line += "; Max-Age=" + generator.pick(["-1", "0", "1", "2", "5", "40", "99999999999"])
    }
    if generator.chance(0.4) { line += "; Secure" }
    if generator.chance(0.2) { line += "; HttpOnly" }
    if generator.chance(0.3) {
      line += "; SameSite=" + generator.pick(["Lax", "Strict", "None", "odd"])
    }
    return line
  }

  private static func cookie(_ generator: inout SplitMix64) -> Cookie {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    let creation = start + generator.pick([-5, 0, 1, 20, 1e6])
    return Cookie(
      name: generator.pick(names), value: generator.pick(["", "9", "\u{1}"]),
      domain: generator.pick(hosts), isHostOnly: generator.chance(0.5),
      path: generator.pick(["/", "/docs", "/docs/web"]),
      expires: generator.chance(0.5) ? start + generator.pick([-1, 5, 60, 500, 1e9]) : nil,
      isSecure: generator.chance(0.5), isHTTPOnly: generator.chance(0.2),
      sameSite: generator.pick(Cookie.SameSite.allCases), creation: creation,
      lastAccess: creation + 0.25)
  }
}

extension SplitMix64 {
  fileprivate mutating func number(below bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  fileprivate mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }
}
