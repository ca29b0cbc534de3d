import ContractTesting
import Foundation
import SystemLocks
import Testing

@testable import ContractMutation

/// Starts this test program as a server of cases, as `contracts mutate` does.
@Suite struct CaseServerTests {
  private static func start(listing: Bool = false, in folder: String) throws -> CaseServerProcess {
    let program = CaseServerProcess.Program(
      path: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path,
      folder: FileManager.default.currentDirectoryPath, filter: "ServedContractTests",
      selection: "served", memoryLimit: 0)
    let state = listing ? nil : try SwitchState(folder: folder, name: "state", count: 1)
    return try CaseServerProcess(program, state: state, folder: folder, name: "server")
  }

  private static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("case-server-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
  }

  private static func lines(
    of server: CaseServerProcess, through last: CaseServerProcess.Line
  ) throws -> [CaseServerProcess.Line] {
    var lines: [CaseServerProcess.Line] = []
    repeat { lines.append(try server.line(within: 60)) } while lines.last != last
    return lines
  }

  @Test func `a server names its cases, and runs them in the order of the command`() throws {
    try Self.withFolder { folder in
      let server = try Self.start(in: folder)
      let listed = try Self.lines(of: server, through: .ready)
      #expect(listed.contains(.served(id: "served/holds@plain", kind: "fake", isExclusive: false)))
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
    try Self.withFolder { folder in
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
    try Self.withFolder { folder in
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

  @Test func `a silent case is given up after the limit`() throws {
    try Self.withFolder { folder in
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
    try Self.withFolder { folder in
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

  /// Starts a case, and gives up its process.
  private static func hangingCase(
    _ id: String, patience: Double, in folder: String
  ) throws -> HangingCase {
    let server = try Self.start(in: folder)
    _ = try Self.lines(of: server, through: .ready)
    server.send([id])
    #expect(try server.line(within: 60) == .started(id))
    let state = try SwitchState(folder: folder, name: "left", count: 1)
    return HangingCase(id, on: server, state, patience: patience)
  }

  @Test func `a case that hangs gets more time, and then counts as silent`() throws {
    try Self.withFolder { folder in
      let silent = try Self.hangingCase("served/hangs@plain", patience: 0.3, in: folder)
      #expect(silent.sequel() == .silent)
      for name in ["holds", "traps"] {
        let hanging = try Self.hangingCase("served/\(name)@plain", patience: 60, in: folder)
        #expect(hanging.sequel() == .ended)
      }
      let failing = try Self.hangingCase("served/fails@plain", patience: 60, in: folder).sequel()
      guard case .failed(let message) = failing else {
        Issue.record("it did not fail: \(failing)")
        return
      }
      #expect(message.contains("== 2"))
    }
  }

  @Test func `a judge waits itself for a case that hangs if no seat is free`() throws {
    try Self.withFolder { folder in
      let room = WaitingRoom(seats: 1)
      let finished = Mutex<[String]>([])
      let hanging = try [5, 0.2].map {
        try Self.hangingCase("served/hangs@plain", patience: $0, in: folder)
      }
      for (name, one) in zip(["beside the judge", "in the judge"], hanging) {
        room.wait(for: one) { sequel in
          finished.withLock { $0.append(sequel == .silent ? name : "not silent") }
        }
      }
      #expect(finished.withLock(\.self) == ["in the judge"])
      room.waitForAll()
      #expect(finished.withLock(\.self) == ["in the judge", "beside the judge"])
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
