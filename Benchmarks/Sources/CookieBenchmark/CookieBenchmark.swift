import CookieBaseline
import CookiePort
import CookieSQLiteAdapter
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Compares `SQLiteCookieStore` with plain statements in C and with `HTTPCookieStorage`.
///
/// The statements in C look up every parent of a host, and write all columns of a cookie that is replaced. The
/// store reads no public suffix, and writes its index only if `Secure` changes.
///
/// Rounds of both take turns in one process; a ratio is the median of the rounds' ratios. Rates are
/// operations per second of processor time. Arguments select benchmarks: `match`, `upsert`,
/// `foundation`.
@main
enum CookieBenchmark {
  static func main() throws {
    print("benchmark                               peer/s      ours/s   ratio  goal")
    let selection = Set(CommandLine.arguments.dropFirst())
    func isSelected(_ name: String) -> Bool {
      selection.isEmpty || selection.contains(name)
    }
    for count in [1000, 100_000] where isSelected("match") {
      try withWorkload(of: count) { workload in try matches(in: workload) }
    }
    for count in [1000, 100_000] where isSelected("upsert") {
      try withWorkload(of: count) { workload in try upserts(in: workload) }
    }
    if isSelected("foundation") {
      try withWorkload(of: 10_000) { workload in try foundation(in: workload) }
    }
  }

  /// A store with ten cookies for each site: five for its host and five for the parent domain.
  struct Workload {
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

  private static func withWorkload(of count: Int, _ body: (Workload) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "cookies.db").path(percentEncoded: false)
    let store = try SQLiteCookieStore(
      path: path, policy: CookiePolicy(limits: .init(perDomain: .max, total: .max)))
    let now = Date()
    let workload = Workload(count: count, path: path, store: store, now: now)
    let hosts = workload.hosts
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
    try body(workload)
  }

  private static func matches(in workload: Workload) throws {
    let operations = 5000
    guard let baseline = baseline_open(workload.path) else {
      throw Failure("the baseline cannot open the store")
    }
    defer { baseline_close(baseline) }
    let hosts = workload.hosts.map { strdup($0) }
    defer { for host in hosts { free(host) } }
    let requests = try workload.requests()
    let now = workload.now.timeIntervalSinceReferenceDate
    var sites = Sites(count: workload.sites)
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
        guard rows == 10 else { throw Failure("the baseline found \(rows) cookies, expected 10") }
      }
    } ours: {
      for _ in 0..<operations {
        let found = try workload.store.cookies(for: requests[sites.next()])
        guard found.count == 10 else {
          throw Failure("the store found \(found.count) cookies, expected 10")
        }
      }
    }
    report("match of 10 rows, \(workload.count) cookies", rounds, goal: 0.85)
  }

  private static func upserts(in workload: Workload) throws {
    let operations = 4000
    guard let baseline = baseline_open(workload.path) else {
      throw Failure("the baseline cannot open the store")
    }
    defer { baseline_close(baseline) }
    let lines = (0..<operations).map { "cookie-0=0123456789abcdef\($0); Path=/; Secure; HttpOnly" }
    let texts = lines.map { strdup($0) }
    let hosts = workload.hosts.map { strdup($0) }
    defer { for text in texts + hosts { free(text) } }
    let requests = try workload.requests()
    let now = workload.now.timeIntervalSinceReferenceDate
    var sites = Sites(count: workload.sites)
    var serial = 0.0
    let rounds = try compare(operations) {
      for text in texts {
        // SQLite does not write a row that does not change, so each row gets a new access time.
        serial += 1e-6
        let code = baseline_store(baseline, text, hosts[sites.next()], now + serial)
        guard code == 0 else { throw Failure("the baseline failed with SQLite code \(code)") }
      }
    } ours: {
      for line in lines { try workload.store.store(line, from: requests[sites.next()]) }
    }
    report("single upsert, \(workload.count) cookies", rounds, goal: 0.95)
  }

  private static func foundation(in workload: Workload) throws {
    let storage = try foundationStorage(of: workload)
    let peerOperations = 10
    let operations = 5000
    var sites = Sites(count: workload.sites)
    let urls = try workload.hosts.map { host in
      guard let url = URL(string: "https://\(host)/docs/web") else {
        throw Failure("invalid URL for \(host)")
      }
      return url
    }
    let rounds = try compare(1) {
      for _ in 0..<peerOperations {
        guard let found = storage.cookies(for: urls[sites.next()]), found.count >= 5 else {
          throw Failure("HTTPCookieStorage found fewer than 5 cookies")
        }
      }
    } ours: {
      for _ in 0..<operations {
        let request = try CookieRequest(urls[sites.next()])
        let found = try workload.store.cookies(for: request).count
        guard found == 10 else { throw Failure("the store found \(found) cookies, expected 10") }
      }
    }
    report(
      "HTTPCookieStorage, \(workload.count) cookies",
      rounds.map { ($0 * Double(peerOperations), $1 * Double(operations)) }, goal: 50)
  }

  /// Creates an `HTTPCookieStorage` with the same cookies by writing its file.
  ///
  /// Setting each cookie would take hours. On Linux the file's folder has the name of the
  /// executable's folder.
  private static func foundationStorage(of workload: Workload) throws -> HTTPCookieStorage {
    let data = URL(filePath: workload.path).deletingLastPathComponent()
    setenv("XDG_DATA_HOME", data.path(percentEncoded: false), 1)
    let executable = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    let folder = data.appending(path: executable.deletingLastPathComponent().lastPathComponent)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var entries: [String: [String: Any]] = [:]
    for cookie in try workload.store.all() {
      let domain = (cookie.isHostOnly ? "" : ".") + cookie.domain
      entries[domain + cookie.path + cookie.name] = [
        "Domain": domain, "Path": cookie.path, "Name": cookie.name, "Value": cookie.value,
        "Expires": (cookie.expires ?? workload.now).timeIntervalSince1970, "Secure": true,
        "Version": 0,
      ]
    }
    try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
      .write(to: folder.appending(path: ".cookies.shared"))
    let storage = HTTPCookieStorage.shared
    guard storage.cookies?.count == workload.count else {
      throw Failure("HTTPCookieStorage holds \(storage.cookies?.count ?? 0) cookies")
    }
    return storage
  }
}

// MARK: - Measuring

/// A benchmark got a wrong result.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Pseudo-random site numbers, the same in every run.
struct Sites {
  let count: Int
  private var state: UInt64 = 1

  init(count: Int) { self.count = count }

  mutating func next() -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }
}

/// Returns the thread's processor time in seconds, which other load on the machine hardly affects.
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

/// Returns the rates of 25 rounds of each, taking turns, after one round of warm-up.
private func compare(
  _ operations: Int, _ peer: () throws -> Void, ours: () throws -> Void
) rethrows -> [(peer: Double, ours: Double)] {
  try (0..<26).map { _ in
    (Double(operations) / (try seconds(peer)), Double(operations) / (try seconds(ours)))
  }.suffix(25)
}

private func report(_ title: String, _ rounds: [(peer: Double, ours: Double)], goal: Double) {
  func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
  func column(_ value: Double, _ digits: Int, _ width: Int) -> String {
    let text = String(format: "%.\(digits)f", value)
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
  let ratio = median(rounds.map { $0.ours / $0.peer })
  print(
    title.padding(toLength: 36, withPad: " ", startingAt: 0)
      + column(median(rounds.map(\.peer)), 0, 10) + column(median(rounds.map(\.ours)), 0, 12)
      + column(ratio, 2, 8) + "  ≥ \(goal)" + (ratio >= goal ? "" : "  MISSED"))
}
