import Foundation
import ScriptedOrigin
import SystemLocks
import Testing
import TransportCurlAdapter
import TransportPort

/// Campaigns against servers of other projects: many downloads at once, and answers to no request.
///
/// A campaign has 2 bursts, or `CONTRACT_SOAK_TRANSPORT_BURSTS`, and 24 stray answers, or
/// `CONTRACT_SOAK_TRANSPORT_STRAYS`, for each server.
@Suite(.serialized) struct ForeignServerTests {
  @Test(arguments: ForeignServer.Program.allCases)
  func `bursts of downloads over one HTTP/2 connection do not stall`(
    _ program: ForeignServer.Program
  ) async throws {
    try Campaign.require(program)
    let campaign = try Campaign()
    defer { campaign.end() }
    let content = try campaign.makeFile("megabyte", count: 1_000_000)
    let server = try await campaign.server(program, .serving(campaign.root, .https))
    defer { server.close() }
    var durations: [Duration] = []
    var stalled = 0
    for _ in 0..<Campaign.count("CONTRACT_SOAK_TRANSPORT_BURSTS", default: 2) {
      let transport = try campaign.transport()
      // Opens the connection that the burst shares.
      _ = try await transport.download(server.url + "/megabyte")
      let start = ContinuousClock.now
      if try await isStalling(100, transport, server.url + "/megabyte", expecting: content) {
        stalled += 1
      }
      durations.append(start.duration(to: .now))
      await transport.shutDown()
    }
    print("\(program.rawValue): \(stalled) of \(durations.count) bursts stalled;", terminator: " ")
    print("longest \(durations.max() ?? .zero), median \(durations.sorted()[durations.count / 2])")
    // With libcurl 7.88, the last download of about one burst of 50 from haproxy still stalls. lighttpd 1.4.69
    // leaves the client's frames unread in about one burst of 5; the program curl stalls as often.
    withKnownIssue("downloads from \(program.rawValue) stall sometimes", isIntermittent: true) {
      #expect(stalled == 0, "longest burst: \(durations.max() ?? .zero)")
    } when: {
      program == .haproxy || program == .lighttpd
    }
  }

  /// How long nothing arrives in a burst that counts as stalled. On a busy machine a burst can take
  /// as long, but not without progress.
  private static let stall = Duration.seconds(10)

