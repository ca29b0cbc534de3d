import ContractTesting
import Foundation
import Testing

@testable import ContractMutation

/// Starts this test program as a server of cases, as `contracts mutate` does.
@Suite struct CaseServerTests {
  private static func start(listing: Bool = false, in folder: SampleFolder) throws
    -> CaseServerProcess
  {
    var program = CaseServerProcess.Program(
      path: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path,
      folder: FileManager.default.currentDirectoryPath, filter: "ServedContractTests",
      selection: "served", memoryLimit: 0)
    program.temporaryFolder = folder.path + "/temporary"
    let state = listing ? nil : try SwitchState(folder: folder.path, name: "state", count: 1)
    return try CaseServerProcess(program, state: state, folder: folder.path, name: "server")
  }

  private static func lines(
    of server: CaseServerProcess, through last: CaseServerProcess.Line
  ) throws -> [CaseServerProcess.Line] {
    var lines: [CaseServerProcess.Line] = []
    repeat { lines.append(try server.line(within: 60)) } while lines.last != last
    return lines
  }

  @Test func `a program that a test runs as another user may map the state`() throws {
    try SampleFolder.with { folder in
      let state = try SwitchState(folder: folder.path, name: "state", count: 1)
      var status = stat()
      #expect(stat(state.path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o666)
    }
  }

  @Test func `a server names its cases, and runs them in the order of the command`() throws {
    try SampleFolder.with { folder in
      let server = try Self.start(in: folder)
      let listed = try Self.lines(of: server, through: .ready)
      #expect(
        listed.contains(
          .served(
            id: "served/holds@plain", kind: "fake", isExclusive: false, fixture: "Int")))
      #expect(
        listed.contains(
          .leftOut(id: "served/deviates@plain", reason: "deviates: it is broken on purpose")))
      #expect(!listed.contains { "\($0)".contains("other/") })

      server.send(["served/also@plain", "served/holds@plain", "served/fails@plain"])
      let first = try Self.lines(of: server, through: .done)
      #expect(
        first.prefix(5) == [
          .started("served/also@plain"), .passed("served/also@plain"),
          .started("served/holds@plain"), .passed("served/holds@plain"),
          .started("served/fails@plain"),
        ])
      guard first.count == 7, case .failed("served/fails@plain", let message) = first[5] else {
        Issue.record("\(first)")
        return
      }
      #expect(message.hasPrefix("Expectation failed"))
      server.send(["served/fails@plain", "served/holds@plain"])
      let second = try Self.lines(of: server, through: .done)
      #expect(!second.contains(.started("served/holds@plain")))
    }
  }

  @Test func `a server that only lists names the tests with cases`() throws {
    try SampleFolder.with { folder in
      let lines = try Self.start(listing: true, in: folder).allLines(within: 60)
      let filters = lines.compactMap { line -> String? in
        guard case .test(let filter) = line else { return nil }
        return filter
      }
      #expect(Set(filters).count == 1)
      #expect(filters.first?.contains("ServedContractTests") == true)
    }
  }

  @Test func `a case that ends the process is known by its name and signal`() throws {
    try SampleFolder.with { folder in
      let server = try Self.start(in: folder)
      _ = try Self.lines(of: server, through: .ready)
      server.send(["served/traps@plain"])
      #expect(try server.line(within: 60) == .started("served/traps@plain"))
      let silence = #expect(throws: CaseServerProcess.Silence.self) {
        try server.line(within: 60)
      }
      guard case .ended(signal: .some, _)? = silence else {
        Issue.record("\(String(describing: silence))")
        return
      }
    }
  }

  @Test func `a case that writes without end is ended, and its files are removed`() throws {
    try SampleFolder.with { folder in
      let server = try Self.start(in: folder)
      _ = try Self.lines(of: server, through: .ready)
      let temporary = folder.path + "/temporary/server"
      #expect(FileManager.default.fileExists(atPath: temporary))
      server.send(["served/fills@plain"])
      #expect(try server.line(within: 60) == .started("served/fills@plain"))
      do throws(CaseServerProcess.Silence) {
        // Where the parent ignores the signal, the call fails.
        let line = try server.line(within: 60)
        guard case .failed = line else {
          Issue.record("\(line)")
          return
        }
      } catch {
        #expect(error == .ended(signal: SIGXFSZ, status: 0))
      }
      server.end()
      #expect(!FileManager.default.fileExists(atPath: temporary))
    }
  }

  @Test func `a silent case is given up after the limit`() throws {
    try SampleFolder.with { folder in
      let server = try Self.start(in: folder)
      _ = try Self.lines(of: server, through: .ready)
      server.send(["served/hangs@plain"])
      #expect(try server.line(within: 60) == .started("served/hangs@plain"))
      let silence = #expect(throws: CaseServerProcess.Silence.self) {
        try server.line(within: 0.3)
      }
      #expect(silence == .timedOut)
    }
  }

  @Test func `a server ends with the process that started it, although a case hangs`() throws {
    try SampleFolder.with { folder in
      let server = try Self.start(in: folder)
      _ = try Self.lines(of: server, through: .ready)
      server.send(["served/hangs@plain"])
      #expect(try server.line(within: 60) == .started("served/hangs@plain"))
      server.hangUp()
      let silence = #expect(throws: CaseServerProcess.Silence.self) {
        try server.line(within: 20)
      }
      #expect(silence == .ended(signal: nil, status: 0))
    }
  }
}

/// The cases of the server. Some fail, so they run only there.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CONTRACT_CASE_SERVER"] != nil))
struct ServedContractTests {
  static let contract = Contract<Int>("served", "Cases for a server") {
    Clause("holds", "it holds") { value in #expect(value == 1) }
    Clause("also", "it holds too") { value in #expect(value == 1) }
    Clause("fails", "it fails") { value in #expect(value == 2) }
    Clause("traps", "it traps") { value in _ = [value][value] }
    Clause("hangs", "it never ends") { _ in try await Task.sleep(for: .seconds(1_000)) }
    Clause("fills", "its file grows to 1 GiB") { _ in
      let file = FileManager.default.temporaryDirectory.appending(path: "full")
      try Data([1]).write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      for size in stride(from: 1, through: 1 << 30, by: 1 << 24) {
        try handle.truncate(atOffset: UInt64(size))
      }
    }
    Clause("deviates", "it deviates") { value in #expect(value == 3) }
  }
  static let other = Contract<Int>("other", "Cases that are not selected") {
    Clause("holds", "it holds") { _ in }
  }
  static let plain = Implementation<Int>.fake("plain") { 1 }
    .deviating(from: "deviates", because: "it is broken on purpose")

  @Test(arguments: contract.cases(for: plain) + other.cases(for: plain))
  func holds(_ contractCase: ContractCase<Int>) async throws { try await contractCase.verify() }
}
