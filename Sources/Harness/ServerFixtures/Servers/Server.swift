public import Foundation
import SystemLocks
import SystemProcesses

/// A real server that runs for a fixture, on the loopback interface.
///
/// Get one from `FixtureScope.server(_:arguments:environment:readiness:within:install:user:)`
/// or ``SharedServer``. It ends with the test process, however that ends. On Linux that includes processes that
/// left the server's group or session; on macOS those escape.
///
/// The methods that change its life are for clauses about faults: what a client sees when the server
/// dies, stalls or restarts on the same data.
public final class Server: Sendable {
  /// Where the server listens, and its folder.
  public let place: ServerPlace

  /// The server's address, 127.0.0.1.
  public var host: String { place.host }

  /// The server's port, free before it started.
  public var port: UInt16 { place.port }

  /// The server's private folder and working directory. It survives ``restart()``.
  public var folder: URL { place.folder }

  private let command: ServerCommand
  private let arguments: [String]
  private let state = Mutex(State())

  private struct State {
    var group: ProcessGroup?
    var isPaused = false
    var unreachable: Set<Int32> = []
  }

  init(_ command: ServerCommand, at place: ServerPlace, arguments: [String]) {
    self.command = command
    self.place = place
    self.arguments = arguments
  }

  // MARK: - State

  /// The id of the server's process, or `nil` if it has ended.
  public var processID: Int32? {
    state.withLock { state in state.group.flatMap { $0.exit == nil ? $0.id : nil } }
  }

  /// What the server printed to its standard output and error, the last 64 KiB.
  public var log: String { log(from: 0) }

  /// What the server printed after the first `offset` bytes, the last 64 KiB of it.
  func log(from offset: UInt64) -> String {
    guard let file = try? FileHandle(forReadingFrom: place.logFile) else { return "" }
    defer { try? file.close() }
    let end = (try? file.seekToEnd()) ?? 0
    let start = max(min(offset, end), end > 65_536 ? end - 65_536 : 0)
    try? file.seek(toOffset: start)
    let data = (try? file.read(upToCount: 65_536)) ?? nil
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  /// The size of what the server printed, in bytes.
  var logSize: UInt64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: place.logFile.path)
    return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
  }

  // MARK: - Life

  /// Kills the server with SIGKILL, and every process that it started.
  public func kill() async {
    guard let group = state.withLock({ $0.group }) else { return }
    group.signal(SIGKILL)
    _ = await group.exit(within: .seconds(60))
    end()
  }

  /// Stops the server as its system would: SIGTERM, and SIGKILL if it does not end in time.
  ///
  /// - Parameter limit: How long the server may take to end.
  /// - Returns: Whether it ended in time by itself.
  @discardableResult
  public func stop(within limit: Duration = .seconds(5)) async -> Bool {
    guard let group = state.withLock({ $0.group }) else { return true }
    // A stopped process would never see SIGTERM.
    resume()
    group.signalLeader(SIGTERM)
    let isInTime = await group.exit(within: limit) != nil
    if !isInTime { group.signal(SIGKILL) }
    end()
    return isInTime
  }

  /// Stops every process of the server with SIGSTOP. Connections stay open, and nothing answers.
  ///
  /// A process of another user, which this one may not stop, is in ``unreachable`` afterwards.
  public func pause() { setPaused(true) }

  /// The ids of processes that ``pause()`` could not stop, because they run as another user, or because the kernel
  /// did not get them to stop within 5 s.
  public var unreachable: Set<Int32> { state.withLock { $0.unreachable } }

  /// Continues a paused server.
  public func resume() { setPaused(false) }

  /// Kills the server if it runs, and starts it again on the same port and folder.
  ///
  /// - Throws: ``ServerError`` if it does not get ready again.
  public func restart() async throws {
    await kill()
    try await start()
  }

  // MARK: - Start and end

  /// Starts the process and waits until it is ready.
  func start() async throws {
    let output = open(
      place.logFile.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard output >= 0 else {
      throw ServerError(
        .notStarted, command.program, "can't create its log: \(String(cString: strerror(errno)))")
    }
    defer { close(output) }
    let size = logSize
    let prefix = try command.user?.prefix(command.program) ?? []
    let group: ProcessGroup
    do throws(ProcessGroup.StartError) {
      group = try ProcessGroup(
        prefix + [command.path] + arguments, in: place.folder.path, guardedBy: place.lifeline,
        environment: command.environment, output: output)
    } catch {
      throw ServerError(.notStarted, command.program, error.description)
    }
    state.withLock { $0 = State(group: group) }
    do {
      try await awaitReadiness(of: group, logFrom: size)
    } catch {
      end()
      throw error
    }
  }

  /// Kills what is left of the server. Calling it again has no effect.
  func end() {
    let group = state.withLock { state in
      defer { state = State() }
      return state.group
    }
    group?.end()
  }

  /// Ends the server and removes its folder.
  func discard() {
    end()
    place.remove()
  }

  private func setPaused(_ isPaused: Bool) {
    state.withLock { state in
      guard state.isPaused != isPaused, let group = state.group else { return }
      state.isPaused = isPaused
      state.unreachable = group.signal(isPaused ? SIGSTOP : SIGCONT)
    }
  }

  private func awaitReadiness(of group: ProcessGroup, logFrom size: UInt64) async throws {
    let deadline = ContinuousClock.now + command.limit
    var pause = Duration.milliseconds(2)
    while true {
      let isReady = await command.readiness.isMet(by: self, logFrom: size)
      // The port may belong to another process if the server has ended.
      if let exit = group.exit {
        let advice =
          exit.status == 0 && exit.signal == nil
          ? " If it went to the background, start it in the foreground." : ""
        // A shell says so about a program that it does not find.
        let isMissing = exit.status == 127 && command.install != nil
        throw ServerError(
          isMissing ? .notInstalled : .exited, command.program,
          "\(exit) before it was ready.\(advice)" + lastWords(from: size)
            + (isMissing ? " Install it: \(command.install ?? "")" : ""))
      }
      if isReady { return }
      guard ContinuousClock.now < deadline else {
        throw ServerError(
          .notReady, command.program,
          "was not ready within \(command.limit): \(command.readiness.expectation(at: place))."
            + lastWords(from: size))
      }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(50))
    }
  }

  /// The end of what the server printed, for a message.
  private func lastWords(from size: UInt64) -> String {
    let lines = log(from: size).split(separator: "\n").suffix(20)
    guard !lines.isEmpty else { return " It printed nothing." }
    return " It printed last:\n" + lines.map { "  " + $0.prefix(300) }.joined(separator: "\n")
  }
}
