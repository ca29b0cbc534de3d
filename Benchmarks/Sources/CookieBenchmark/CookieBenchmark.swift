import CookieBaseline
import CookiePort
import CookieSQLiteAdapter
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Measures `SQLiteCookieStore` beside the same statements in C, and beside `HTTPCookieStorage`.
///
/// Rounds of the one and the other take turns in one process; a ratio is the median of theirs.
/// Rates are by processor time. Arguments choose benchmarks: `match`, `upsert`, `foundation`.
@main
enum CookieBenchmark {
  static func main() throws {
    print("what                                    peer/s      ours/s   ratio  wanted")
    let chosen = Set(CommandLine.arguments.dropFirst())
    func isChosen(_ name: String) -> Bool { chosen.isEmpty || chosen.contains(name) }
    for count in [1000, 100_000] where isChosen("match") {
      try withWorld(of: count) { world in try matches(in: world) }
    }
    for count in [1000, 100_000] where isChosen("upsert") {
      try withWorld(of: count) { world in try upserts(in: world) }
    }
    if isChosen("foundation") {
      try withWorld(of: 10_000) { world in try foundation(in: world) }
    }
  }

  /// Ten cookies for each site: five of its host, five of the domain above it.
  struct World {
    let count: Int
    let path: String
    let store: SQLiteCookieStore
    let now: Date
    var sites: Int { count / 10 }

    var hosts: [String] { (0..<sites).map { "www.site\($0).com" } }

    func requests() throws -> [CookieRequest] {
      try hosts.map { try CookieRequest(isSecure: true, host: $0, path: "/docs/web") }
    }
  }

