import CPlatform
import ContractEvidence
import Foundation
import HarnessSupport
import SystemLocks
import Testing

/// Runs single cases that another process names, instead of the cases of a test run.
///
/// `contracts mutate` starts a test program again and again, and wants to run some cases in some
/// order at a cost of microseconds. If `CONTRACT_CASE_SERVER` is set,
/// ``Contract/cases(for:)-([Implementation])`` registers its cases here, and returns one that
/// stands for them. That one reads commands from the standard input, a socket, and answers there.
///
/// A command is a line of case ids. The answer is `start ID` and `pass ID`, `fail ID MESSAGE` or
/// `none ID` for each, up to the first that fails, and `done`.
final class CaseServer: Sendable {
  /// The variable that turns a test process into a server. Its value is the memory limit in bytes,
  /// or 0.
  static let variable = "CONTRACT_CASE_SERVER"

  /// The variable that makes the server only name the tests that have cases.
  static let listVariable = "CONTRACT_CASE_SERVER_TESTS"

  /// The process's server, or `nil` in a test run.
  static let current: CaseServer? = {
    let environment = ProcessInfo.processInfo.environment
    guard let limit = environment[variable] else { return nil }
    return CaseServer(memoryLimit: UInt64(limit) ?? 0, isListing: environment[listVariable] != nil)
  }()

  /// A case that can be run.
  struct Entry: Sendable {
    var id: CaseID
    var kind: ImplementationKind
    /// Whether the implementation names resources that only one process may use.
    var isExclusive: Bool
    /// Why the case can't be run here, or `nil`.
    var obstacle: @Sendable () async -> String?
    /// Runs the case.
    var run: @Sendable (Test) async -> Answer
  }

  /// What became of a case.
  enum Answer: Sendable {
    case passed
    case failed(String)
    /// The case is no evidence: what it needs was unavailable.
    case unavailable
  }

  private struct State {
    var entries: [Entry] = []
    var isServing = false
  }

  private let state = Mutex(State())
  private let isListing: Bool
  private let socket: CInt

  private init(memoryLimit: UInt64, isListing: Bool) {
    self.isListing = isListing
    // Processes that a case starts get an empty standard input, and not the commands.
    socket = dup(STDIN_FILENO)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    let empty = open("/dev/null", O_RDONLY)
    dup2(empty, STDIN_FILENO)
    close(empty)
    if memoryLimit > 0 { _ = platform_limit_memory(memoryLimit) }
  }

  /// Registers cases.
  func register(_ entries: [Entry]) { state.withLock { $0.entries += entries } }

  /// Serves the registered cases until the other process closes the socket, and ends this process.
  ///
  /// Only the first of several concurrent calls serves; Swift Testing has evaluated the arguments
  /// of all tests before.
  func serve(in test: Test) async {
    if isListing { return write("test \(RerunCommand.filter(for: test))") }
    let entries = state.withLock { state -> [Entry]? in
      defer { state.isServing = true }
      return state.isServing ? nil : state.entries
    }
    guard let entries else { return }
    var cases: [String: Entry] = [:]
    // One write, because each wakes the other process.
    var lines: [String] = []
    for entry in entries where cases[entry.id.description] == nil {
      if let obstacle = await entry.obstacle() {
        lines.append("out \(entry.id) \(obstacle.replacing("\n", with: " "))")
      } else {
        cases[entry.id.description] = entry
        lines.append("case \(entry.id) \(entry.kind.rawValue) \(entry.isExclusive ? 1 : 0)")
      }
    }
    write((lines + ["ready"]).joined(separator: "\n"))
    endWithPeer()
    var commands = LineBuffer()
    while let command = Self.readLine(&commands, from: socket) {
      for id in command.split(separator: " ") {
        guard let entry = cases[String(id)] else { continue }
        write("start \(id)")
        guard await run(entry, in: test) else { break }
      }
      write("done")
    }
    _exit(0)
  }

  /// Ends this process when the other one ends, also while a case hangs.
  private func endWithPeer() {
    let (socket, parent) = (socket, getppid())
    // Without POLLIN, which commands that wait would raise. Darwin may then report nothing, so the parent
    // is checked too.
    let end = (platform_poll_peer_end() | Int16(POLLHUP)) & ~Int16(POLLIN)
    Thread.detachNewThread {
      var poll = pollfd(fd: socket, events: end, revents: 0)
      while true {
        _ = Foundation.poll(&poll, 1, 1_000)
        if poll.revents & end != 0 || getppid() != parent { _exit(0) }
      }
    }
  }

  /// Runs a case and answers. Returns whether it did not fail.
  private func run(_ entry: Entry, in test: Test) async -> Bool {
    switch await entry.run(test) {
    case .passed: write("pass \(entry.id)")
    case .unavailable: write("none \(entry.id)")
    case .failed(let message):
      write("fail \(entry.id) \(String(message.prefix(1_000)).replacing("\n", with: " "))")
      return false
    }
    return true
  }

  private func write(_ line: String) {
    if writeAll(line + "\n", to: socket) != nil { _exit(1) }
  }

  /// Reads a line, or returns `nil` at the end. It blocks a thread, while no case runs.
  private static func readLine(_ lines: inout LineBuffer, from socket: CInt) -> String? {
    while true {
      if let line = lines.next() { return line }
      guard lines.fill(from: socket) else { return nil }
    }
  }
}

extension CaseServer.Entry {
  /// A clause on an implementation.
  init<Fixture>(
    _ id: CaseID, _ clause: Clause<Fixture>, _ implementation: Implementation<Fixture>
  ) {
    self.id = id
    kind = implementation.kind
    isExclusive = !implementation.resources.isEmpty
    obstacle = {
      if let outcome = implementation.inapplicability(of: clause) {
        return "does not apply: \(outcome.reason ?? "")"
      }
      if let deviation = implementation.deviation(from: clause) {
        return "deviates: \(deviation.reason)"
      }
      if implementation.processSharing != nil { return "needs a process of its own for each case" }
      return await implementation.probe?.reason().map { "is unavailable: \($0)" }
    }
    run = { test in
      let collector = IssueCollector(unavailability: implementation.unavailability)
      let lifecycle = FixtureLifecycle(clause: clause, make: implementation.make)
      try? await collector.collect(in: test) {
        await lifecycle.run(collector, madeAt: implementation.sourceLocation)
      }
      if collector.unavailable != nil { return .unavailable }
      return collector.close().first.map { .failed($0.message) } ?? .passed
    }
  }
}