  /// Downloads a file many times at once, and gives up when nothing has arrived for ``stall``.
  ///
  /// - Throws: The error of a download that failed.
  private func isStalling(
    _ count: Int, _ transport: CurlTransport, _ url: String, expecting content: [UInt8]
  ) async throws -> Bool {
    let arrived = ByteCount()
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<count {
        group.addTask {
          let isSame = try await transport.download(url) { arrived.add($0) } == content
          #expect(isSame, "a download differs from the file")
          return false
        }
      }
      group.addTask {
        var last = -1
        while case let total = arrived.total, total != last {
          last = total
          do { try await Task.sleep(for: Self.stall) } catch { return false }
        }
        return true
      }
      // Also after a stall: its downloads would hold the group up.
      defer { group.cancelAll() }
      for _ in 0..<count where try await group.next() == true { return true }
      return false
    }
  }

  private static let services: [(ForeignServer.Program, HTTPOrigin.Scheme)] =
    ForeignServer.Program.allCases.flatMap { program in
      [HTTPOrigin.Scheme.http, .https].filter(program.serves).map { (program, $0) }
    }

  @Test(arguments: services)
  func `no download fails beside uploads that are answered early, on few streams`(
    _ program: ForeignServer.Program, _ scheme: HTTPOrigin.Scheme
  ) async throws {
    try Campaign.require(program)
    let campaign = try Campaign()
    defer { campaign.end() }
    let content = try campaign.makeFile("file", count: 10_000)
    let server = try await campaign.server(
      program, .serving(campaign.root, scheme), maximumStreams: 4)
    defer { server.close() }
    var figures: [String: Int] = [:]
    for _ in 0..<Campaign.count("CONTRACT_SOAK_TRANSPORT_BURSTS", default: 2) {
      let transport = try campaign.transport()
      await withTaskGroup(of: String.self) { group in
        for index in 0..<60 {
          group.addTask {
            // A server of files refuses an upload before it has read all of it.
            guard index % 3 == 0 else {
              do {
                return try await transport.download(server.url + "/file") == content
                  ? "same" : "other"
              } catch { return "download \(error)" }
            }
            return await transport.upload(300_000, to: server.url + "/file")
          }
        }
        for await outcome in group { figures[outcome, default: 0] += 1 }
      }
      await transport.shutDown()
    }
    print("\(program.rawValue) over \(scheme.rawValue): \(figures)")
    // Over HTTP/1.1, a server that closes the connection makes the system discard its answer.
    let expected = scheme == .https ? "upload answered" : "upload"
    let others = figures.filter { $0.key != "same" && !$0.key.hasPrefix(expected) }
    #expect(others.isEmpty)
  }

  @Test(arguments: [ForeignServer.Program.nginx, .haproxy, .node], Campaign.Timing.allCases)
  private func `an answer to no request is never taken for the next answer over TLS`(
    _ program: ForeignServer.Program, _ timing: Campaign.Timing
  ) async throws {
    try Campaign.require(program)
    let campaign = try Campaign()
    defer { campaign.end() }
    let origin = try campaign.strayOrigin(timing)
    let server = try await campaign.server(program, .terminatingTLS(forPort: origin.port))
    defer { server.close() }
    let taken = try await campaign.strayAnswers(from: server.url, origin, timing)
    print("\(program.rawValue): \(taken.wrong) of \(taken.all) stray answers taken, \(timing)")
    if timing.mustBeSeen { #expect(taken.wrong == 0) }
  }

  @Test(arguments: Campaign.Timing.allCases)
  private func `an answer to no request is never taken for the next answer`(
    _ timing: Campaign.Timing
  ) async throws {
    let campaign = try Campaign()
    defer { campaign.end() }
    let origin = try campaign.strayOrigin(timing)
    let taken = try await campaign.strayAnswers(from: origin.url, origin, timing)
    print("plain: \(taken.wrong) of \(taken.all) stray answers taken, \(timing)")
    if timing.mustBeSeen { #expect(taken.wrong == 0) }
  }
}

/// How many bytes have arrived in a burst.
private final class ByteCount: Sendable {
  private let count = Mutex(0)

  var total: Int { count.withLock { $0 } }

  func add(_ bytes: Int) { count.withLock { $0 += bytes } }
}

/// The files, transports and servers of a campaign.
private struct Campaign {
  /// When the stray answer is sent, and when the next request is.
  enum Timing: CaseIterable {
    /// The answer arrives 30 to 80 ms after the first one, and well before the next request.
    case early
    /// It is sent up to 1 ms after the first one, and the next request follows at once, so it may
    /// arrive before or after that request is sent.
    case racing

    /// Whether the answer always arrives before the next request is sent.
    var mustBeSeen: Bool { self == .early }

    var delay: Duration {
      switch self {
      case .early: .milliseconds(Int.random(in: 30...80))
      case .racing: .microseconds(Int.random(in: 0...1000))
      }
    }
  }

  let folder: URL
  let root: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("foreign-\(UUID().uuidString)")
    root = folder.appendingPathComponent("files")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  /// Removes the files.
  func end() { try? FileManager.default.removeItem(at: folder) }

  /// Cancels the test case, and says why, if a program is not installed.
  static func require(_ program: ForeignServer.Program) throws {
    guard program.path == nil else { return }
    let advice = "\(program.rawValue) is not installed; run: apt-get install \(program.package)"
    print("not run: \(advice)")
    try Test.cancel("\(advice)")
  }

  static func count(_ variable: String, default value: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? value
  }

  func makeFile(_ name: String, count: Int) throws -> [UInt8] {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    try Data(content).write(to: root.appendingPathComponent(name))
    return content
  }

  func server(
    _ program: ForeignServer.Program, _ role: ForeignServer.Role, maximumStreams: Int? = nil
  ) async throws -> ForeignServer {
    try await ForeignServer(program, role, in: folder, maximumStreams: maximumStreams)
  }

  func transport() throws -> CurlTransport {
    var configuration = CurlTransport.Configuration()
    configuration.authorities = try .pem(ScriptedOrigin.trustedAuthority)
    return try CurlTransport(configuration)
  }

  /// An origin that answers each request, and then sends an answer to no request.
  func strayOrigin(_ timing: Timing) throws -> ScriptedOrigin {
    try ScriptedOrigin(
      OriginPlan { _ in
        .respond(text: "good") + [.pause(timing.delay)] + .respond(text: "evil")
      })
  }

  /// Sends requests one after the other, and counts those that get a stray answer.
  func strayAnswers(
    from url: String, _ origin: ScriptedOrigin, _ timing: Timing
  ) async throws -> (wrong: Int, all: Int) {
    let workers = 8
    let rounds = Self.count("CONTRACT_SOAK_TRANSPORT_STRAYS", default: 24) / workers
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<workers {
        group.addTask {
          let transport = try self.transport()
          var wrong = 0
          for _ in 0...rounds {
            if try await transport.download(url) != Array("good".utf8) { wrong += 1 }
            // Longer than the pause and the way through the server, also on a busy machine.
            if timing == .early { try await Task.sleep(for: .milliseconds(400)) }
          }
          await transport.shutDown()
          return wrong
        }
      }
      return try await group.reduce(into: (0, rounds * workers)) { $0.0 += $1 }
    }
  }
}

extension CurlTransport {
  /// Sends content, and returns what became of that.
  fileprivate func upload(_ count: Int, to url: String) async -> String {
    let request = HTTPRequest(method: .post, url: url)
    do throws(TransportError) {
      let exchange = try await send(
        request, body: .bytes([UInt8](repeating: 0x61, count: count)), options: .init())
      _ = try await exchange.body.collect(upTo: 1 << 20)
      return "upload answered with \(exchange.response.status.code)"
    } catch {
      return "upload failed: \(error)"
    }
  }

  fileprivate func download(
    _ url: String, received: @Sendable (Int) -> Void = { _ in }
  ) async throws -> [UInt8] {
    let request = HTTPRequest(method: .get, url: url)
    var content: [UInt8] = []
    for try await chunk in try await send(request, body: .none, options: .init()).body {
      content += chunk
      received(chunk.count)
    }
    return content
  }
}