  private static func withWorld(of count: Int, _ body: (World) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "cookies.db").path(percentEncoded: false)
    let store = try SQLiteCookieStore(
      path: path, policy: CookiePolicy(limits: .init(perDomain: .max, total: .max)))
    let now = Date()
    let world = World(count: count, path: path, store: store, now: now)
    let hosts = world.hosts
    var cookies: [Cookie] = []
    for number in 0..<count {
      let isHostOnly = number % 10 < 5
      let host = hosts[number / 10]
      cookies.append(
        Cookie(
          name: "cookie-\(number % 10)", value: "0123456789abcdef0123456789abcdef",
          domain: isHostOnly ? host : String(host.dropFirst(4)), isHostOnly: isHostOnly,
          path: number.isMultiple(of: 2) ? "/" : "/docs", expires: now + 86_400, isSecure: true,
          isHTTPOnly: true, sameSite: .lax, creation: now))
    }
    try store.restore(cookies)
    try store.flush()
    try body(world)
  }

  private static func matches(in world: World) throws {
    let operations = 5000
    guard let baseline = baseline_open(world.path) else { throw Failure("the baseline won't open") }
    defer { baseline_close(baseline) }
    let hosts = world.hosts.map { strdup($0) }
    defer { for host in hosts { free(host) } }
    let requests = try world.requests()
    let now = world.now.timeIntervalSinceReferenceDate
    var sites = Sites(count: world.sites)
    let rounds = try compare(operations) {
      for _ in 0..<operations {
        guard let host = hosts[sites.next()] else { throw Failure("out of memory") }
        var found: UnsafeMutablePointer<UnsafeMutablePointer<baseline_cookie>?>?
        let rows = withUnsafeTemporaryAllocation(
          of: UnsafePointer<CChar>?.self, capacity: 3
        ) { domains in
          domains[0] = UnsafePointer(host)
          domains[1] = UnsafePointer(host + 4)
          domains[2] = strrchr(host, 0x2e).map { UnsafePointer($0 + 1) }
          return baseline_match(
            baseline, domains.baseAddress, 3, "/docs/web", now, &found)
        }
        defer { baseline_free(found, rows) }
        guard rows == 10 else { throw Failure("the baseline found \(rows)") }
      }
    } ours: {
      for _ in 0..<operations {
        let found = try world.store.cookies(for: requests[sites.next()])
        guard found.count == 10 else { throw Failure("the store found \(found.count)") }
      }
    }
    report("match of 10 rows, \(world.count) cookies", rounds, wanted: 0.8)
  }

  private static func upserts(in world: World) throws {
    let operations = 4000
    guard let baseline = baseline_open(world.path) else { throw Failure("the baseline won't open") }
    defer { baseline_close(baseline) }
    let lines = (0..<operations).map { "cookie-0=0123456789abcdef\($0); Path=/; Secure; HttpOnly" }
    let texts = lines.map { strdup($0) }
    let hosts = world.hosts.map { strdup($0) }
    defer { for text in texts + hosts { free(text) } }
    let requests = try world.requests()
    let now = world.now.timeIntervalSinceReferenceDate
    var sites = Sites(count: world.sites)
    var serial = 0.0
    let rounds = try compare(operations) {
      for text in texts {
        // SQLite skips the write of a row that doesn't change.
        serial += 1e-6
        let code = baseline_store(baseline, text, hosts[sites.next()], now + serial)
        guard code == 0 else { throw Failure("the baseline failed: \(code)") }
      }
    } ours: {
      for line in lines { try world.store.store(line, from: requests[sites.next()]) }
    }
    report("upsert by itself, \(world.count) cookies", rounds, wanted: 0.9)
  }

  private static func foundation(in world: World) throws {
    let storage = try foundationStorage(of: world)
    let peerOperations = 10
    let operations = 5000
    var sites = Sites(count: world.sites)
    let urls = try world.hosts.map { host in
      guard let url = URL(string: "https://\(host)/docs/web") else { throw Failure("no URL") }
      return url
    }
    let rounds = try compare(1) {
      for _ in 0..<peerOperations {
        guard let found = storage.cookies(for: urls[sites.next()]), found.count >= 5 else {
          throw Failure("HTTPCookieStorage found too few")
        }
      }
    } ours: {
      for _ in 0..<operations {
        let request = try CookieRequest(urls[sites.next()])
        guard try world.store.cookies(for: request).count == 10 else { throw Failure("too few") }
      }
    }
    report(
      "HTTPCookieStorage, \(world.count) cookies",
      rounds.map { ($0 * Double(peerOperations), $1 * Double(operations)) }, wanted: 50)
  }

  /// A storage of the same cookies, read from its file: setting each one would take hours.
  ///
  /// On Linux the file is in a folder that is named for the executable's.
  private static func foundationStorage(of world: World) throws -> HTTPCookieStorage {
    let data = URL(filePath: world.path).deletingLastPathComponent()
    setenv("XDG_DATA_HOME", data.path(percentEncoded: false), 1)
    let executable = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    let folder = data.appending(path: executable.deletingLastPathComponent().lastPathComponent)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var entries: [String: [String: Any]] = [:]
    for cookie in try world.store.all() {
      let domain = (cookie.isHostOnly ? "" : ".") + cookie.domain
      entries[domain + cookie.path + cookie.name] = [
        "Domain": domain, "Path": cookie.path, "Name": cookie.name, "Value": cookie.value,
        "Expires": (cookie.expires ?? world.now).timeIntervalSince1970, "Secure": true,
        "Version": 0,
      ]
    }
    try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
      .write(to: folder.appending(path: ".cookies.shared"))
    let storage = HTTPCookieStorage.shared
    guard storage.cookies?.count == world.count else {
      throw Failure("HTTPCookieStorage holds \(storage.cookies?.count ?? 0) cookies")
    }
    return storage
  }
}

// MARK: - Measuring

/// A benchmark that doesn't do what it should.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The sites of a world in a random order that each run repeats.
struct Sites {
  let count: Int
  private var state: UInt64 = 1

  init(count: Int) { self.count = count }

  mutating func next() -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }
}

/// The processor time of the thread, in seconds: what else the machine does must not decide.
private func seconds(_ body: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  try body()
  return now() - start
}

/// The rates of 25 rounds of each, taking turns, after one that isn't counted.
private func compare(
  _ operations: Int, _ peer: () throws -> Void, ours: () throws -> Void
) rethrows -> [(peer: Double, ours: Double)] {
  try (0..<26).map { _ in
    (Double(operations) / (try seconds(peer)), Double(operations) / (try seconds(ours)))
  }.suffix(25)
}

private func report(_ what: String, _ rounds: [(peer: Double, ours: Double)], wanted: Double) {
  func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
  func column(_ value: Double, _ digits: Int, _ width: Int) -> String {
    let text = String(format: "%.\(digits)f", value)
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
  let ratio = median(rounds.map { $0.ours / $0.peer })
  print(
    what.padding(toLength: 36, withPad: " ", startingAt: 0)
      + column(median(rounds.map(\.peer)), 0, 10) + column(median(rounds.map(\.ours)), 0, 12)
      + column(ratio, 2, 8) + "  ≥ \(wanted)" + (ratio >= wanted ? "" : "  MISSED"))
}
