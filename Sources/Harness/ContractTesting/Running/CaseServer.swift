import CPlatform
import ContractEvidence
import Foundation
import HarnessSupport
import SystemLocks
import Testing

/// Runs single cases that another process names, instead of the cases of a test run.
///
/// In a process whose role is to serve, ``Contract/cases(for:)-([Implementation])`` registers its cases
/// here, and the first call of ``ContractCase/verify()`` reads commands from the standard input, a socket,
/// and answers there with a ``CaseServerLine`` each. For `contracts mutate` a case costs microseconds.
final class CaseServer: Sendable {
  /// The process's server, or `nil` if the process runs tests of its own accord.
  static let current = ProcessRole.current.isServer ? CaseServer(ProcessRole.current) : nil

  /// A case that can be run.
  struct Entry: Sendable {
    var id: CaseID
    var kind: ImplementationKind
    /// Whether the implementation names resources that only one process may use.
    var isExclusive: Bool
    /// The name of the fixture's type, without its module: that of a private type differs between processes.
    var fixture: String
    /// Why the case can't be run here, or `nil`.
    var obstacle: @Sendable () async -> String?
    /// Runs the case, and says how it ended.
    var run: @Sendable (Test) async -> CaseServerLine
  }

  private struct State {
    var entries: [Entry] = []
    var isServing = false
  }

  private let state = Mutex(State())
  private let role: ProcessRole
  private let socket: CInt

  private init(_ role: ProcessRole) {
    self.role = role
    // Processes that a case starts get an empty standard input, and not the commands.
    socket = dup(STDIN_FILENO)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    let empty = open("/dev/null", O_RDONLY)
    dup2(empty, STDIN_FILENO)
    close(empty)
    if case .mutationServer(let limit, _) = role, limit > 0 { _ = platform_limit_memory(limit) }
  }

  /// Registers a case on an implementation.
  func register<Fixture>(
    _ one: ContractCase<Fixture>, _ clause: Clause<Fixture>,
    _ implementation: Implementation<Fixture>, _ id: CaseID
  ) {
    let entry = role.isChild ? Entry(one, id) : Entry(id, clause, implementation)
    state.withLock { $0.entries.append(entry) }
  }

  /// Serves the registered cases until the other process closes the socket, and ends this process.
  ///
  /// Only the first of several calls serves, and the others return: any case can stand for all. Swift
  /// Testing has evaluated the arguments of all tests before.
  func serve(in test: Test) async {
    if case .mutationServer(_, isListing: true) = role {
      return write([.test(filter: RerunCommand.filter(for: test))])
    }
    let entries = state.withLock { state -> [Entry]? in
      defer { state.isServing = true }
      return state.isServing ? nil : state.entries
    }
    guard let entries else { return }
    var cases: [String: Entry] = [:]
    // One write, because each wakes the other process.
    var lines: [CaseServerLine] = []
    for entry in entries where cases[entry.id.description] == nil {
      let id = entry.id.description
      if let obstacle = await entry.obstacle() {
        lines.append(.leftOut(id: id, reason: obstacle))
      } else {
        cases[id] = entry
        lines.append(
          .served(
            id: id, kind: entry.kind.rawValue, isExclusive: entry.isExclusive,
            fixture: entry.fixture))
      }
    }
    if !role.isChild { write(lines + [.ready]) }
    endWithPeer()
    var commands = LineBuffer()
    while let command = Self.readLine(&commands, from: socket) {
      for id in command.split(separator: " ") {
        guard let entry = cases[String(id)] else { continue }
        write([.started(String(id))])
        let end = await entry.run(test)
        write([end])
        if case .failed = end { break }
      }
      write([.done])
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

  private func write(_ lines: [CaseServerLine]) {
    if writeAll(lines.map { "\($0)\n" }.joined(), to: socket) != nil { _exit(1) }
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
  /// A case that a parent process judges. The journal says how it ended.
  init<Fixture>(_ one: ContractCase<Fixture>, _ id: CaseID) {
    self.id = id
    kind = .live
    isExclusive = false
    fixture = String(describing: Fixture.self)
    obstacle = { nil }
    run = { test in
      // An error cancels the test case.
      try? await one.verify(in: test)
      return .passed(id.description)
    }
  }

  /// A clause on an implementation, for `contracts mutate`.
  init<Fixture>(
    _ id: CaseID, _ clause: Clause<Fixture>, _ implementation: Implementation<Fixture>
  ) {
    self.id = id
    kind = implementation.kind
    isExclusive = !implementation.resources.isEmpty
    fixture = String(describing: Fixture.self)
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
      await RunningCase.$current.withValue(RunningCase(id)) {
        try? await collector.collect(in: test) {
          await lifecycle.run(collector, madeAt: implementation.sourceLocation)
        }
      }
      if collector.unavailable != nil { return .unavailable(id.description) }
      return collector.close().first.map { .failed(id.description, message: $0.message) }
        ?? .passed(id.description)
    }
  }
}
