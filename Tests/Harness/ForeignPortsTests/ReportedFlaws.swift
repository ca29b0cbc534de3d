import ContractTesting
import DriftExploration
import Foundation
import Testing

/// A mistake that users of well-known fakes reported, with the number of calls that show it.
protocol ReportedFlaw: CaseIterable, Hashable, Sendable, RawRepresentable<String> {
  /// From the fewest calls that show it, to the most that are left after shrinking.
  var calls: ClosedRange<Int> { get }
}

extension ReportedFlaw {
  /// The flaws to look for: all with `CONTRACT_SOAK_DRIFTS` in the environment, and two otherwise.
  static var sought: [Self] {
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_DRIFTS"] == nil
      ? Array(allCases.prefix(2)) : Array(allCases)
  }
}

/// Explores a fake with a flaw for up to a minute, and expects few calls that show it.
func expectFinding<Subject>(
  of flaw: some ReportedFlaw, in fake: Implementation<Subject>, from live: Implementation<Subject>,
  _ operations: [AnyOperation<Subject>],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "flaw-\(UUID())")
  defer { try? FileManager.default.removeItem(at: folder) }
  let settings = ExplorationSettings.drift(time: .seconds(60), seed: 1)
  print("flaw \(flaw.rawValue) of \(live.id): looked for")
  var results: [DriftResult] = []
  let duration = try await ContinuousClock().measure {
    try await findDrift(
      of: [fake], from: live, settings: settings, limit: 1,
      filePath: folder.appending(path: "Tests.swift").path, sourceLocation: sourceLocation,
      operations
    ) { results.append($0) }
  }
  let result = try #require(results.first, sourceLocation: sourceLocation)
  if let reason = result.unavailability {
    Issue.record(Comment(rawValue: reason), severity: .warning, sourceLocation: sourceLocation)
    return
  }
  let count = try #require(
    result.findings.first?.count, "\(flaw.rawValue) was not found", sourceLocation: sourceLocation)
  let size = count == flaw.calls.lowerBound ? "fewest" : "more"
  // Scripts/measure-drifts reads these lines.
  print(
    "flaw \(flaw.rawValue) of \(live.id): \(count) calls, \(size); "
      + "found in \(duration / .seconds(1)) s with \(result.calls) calls; "
      + "\(result.findings.first ?? [])")
  #expect(flaw.calls.contains(count), sourceLocation: sourceLocation)
}

/// A connection to a server on this machine, for text protocols.
final class LineConnection {
  private let socket: Int32
  private var buffer: [UInt8] = []

  struct Broken: Error {}

  init(port: UInt16) throws(Broken) {
    _ = Self.ignoresBrokenPipes
    socket = Foundation.socket(AF_INET, 1, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { [socket] in
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { throw Broken() }
  }

  deinit { close(socket) }

  func send(_ text: String) throws(Broken) {
    let bytes = Array(text.utf8)
    guard write(socket, bytes, bytes.count) == bytes.count else { throw Broken() }
  }

  /// Reads a line without its end.
  func line() throws(Broken) -> String {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end].filter { $0 != 13 }, as: UTF8.self)
      }
      try receive()
    }
  }

  func text(ofLength count: Int) throws(Broken) -> String {
    while buffer.count < count { try receive() }
    defer { buffer.removeFirst(count) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  private func receive() throws(Broken) {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = recv(socket, &bytes, bytes.count, 0)
    guard count > 0 else { throw Broken() }
    buffer += bytes[..<count]
  }

  /// Writing to a connection that was closed must fail, not end the process.
  private static let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()
}

extension ExplorationSettings {
  /// One second for a fake that is expected to be right.
  static var foreign: Self {
    drift(time: .seconds(1))
  }
}
